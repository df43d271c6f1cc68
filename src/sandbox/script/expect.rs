//! Pure: no I/O, no clock. Whether what a script expects is so, and in which words it is not.

use super::difference::{Effect, effects, in_sight};
use super::label;
use super::step::{Expectation, Sight};
use super::transcript::{self, quote};
use crate::sandbox::world::{ChatView, MessageView};

/// Judges `what` of the user called `who`, whose chat was `before` when something was last done.
///
/// # Errors
/// What was expected and what is there instead, on one line.
pub(super) fn check(who: &str, what: &Expectation, before: &ChatView, now: &ChatView) -> Result<(), String> {
    let sight = in_sight(before, now);
    let seen = || quoted(&sight.iter().map(|message| transcript::message(message)).collect::<Vec<_>>(), "nothing");
    match what {
        Expectation::Sees(what) if !sight.iter().any(|message| shows(message, what)) => {
            Err(format!("expected that {who} sees {}, seen: {}", name(what), seen()))
        }
        Expectation::SeesNot(what) if sight.iter().any(|message| shows(message, what)) => {
            Err(format!("expected that {who} does not see {}, seen: {}", name(what), seen()))
        }
        Expectation::Gets(text) => {
            let notices: Vec<String> = effects(before, now).into_iter().filter_map(notice).collect();
            if notices.iter().any(|notice| notice.contains(text.as_str())) {
                return Ok(());
            }
            Err(format!("expected that {who} gets {}, got: {}", quote(text), quoted(&notices, "nothing")))
        }
        Expectation::Nothing => {
            let happened: Vec<String> =
                effects(before, now).into_iter().map(|effect| transcript::effect(who, effect)).collect();
            if happened.is_empty() {
                return Ok(());
            }
            Err(format!("expected nothing for {who}, happened: {}", quoted(&happened, "nothing")))
        }
        Expectation::Sees(_) | Expectation::SeesNot(_) => Ok(()),
    }
}

fn notice(effect: Effect<'_>) -> Option<String> {
    match effect {
        Effect::Noticed(notice) => Some(notice.text.clone()),
        _ => None,
    }
}

fn shows(message: &MessageView, what: &Sight) -> bool {
    match what {
        Sight::Text(text) => transcript::words(message).contains(text.as_str()),
        Sight::Button(written) => label::find(&message.keyboard, written).is_some(),
    }
}

fn name(what: &Sight) -> String {
    match what {
        Sight::Text(text) => quote(text),
        Sight::Button(label) => format!("[{label}]"),
    }
}

fn quoted(texts: &[String], none: &str) -> String {
    if texts.is_empty() {
        return none.to_owned();
    }
    texts.iter().map(|text| quote(text.trim())).collect::<Vec<_>>().join(", ")
}

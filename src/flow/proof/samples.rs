//! Pure: no I/O, no clock. Chats for which a text is made to be looked at.

use crate::clock::Timestamp;
use crate::flow::chat::{Chat, Desired, Generation, View, Waiting};
use crate::flow::definition::{Flow, TYPED_VALUE_MAX_CHARS};
use crate::flow::render::PROGRESS_MAX_CHARS;
use crate::flow::screen::{CALL, CALL_FAILED};
use crate::flow::texts::Dependence;

/// Amounts that between them have every plural form there is.
const AMOUNTS: [&str; 10] = ["0", "1", "2", "3", "5", "11", "21", "100", "1000000", "-1"];

/// Most chats that a text is made for where one variable decides about another.
const TOGETHER_MAX: usize = 256;

/// A chat for which a text is made, and how its generation stands.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) chat: Chat,
    pub(super) waiting: Waiting,
}

/// Chats for which one text is made.
pub(super) struct Samples {
    /// One in which every variable has a value.
    pub(super) first: Sample,
    /// Others, in groups. What a text of one group has more than the first, it has beside what another group's has.
    pub(super) groups: Vec<Vec<Sample>>,
}

/// Chats in which the variables that a text hangs on have every value they can have: each on its own,
/// or together where one decides about another and they are not too many.
pub(super) fn samples(flow: &Flow, locale: &str, depends: &Dependence<'_>) -> Samples {
    let first = chosen(flow, locale);
    let ranges: Vec<(&str, Vec<String>)> = depends.variables.iter().map(|name| (*name, range(flow, name))).collect();
    let together = ranges.iter().try_fold(1_usize, |count, (_, values)| count.checked_mul(values.len()));
    let groups = if depends.nested && together.is_some_and(|count| count <= TOGETHER_MAX) {
        let vary = |samples: Vec<Sample>, (name, values): &(&str, Vec<String>)| {
            samples.iter().flat_map(|sample| values.iter().map(|value| with(sample, name, value))).collect()
        };
        vec![ranges.iter().fold(vec![first.clone()], vary)]
    } else {
        let each = ranges.iter().map(|(name, values)| values.iter().map(|value| with(&first, name, value)).collect());
        each.collect()
    };
    Samples { first, groups }
}

/// What a variable can be. That it is not set is the empty value.
fn range(flow: &Flow, name: &str) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match name {
        "balance" => words(&AMOUNTS),
        "busy" | "premium" => words(&["", "yes"]),
        "call" => words(&["", "waiting", CALL_FAILED]),
        "place" => words(&AMOUNTS[..9]),
        "progress" => vec![String::new(), "<".repeat(PROGRESS_MAX_CHARS)],
        "locale" => flow.locales().map(str::to_owned).collect(),
        // The letter that takes most to write.
        _ => match flow.variable(name).filter(|variable| !variable.values.is_empty()) {
            None => vec![String::new(), "<".repeat(TYPED_VALUE_MAX_CHARS)],
            Some(variable) => [String::new()].into_iter().chain(variable.values.iter().cloned()).collect(),
        },
    }
}

fn with(sample: &Sample, name: &str, value: &str) -> Sample {
    let mut sample = sample.clone();
    let Sample { chat, waiting } = &mut sample;
    match name {
        "balance" => chat.balance = value.parse().unwrap_or_default(),
        "busy" => chat.busy = (!value.is_empty()).then(Generation::default),
        "premium" => chat.premium_until = (!value.is_empty()).then(Timestamp::default),
        "place" => waiting.place = value.parse().unwrap_or_default(),
        "progress" => value.clone_into(&mut waiting.progress),
        "locale" => chat.locale = Some(value.to_owned()),
        "start" | CALL => {
            let arguments = chat.desired.as_mut().map(|desired| &mut desired.view.top.arguments);
            let value = (!value.is_empty()).then(|| value.to_owned());
            arguments
                .into_iter()
                .zip(value)
                .for_each(|(arguments, value)| drop(arguments.insert(name.to_owned(), value)));
        }
        _ => drop(chat.vars.insert(name.to_owned(), value.to_owned())),
    }
    sample
}

/// A chat in which every variable has a value.
fn chosen(flow: &Flow, locale: &str) -> Sample {
    let chat = Chat {
        locale: Some(locale.to_owned()),
        desired: Some(Desired { view: View::start(flow), revision: Default::default() }),
        balance: flow.free_balance,
        ..Chat::default()
    };
    let names = flow.variables.keys().map(String::as_str).chain(["start"]);
    let first = Sample { chat, waiting: Waiting::default() };
    names.fold(first, |sample, name| match range(flow, name).get(1) {
        Some(value) => with(&sample, name, value),
        None => sample,
    })
}

//! Runs a script, line after line, and tells what comes of it. Never judges the server by anything but what users see.

use super::cast::Cast;
use super::step::{Act, Expectation, Fault, Line, Script, Step, Thing};
use super::{expect, label};
use crate::clock::Timestamp;
use crate::problem::Problem;
use crate::sandbox::Sandbox;
use crate::sandbox::faults::{ApiFault, Lasts};
use crate::sandbox::world::{self, Author, ChatView, Content, Impossible, MessageView, Payment, Which};
use crate::telegram::id::{ChatId, MessageId};
use std::fmt;
use std::time::Duration;

/// When scripts begin by the simulated clock, so that no transcript depends on the day: 1 January 2026, 12:00 UTC.
pub const BEGINNING: Timestamp = Timestamp::from_unix_seconds(1_767_268_800);

/// A script that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// How many expectations it has; all of them held.
    pub expectations: usize,
}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expectations {
            0 => f.write_str("the script ran to its end"),
            1 => f.write_str("what was expected is so"),
            expectations => write!(f, "all {expectations} expectations hold"),
        }
    }
}

/// Runs `script` in `sandbox` and hands its transcript to `tell`, piece by piece.
///
/// # Errors
/// The first line on which something is not as expected, or cannot be done.
pub async fn run(script: &Script, sandbox: &Sandbox, tell: &mut dyn FnMut(&str)) -> Result<Passed, Problem> {
    let mut run = Run { sandbox, cast: Cast::new(sandbox.world.clone()), tell, told_effects: false };
    let mut passed = Passed { expectations: 0 };
    for line in &script.lines {
        if let Step::Expect { .. } = line.step {
            passed.expectations += 1;
        }
        run.line(line).await.map_err(|message| {
            (run.tell)(&format!("  ✗ line {}: {}\n", line.number, line.text));
            script.problem(line, message)
        })?;
    }
    Ok(passed)
}

/// How long, in real time, the world may take to come to rest after a line.
const PATIENCE: Duration = Duration::from_secs(60);

struct Run<'a> {
    sandbox: &'a Sandbox,
    cast: Cast,
    tell: &'a mut dyn FnMut(&str),
    /// Whether the line before led to something, so that a new paragraph begins.
    told_effects: bool,
}

impl Run<'_> {
    /// One line; an error says in one line what is wrong.
    async fn line(&mut self, line: &Line) -> Result<(), String> {
        match &line.step {
            Step::Expect { who, what } => return self.expect(who, what),
            Step::User { name, language, first_name } => {
                self.cast.add(name, language.as_deref(), first_name);
                self.say(line);
            }
            Step::Fault { fault, lasts } => {
                self.say(line);
                self.fault(fault, *lasts);
            }
            Step::NoFaults => {
                self.say(line);
                self.sandbox.faults.clear();
            }
            Step::Wait(duration) => {
                self.say(line);
                self.cast.looks();
                self.sandbox.clock.advance(*duration);
                self.rest().await?;
            }
            Step::Act { who, act } => {
                let user = self.cast.id(who);
                self.say(line);
                self.cast.looks();
                self.act(user, act)?;
                self.rest().await?;
            }
        }
        Ok(())
    }

    fn say(&mut self, line: &Line) {
        let paragraph = if std::mem::take(&mut self.told_effects) { "\n" } else { "" };
        (self.tell)(&format!("{paragraph}{}\n", line.text));
    }

    /// Waits until nothing is under way any more, and tells what came of it.
    async fn rest(&mut self) -> Result<(), String> {
        self.sandbox.rest(PATIENCE).await.map_err(|restless| restless.to_string())?;
        let effects = self.cast.effects();
        (self.tell)(if effects.is_empty() { "  nothing happens\n" } else { &effects });
        self.told_effects = true;
        Ok(())
    }

    fn expect(&mut self, who: &str, what: &Expectation) -> Result<(), String> {
        let (before, now) = self.cast.sight(who);
        expect::check(who, what, &before, &now)
    }

    fn fault(&mut self, fault: &Fault, lasts: Lasts) {
        let faults = &self.sandbox.faults;
        match fault {
            Fault::Delivery(fault) => faults.strike_deliveries(*fault, lasts),
            Fault::Call(fault) => faults.strike_api(*fault, lasts),
            Fault::Flood { who, retry_after } => {
                let chat = self.cast.id(who);
                faults.strike_api(ApiFault::Flood { chat, retry_after: *retry_after }, lasts);
            }
        }
    }

    fn act(&self, user: ChatId, act: &Act) -> Result<(), String> {
        let world = &self.sandbox.world;
        let chat = world.chat(user).ok_or("this user is gone")?;
        let done = match act {
            Act::Says(text) => world.says(user, text).map(drop),
            Act::SaysInGroup(text) => world.says_in_group(user, text).map(drop),
            Act::Presses { label, times } => return self.press(&chat, label, *times),
            Act::Forges(data) => {
                let message = lowest(&chat, |message| !message.keyboard.is_empty()).ok_or("there is no keyboard")?;
                world.presses(user, message.id, Which::Data(data)).map(drop)
            }
            Act::Sends(thing) => world.sends(user, sent(thing)).map(drop),
            Act::Edits(text) => {
                let theirs = |message: &MessageView| {
                    message.author == Author::User(user) && matches!(message.content, Content::Text(_))
                };
                let message = lowest(&chat, theirs).ok_or("there is no text to edit")?;
                world.edits(user, message.id, text)
            }
            Act::Pays => world.pays(user, open_invoice(&chat).ok_or("there is no invoice to pay")?),
            Act::Blocks => world.blocks(user),
            Act::Unblocks => world.unblocks(user),
            Act::Speaks(language) => world.speaks(user, language.as_deref()),
        };
        done.map_err(|impossible: Impossible| impossible.to_string())
    }

    fn press(&self, chat: &ChatView, written: &str, times: u32) -> Result<(), String> {
        let found =
            chat.messages.iter().rev().find_map(|message| Some((message, label::find(&message.keyboard, written)?)));
        let Some((message, (row, column))) = found else {
            return Err(format!("there is no button [{written}]{}", label::advice(chat, written)));
        };
        for _ in 0..times {
            let pressed = self.sandbox.world.presses(chat.id, message.id, Which::At { row, column });
            pressed.map_err(|impossible| impossible.to_string())?;
        }
        Ok(())
    }
}

fn sent(thing: &Thing) -> world::Thing<'_> {
    match thing {
        Thing::Photo(caption) => world::Thing::Photo(caption),
        Thing::Sticker => world::Thing::Sticker,
        Thing::Voice => world::Thing::Voice,
        Thing::Location => world::Thing::Location,
    }
}

fn lowest(chat: &ChatView, is: impl Fn(&MessageView) -> bool) -> Option<&MessageView> {
    chat.messages.iter().rev().find(|message| is(message))
}

fn open_invoice(chat: &ChatView) -> Option<MessageId> {
    let open = |message: &MessageView| match &message.content {
        Content::Invoice(invoice) => matches!(invoice.payment, Payment::Open | Payment::Failed { .. }),
        _ => false,
    };
    lowest(chat, open).map(|message| message.id)
}

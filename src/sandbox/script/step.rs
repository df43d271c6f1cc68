//! Pure: no I/O, no clock. What a script says, line by line.

use crate::problem::{Position, Problem, Problems};
use crate::sandbox::faults::{ApiFault, DeliveryFault, Lasts};
use std::time::Duration;

/// A script, read and known to make sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// What its problems are told under: the file it is from.
    pub origin: String,
    /// What it says.
    pub lines: Vec<Line>,
}

/// A line that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which one, from 1.
    pub number: usize,
    /// Where it begins, from 1.
    pub column: usize,
    /// As it was written.
    pub text: String,
    /// What it says.
    pub step: Step,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is a user.
    User {
        /// By which lines speak of them.
        name: String,
        /// Their client's language, if it tells one.
        language: Option<String>,
        /// What Telegram calls them.
        first_name: String,
    },
    /// A user does something.
    Act {
        /// Who.
        who: String,
        /// What.
        act: Act,
    },
    /// So much time goes by.
    Wait(Duration),
    /// Something goes wrong from here on.
    Fault {
        /// What.
        fault: Fault,
        /// How often.
        lasts: Lasts,
    },
    /// Nothing goes wrong any more.
    NoFaults,
    /// Something has to be so.
    Expect {
        /// For whom.
        who: String,
        /// What.
        what: Expectation,
    },
}

/// What a user does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Writes to the bot.
    Says(String),
    /// Writes into the group.
    SaysInGroup(String),
    /// Presses a button.
    Presses {
        /// What it says.
        label: String,
        /// How often, without waiting in between.
        times: u32,
    },
    /// Sends a payload that a client can send, whatever the keyboard says.
    Forges(String),
    /// Sends something that is no text.
    Sends(Thing),
    /// Edits the last text they wrote.
    Edits(String),
    /// Confirms the payment of the last invoice.
    Pays,
    /// Blocks the bot.
    Blocks,
    /// Unblocks the bot.
    Unblocks,
    /// Has a client in another language from now on.
    Speaks(Option<String>),
}

/// Something that is no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A photo with a caption, which may be empty.
    Photo(String),
    /// A sticker.
    Sticker,
    /// A voice message.
    Voice,
    /// A place on the map.
    Location,
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// With a delivery.
    Delivery(DeliveryFault),
    /// With a call of the Bot API.
    Call(ApiFault),
    /// A chat gets 429.
    Flood {
        /// Whose.
        who: String,
        /// What the answer says.
        retry_after: Duration,
    },
}

/// What has to be so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The user sees it.
    Sees(Sight),
    /// The user does not.
    SeesNot(Sight),
    /// A toast or an alert with these words came.
    Gets(String),
    /// Nothing came and nothing changed.
    Nothing,
}

/// What can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Words in a message.
    Text(String),
    /// A button that says this.
    Button(String),
}

impl Script {
    /// Reads `text`.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with line and column in `origin`.
    pub fn parse(origin: &str, text: &str) -> Result<Self, Problems> {
        super::parse::script(origin, text)
    }

    /// A problem with `line`.
    pub(super) fn problem(&self, line: &Line, message: impl Into<String>) -> Problem {
        let mut problem = Problem::new(&self.origin, message);
        problem.position = Some(Position { line: line.number, column: line.column });
        problem
    }
}

//! Pure: no I/O, no clock. One move of the dialogue.

use super::{Condition, Flow};
use crate::flow::chat::{Arguments, Chat};

/// One move of the dialogue: if all it requires is there, it sets what it sets and shows a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// What has to be so; a cost and a generation require too what they need.
    pub requires: Requires,
    /// Variables and the values they take; the empty value takes a variable's value away.
    pub set: Vec<(String, String)>,
    /// The locale to speak from now on.
    pub locale: Option<String>,
    /// Whether the generation that the chat waits for is given up, if there is one.
    pub cancel: bool,
    /// Whether what was said is forgotten.
    pub forget: bool,
    /// Where to.
    pub motion: Motion,
    /// What somebody else is asked for.
    pub request: Option<Request>,
}

impl Step {
    /// Whether it gives a generation up and does nothing else.
    pub(in crate::flow) fn merely_cancels(&self) -> bool {
        *self == Self { cancel: true, requires: self.requires.clone(), ..Self::default() }
    }
}

/// Where a step leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// To the same screen anew.
    #[default]
    Stay,
    /// To the screen before.
    Back,
    /// To another screen.
    Go(Route),
}

/// Which screen a step goes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// Screens for chats of which something is so; the first that fits.
    pub cases: Vec<(Condition, String)>,
    /// The screen for all others.
    pub otherwise: String,
}

impl Route {
    /// The screen for `chat`.
    pub fn screen(&self, flow: &Flow, chat: &Chat) -> &str {
        let case = self.cases.iter().find(|(condition, _)| condition.holds(flow, chat));
        case.map_or(&self.otherwise, |(_, screen)| screen)
    }

    /// Every screen it may lead to.
    pub fn screens(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().map(|(_, screen)| screen.as_str()).chain([self.otherwise.as_str()])
    }
}

/// What a step requires.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requires {
    /// Variables that have to be chosen; else the `not_selected` screen.
    pub selected: Vec<String>,
    /// Whether no generation may be under way; else the `generation_busy` screen.
    pub idle: bool,
    /// The least balance; else the `insufficient_messages` screen.
    pub balance: i64,
}

/// What a step asks somebody else for. A button that asks carries the revision it was drawn with and works once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A text or an image, made by a worker. The chat is busy with it until then.
    Generate {
        /// Who does it.
        work: Work,
        /// What it takes from the balance.
        cost: i64,
        /// The screen that follows it; none: the one on which it was asked for.
        then: Option<String>,
    },
    /// The screen of this name, made by a worker. It costs nothing.
    Call(String, Work),
    /// The product of this name, sold by Telegram.
    Buy(String),
}

/// What a worker is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// Who does it. Chats with [`Priority`](super::Priority) are served first.
    pub lane: Lane,
    /// What the worker is told beside what is known of the chat.
    pub arguments: Arguments,
    /// Messages of `LOCALE.ftl` that it is told, plain, in the words of the chat: the argument and its message.
    pub texts: Vec<(String, String)>,
}

/// The lanes that a flow can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Writes.
    Text,
    /// Draws.
    Image,
    /// Does all else.
    Default,
}

impl Lane {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Text, Self::Image, Self::Default];

    /// Its name in a flow.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Default => "default",
        }
    }
}

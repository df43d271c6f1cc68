//! Pure: no I/O, no clock. A flow as its author wrote it, checked.

mod condition;
mod picture;
mod product;
mod step;

pub use condition::{Condition, Test};
pub use picture::{PHOTO_MAX_BYTES, Photo, Picture};
pub use product::{Priority, Product};
pub use step::{Lane, Motion, Request, Requires, Route, Step, Work};

use super::chat::{Chat, View};
use super::check;
use super::texts::Texts;
use crate::problem::Problems;
use crate::telegram::keyboard::InlineKeyboard;
use crate::telegram::text::{CAPTION_MAX_CHARS, TEXT_MAX_CHARS};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The files of a flow folder, by which it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The folder, as problems call it.
    pub name: String,
    /// `flow.toml`.
    pub definition: String,
    /// Each `LOCALE.ftl`: the locale and its texts.
    pub texts: Vec<(String, String)>,
    /// Its pictures.
    pub pictures: Vec<Arc<Picture>>,
}

/// A dialogue: screens, buttons, commands, texts.
///
/// Every name in it leads somewhere: [`Flow::parse`] is the only way to make one.
#[derive(Debug)]
pub struct Flow {
    pub(super) start: Screen,
    /// All screens but the start screen.
    pub(super) screens: BTreeMap<String, Screen>,
    pub(super) free_balance: i64,
    pub(super) memory: u32,
    pub(super) priority: Priority,
    pub(super) variables: BTreeMap<String, Variable>,
    pub(super) interrupts: Interrupts,
    pub(super) commands: BTreeMap<String, Command>,
    pub(super) links: BTreeMap<String, Step>,
    pub(super) products: BTreeMap<String, Product>,
    pub(super) texts: Texts,
}

/// What a chat shows: one message. Its text is the message of its name in `LOCALE.ftl`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Its name.
    pub name: String,
    /// The photo above its text.
    pub photo: Option<Photo>,
    /// Its buttons, row by row.
    pub keyboard: Vec<Vec<Button>>,
    /// What a text sent here does.
    pub text: Step,
    /// The variable that keeps such a text.
    pub keeps: Option<String>,
    /// The message that answers what is no text; without one the screen is shown anew.
    pub other: Option<String>,
}

/// A button of a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    /// Its name, unique on its screen.
    pub name: String,
    /// What it says: `MESSAGE` or `MESSAGE.ATTRIBUTE` of `LOCALE.ftl`.
    pub label: String,
    /// When it is there.
    pub when: Condition,
    /// What it does.
    pub action: Action,
}

/// What a button does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "nearly all of them are steps, and a flow has few")]
pub enum Action {
    /// Moves the dialogue.
    Step(Step),
    /// Opens a link: `https://`, `http://` or `tg://`.
    Url(String),
    /// Opens an `https://` web app.
    WebApp(String),
}

/// A variable of a chat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variable {
    /// What it may be; none: any short text.
    pub values: Vec<String>,
}

/// Most characters of a variable or screen argument that a user types. A chat's row is to stay small;
/// a deep link's parameter has at most 64.
pub const TYPED_VALUE_MAX_CHARS: usize = 64;

impl Variable {
    /// Whether it may be `value`.
    pub fn allows(&self, value: &str) -> bool {
        if self.values.is_empty() {
            !value.is_empty() && value.chars().count() <= TYPED_VALUE_MAX_CHARS
        } else {
            self.values.iter().any(|allowed| allowed == value)
        }
    }
}

/// The screen of each interrupt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interrupts {
    /// Where something has to be chosen first.
    pub not_selected: String,
    /// Where the balance is too low.
    pub insufficient_messages: String,
    /// Where a generation is under way.
    pub generation_busy: String,
}

/// A command. Its description is the message `command-NAME` of `LOCALE.ftl`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// What it does; it always goes to a screen.
    pub step: Step,
    /// The variable that takes what follows it.
    pub argument: Option<String>,
    /// The screen where it leads if nothing follows it, and then it does nothing else.
    pub empty: Option<String>,
}

/// How many turns of a dialogue are remembered if the flow does not say.
pub const MEMORY_DEFAULT: u32 = 20;

/// Most turns that a flow may have remembered.
pub const MEMORY_MAX: u32 = 200;

/// A screen as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Which screen it is: the desired one, or the start screen in its stead.
    pub view: View,
    /// HTML in Telegram's subset; the caption of its photo, if it has one.
    pub text: String,
    /// The photo above the text.
    pub photo: Option<Photo>,
    /// Its buttons; none: no keyboard.
    pub keyboard: Option<InlineKeyboard>,
}

impl Flow {
    /// Reads and checks a flow.
    ///
    /// A flow is a folder: `flow.toml` says what leads where, one `LOCALE.ftl` per locale says it in words.
    /// The README is the reference of the language.
    ///
    /// ```toml
    /// start = "welcome"                  # the first screen
    /// locales = ["en", "ru"]             # the first one stands in for the others
    ///
    /// [commands.start]                   # its description: message `command-start`
    /// go = "welcome"
    ///
    /// [screens.welcome]                  # its text: message `welcome`; a button's: its attribute, `welcome.site`
    /// keyboard = [[{ name = "site", url = "https://example.com/" }, { name = "russian", locale = "ru" }]]
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(sources: &Sources) -> Result<Self, Problems> {
        check::flow(sources)
    }

    /// The name of the start screen.
    pub fn start(&self) -> &str {
        &self.start.name
    }

    /// The screen of that name.
    pub fn screen(&self, name: &str) -> Option<&Screen> {
        if name == self.start.name { Some(&self.start) } else { self.screens.get(name) }
    }

    /// All screens, the start screen first.
    pub fn screens(&self) -> impl Iterator<Item = &Screen> {
        std::iter::once(&self.start).chain(self.screens.values())
    }

    /// The screens of the interrupts.
    pub const fn interrupts(&self) -> &Interrupts {
        &self.interrupts
    }

    /// The variable of that name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name)
    }

    /// The command of that name.
    pub fn command(&self, name: &str) -> Option<&Command> {
        self.commands.get(name)
    }

    /// What `/start ARGUMENT` does for this argument: a deep link.
    pub fn link(&self, argument: &str) -> Option<&Step> {
        self.links.get(argument)
    }

    /// The product of that name.
    pub fn product(&self, name: &str) -> Option<&Product> {
        self.products.get(name)
    }

    /// All products, by name.
    pub fn products(&self) -> impl Iterator<Item = (&str, &Product)> {
        self.products.iter().map(|(name, product)| (name.as_str(), product))
    }

    /// Whether `chat` has a value of `variable` that the flow (still) allows.
    pub(super) fn has_chosen(&self, chat: &Chat, variable: &str) -> bool {
        let known = self.variables.get(variable);
        chat.vars.get(variable).is_some_and(|value| known.is_some_and(|known| known.allows(value)))
    }

    /// Every step there is.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        let commands = self.commands.values().map(|command| &command.step);
        commands.chain(self.links.values()).chain(self.screens().flat_map(Screen::steps))
    }

    /// What a new chat may ask for without paying.
    pub const fn free_balance(&self) -> i64 {
        self.free_balance
    }

    /// How many turns of a dialogue workers are told.
    pub const fn memory(&self) -> u32 {
        self.memory
    }

    /// Whose orders go before others.
    pub const fn priority(&self) -> Priority {
        self.priority
    }

    /// The locales it speaks, the first of them the one that stands in for the others.
    pub fn locales(&self) -> impl Iterator<Item = &str> {
        self.texts.locales()
    }

    /// The locale nearest to the IETF tag `language`; without one, the first.
    pub fn locale(&self, language: Option<&str>) -> &str {
        self.texts.nearest(language)
    }
}

impl Screen {
    /// How long its text may be, if it is the flow's.
    pub const fn text_max_chars(&self) -> usize {
        if self.photo.is_some() { CAPTION_MAX_CHARS } else { TEXT_MAX_CHARS }
    }

    /// The button of that name.
    pub fn button(&self, name: &str) -> Option<&Button> {
        self.keyboard.iter().flatten().find(|button| button.name == name)
    }

    /// Every step that can be taken on it.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        let buttons = self.keyboard.iter().flatten().filter_map(|button| match &button.action {
            Action::Step(step) => Some(step),
            Action::Url(_) | Action::WebApp(_) => None,
        });
        buttons.chain(std::iter::once(&self.text))
    }
}

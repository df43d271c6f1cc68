//! Pure: no I/O, no clock. A flow as its author wrote it, checked.

use super::chat::View;
use super::check;
use super::texts::Texts;
use crate::problem::Problems;
use crate::telegram::keyboard::InlineKeyboard;
use std::collections::BTreeMap;

/// The texts of a flow folder, by which it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// The folder, as problems call it.
    pub name: String,
    /// `flow.toml`.
    pub definition: String,
    /// Each `LOCALE.ftl`: the locale and its texts.
    pub texts: Vec<(String, String)>,
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
    pub(super) variables: BTreeMap<String, Variable>,
    pub(super) interrupts: Interrupts,
    pub(super) commands: BTreeMap<String, Command>,
    pub(super) texts: Texts,
}

/// What a chat shows: one message. Its text is the message of its name in `LOCALE.ftl`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Its name.
    pub name: String,
    /// Its buttons, row by row.
    pub keyboard: Vec<Vec<Button>>,
    /// What a text sent here does.
    pub text: Step,
}

/// A button of a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    /// Its name, unique on its screen.
    pub name: String,
    /// What it says: `MESSAGE` or `MESSAGE.ATTRIBUTE` of `LOCALE.ftl`.
    pub label: String,
    /// What it does.
    pub action: Action,
}

/// What a button does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Moves the dialogue.
    Step(Step),
    /// Opens an `https://` link.
    Url(String),
    /// Opens an `https://` web app.
    WebApp(String),
}

/// One move of the dialogue: if all it requires is there, it sets what it sets and shows a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// What has to be so.
    pub requires: Requires,
    /// Variables and the values they take.
    pub set: Vec<(String, String)>,
    /// The locale to speak from now on.
    pub locale: Option<String>,
    /// Where to.
    pub motion: Motion,
}

/// Where a step leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// To the same screen anew.
    #[default]
    Stay,
    /// To the screen before.
    Back,
    /// To this screen.
    Go(String),
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
}

/// A screen as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Which screen it is: the desired one, or the start screen in its stead.
    pub view: View,
    /// HTML in Telegram's subset.
    pub text: String,
    /// Its buttons; none: no keyboard.
    pub keyboard: Option<InlineKeyboard>,
}

impl Flow {
    /// Reads and checks a flow.
    ///
    /// A flow is a folder: `flow.toml` says what leads where, one `LOCALE.ftl` per locale says it in words.
    ///
    /// ```toml
    /// start = "welcome"                  # the first screen
    /// locales = ["en", "ru"]             # the first one stands in for the others
    /// free_balance = 10                  # messages that a new chat has
    ///
    /// [variables.character]              # what is remembered of a chat; without `values` any short text
    /// values = ["luna", "max"]
    ///
    /// [interrupts]                       # where a step leads whose `requires` are not met
    /// not_selected = "characters"
    /// insufficient_messages = "shop"
    /// generation_busy = "busy"
    ///
    /// [commands.start]                   # its description: message `command-start`
    /// go = "welcome"
    /// argument = "referrer"              # a variable for what follows it; else `/start` keeps a link's as `$start`
    ///
    /// [screens.welcome]                  # its text: message `welcome`; a button's: its attribute, `welcome.talk`
    /// keyboard = [
    ///   [{ name = "talk", go = "talk", requires = { selected = ["character"], balance = 1, idle = true } }],
    ///   [{ name = "luna", set = { character = "luna" }, back = true }, { name = "russian", locale = "ru" }],
    ///   [{ name = "site", url = "https://example.com/", label = "site-label" }],
    /// ]
    ///
    /// [screens.talk.text]                # what a text sent here does; nothing: the screen is shown anew
    /// go = "talk"
    /// ```
    ///
    /// A step (button, command, text) may have `requires`, `set`, `locale` and one of `go` and `back = true`.
    /// Texts may use every variable of the flow, `$balance`, `$locale`, `$busy` and `$start`;
    /// the messages `error`, `notice-suspended`, `notice-unknown-command` and `notice-old-button` have to be there.
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

    /// What a new chat may ask for without paying.
    pub const fn free_balance(&self) -> i64 {
        self.free_balance
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

//! Pure: no I/O, no clock. From what a chat is to show to what is sent.

use super::callback::Callback;
use super::chat::{Chat, View};
use super::definition::{Action, Button, Flow, Rendered, Screen};
use crate::telegram::keyboard::{ButtonAction, InlineButton, InlineKeyboard, WebApp};
use crate::telegram::markup::{Formatted, clean};
use crate::telegram::text::{MARKED_MAX_BYTES, TEXT_MAX_CHARS, escape, plain, shorten};
use fluent_bundle::{FluentArgs, FluentValue};
use std::borrow::Cow;

/// What texts may use beside the flow's own variables; no variable may have one of these names.
pub(super) const RESERVED: [&str; 4] = ["balance", "busy", "locale", "start"];

/// Stands where a text would be empty, which Telegram refuses.
const NOTHING: &str = "…";

/// A text that is not a screen's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The user is suspended.
    Suspended,
    /// There is no such command.
    UnknownCommand,
    /// The button that was pressed is no longer there.
    OldButton,
    /// What was asked for cannot be had yet.
    Unavailable,
    /// An update could not be handled.
    Error,
}

impl Notice {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Suspended, Self::UnknownCommand, Self::OldButton, Self::Unavailable, Self::Error];

    /// Its message in `LOCALE.ftl`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Suspended => "notice-suspended",
            Self::UnknownCommand => "notice-unknown-command",
            Self::OldButton => "notice-old-button",
            Self::Unavailable => "notice-unavailable",
            Self::Error => "error",
        }
    }
}

/// What a text is put into: HTML, where values are escaped, or plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Html,
    Plain,
}

impl Flow {
    /// What `chat` is to show (the start screen where it desires nothing or a screen that is gone).
    /// Its text is never empty and never longer than Telegram takes.
    pub fn render(&self, chat: &Chat) -> Rendered {
        let wanted = chat.desired.as_ref().and_then(|desired| self.screen(&desired.view.top.screen));
        let screen = wanted.unwrap_or(&self.start);
        let locale = self.spoken(chat);
        let text = self.texts.format(locale, &screen.name, &self.arguments(chat, Form::Html));
        let labels = self.arguments(chat, Form::Plain);
        let keyboard = screen.keyboard.iter().map(|row| {
            let there = row.iter().filter(|button| button.when.holds(self, chat));
            there.map(|button| self.button(chat, screen, button, locale, &labels)).collect::<Vec<_>>()
        });
        let inline_keyboard: Vec<_> = keyboard.filter(|row| !row.is_empty()).collect();
        let view = wanted.and(chat.desired.as_ref()).map_or_else(|| View::start(self), |desired| desired.view.clone());
        Rendered {
            view,
            text: sendable(text.unwrap_or_default(), screen.text_max_chars()),
            photo: screen.photo.clone(),
            keyboard: (!inline_keyboard.is_empty()).then_some(InlineKeyboard { inline_keyboard }),
        }
    }

    /// The text with which a dead update is answered, HTML, in the locale nearest to `language`.
    pub fn error_text(&self, language: Option<&str>) -> String {
        let locale = self.locale(language).to_owned();
        self.notice(&Chat { locale: Some(locale), ..Chat::default() }, Notice::Error)
    }

    /// A notice to `chat`, HTML.
    pub fn notice(&self, chat: &Chat, notice: Notice) -> String {
        self.message(chat, notice.id())
    }

    /// A message of `LOCALE.ftl` to `chat`, HTML.
    pub(super) fn message(&self, chat: &Chat, id: &str) -> String {
        let text = self.texts.format(self.spoken(chat), id, &self.arguments(chat, Form::Html));
        sendable(text.unwrap_or_default(), TEXT_MAX_CHARS)
    }

    /// The commands with their descriptions in `locale`, by name, as `setMyCommands` takes them.
    pub fn commands(&self, locale: &str) -> Vec<(&str, String)> {
        let nobody = Chat::default();
        let arguments = self.arguments(&nobody, Form::Plain);
        let describe = |name: &str| self.texts.format(locale, &format!("command-{name}"), &arguments);
        self.commands.keys().map(|name| (name.as_str(), describe(name).unwrap_or_else(|| name.clone()))).collect()
    }

    fn button(
        &self,
        chat: &Chat,
        screen: &Screen,
        button: &Button,
        locale: &str,
        arguments: &FluentArgs<'_>,
    ) -> InlineButton {
        let text = self.texts.format(locale, &button.label, arguments).unwrap_or_else(|| NOTHING.to_owned());
        let action = match &button.action {
            Action::Step(step) => {
                let current = chat.desired.as_ref().map(|desired| desired.revision);
                let revision = step.request.as_ref().and(current);
                let callback = Callback { screen: &screen.name, button: &button.name, revision };
                ButtonAction::CallbackData(callback.to_string())
            }
            Action::Url(url) => ButtonAction::Url(url.clone()),
            Action::WebApp(url) => ButtonAction::WebApp(WebApp { url: url.clone() }),
        };
        InlineButton { text, action }
    }

    /// The locale that `chat` is spoken to in.
    pub(super) fn spoken(&self, chat: &Chat) -> &str {
        self.locale(chat.locale.as_deref())
    }

    /// What texts may use: every variable, what the screen was opened with, and the [`RESERVED`] words.
    /// What is not set is the empty text. Numbers stay numbers, so that plurals work.
    pub(super) fn arguments<'c>(&'c self, chat: &'c Chat, form: Form) -> FluentArgs<'c> {
        let mut arguments = FluentArgs::new();
        let mut set = |name: &'c str, value: &'c str| {
            let value = match form {
                Form::Html => Cow::Owned(escape(value)),
                Form::Plain => Cow::Borrowed(value),
            };
            arguments.set(name, FluentValue::String(value));
        };
        set("start", "");
        for name in self.variables.keys() {
            set(name, chat.vars.get(name).map_or("", String::as_str));
        }
        for (name, value) in chat.desired.iter().flat_map(|desired| &desired.view.top.arguments) {
            set(name, value);
        }
        set("locale", self.spoken(chat));
        set("busy", if chat.busy.is_some() { "yes" } else { "no" });
        arguments.set("balance", FluentValue::from(chat.balance));
        arguments
    }
}

/// `html` as Telegram takes it: cut to plain text where it is too long, never without a visible letter.
fn sendable(html: String, max_chars: usize) -> String {
    let seen = plain(&html);
    if clean(&Formatted::plain(&seen)).text.is_empty() {
        NOTHING.to_owned()
    } else if seen.chars().count() > max_chars || html.len() > MARKED_MAX_BYTES {
        escape(&shorten(&seen, max_chars))
    } else {
        html
    }
}

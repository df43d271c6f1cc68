//! Pure: no I/O, no clock. From what a chat is to show to what is sent.

use super::callback::Callback;
use super::chat::{Chat, View, Waiting};
use super::definition::{Action, Button, Flow, Rendered, Screen};
use super::output::{self, Face, OfferedAction};
use super::screen::SHOW;
use crate::telegram::keyboard::{ButtonAction, InlineButton, InlineKeyboard, WebApp};
use crate::telegram::markup::{Formatted, clean};
use crate::telegram::text::{CAPTION_MAX_CHARS, MARKED_MAX_BYTES, TEXT_MAX_CHARS, escape, plain, shorten};
use fluent_bundle::{FluentArgs, FluentValue};
use std::borrow::Cow;

/// What texts may use beside the flow's own variables; no variable may have one of these names.
pub(super) const RESERVED: [&str; 8] = ["balance", "busy", "call", "locale", "place", "premium", "progress", "start"];

/// Most characters that a text shows of a generation's progress: the last ones.
pub(super) const PROGRESS_MAX_CHARS: usize = 3000;

/// Stands where a text would be empty, which Telegram refuses.
pub(super) const NOTHING: &str = "…";

/// A text that is not a screen's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The user is suspended.
    Suspended,
    /// There is no such command.
    UnknownCommand,
    /// The button that was pressed is no longer there.
    OldButton,
    /// What was asked for was not made, and what it cost is given back.
    Failed,
    /// What is about to be paid for is not sold, or not for that price.
    NotSold,
    /// What was paid for is not known.
    Unassigned,
    /// An update could not be handled.
    Error,
}

impl Notice {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Suspended,
        Self::UnknownCommand,
        Self::OldButton,
        Self::Failed,
        Self::NotSold,
        Self::Unassigned,
        Self::Error,
    ];

    /// Its message in `LOCALE.ftl`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Suspended => "notice-suspended",
            Self::UnknownCommand => "notice-unknown-command",
            Self::OldButton => "notice-old-button",
            Self::Failed => "notice-failed",
            Self::NotSold => "notice-not-sold",
            Self::Unassigned => "notice-payment-unassigned",
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
    /// What `chat` is to show (the start screen where it desires nothing or a screen that is gone), and how its
    /// generation stands. Its text is never empty and never longer than Telegram takes.
    pub fn render(&self, chat: &Chat, waiting: &Waiting) -> Rendered {
        let wanted = chat.desired.as_ref().and_then(|desired| self.screen(&desired.view.top.screen));
        let screen = wanted.unwrap_or(&self.start);
        let face = wanted.and(chat.desired.as_ref()).and_then(|desired| desired.view.top.face());
        let locale = self.spoken(chat);
        let labels = self.arguments(chat, waiting, Form::Plain);
        let (text, photo) = match &face {
            Some(face) => (Some(face.words.html().into_owned()), face.photo()),
            None => {
                let arguments = self.arguments(chat, waiting, Form::Html);
                (self.texts.format(locale, &screen.name, &arguments), screen.photo.clone())
            }
        };
        let text_max_chars = if photo.is_some() { CAPTION_MAX_CHARS } else { TEXT_MAX_CHARS };
        let keyboard = screen.keyboard.iter().map(|row| {
            let there = row.iter().filter(|button| button.when.holds(self, chat));
            there.map(|button| self.button(chat, screen, button, locale, &labels)).collect::<Vec<_>>()
        });
        let offered = face.iter().flat_map(|face| self.offered(&screen.name, chat, face));
        let inline_keyboard: Vec<_> = offered.chain(keyboard).filter(|row| !row.is_empty()).collect();
        let view = wanted.and(chat.desired.as_ref()).map_or_else(|| View::start(self), |desired| desired.view.clone());
        Rendered {
            view,
            text: sendable(text.unwrap_or_default(), text_max_chars),
            photo,
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
        let text = self.texts.format(self.spoken(chat), id, &self.arguments(chat, &Waiting::default(), Form::Html));
        sendable(text.unwrap_or_default(), TEXT_MAX_CHARS)
    }

    /// A message of `LOCALE.ftl` to `chat`, plain, for what takes no markup.
    pub(super) fn label(&self, chat: &Chat, id: &str) -> String {
        let waiting = Waiting::default();
        let arguments = self.arguments(chat, &waiting, Form::Plain);
        self.texts.format(self.spoken(chat), id, &arguments).unwrap_or_else(|| NOTHING.to_owned())
    }

    /// The buttons that a worker put on `screen`. What leads to a screen that is gone is not there.
    fn offered(&self, screen: &str, chat: &Chat, face: &Face) -> Vec<Vec<InlineButton>> {
        let revision = chat.desired.as_ref().map(|desired| desired.revision);
        output::rows(&face.buttons, |number, action| match action {
            OfferedAction::Screen(name) if self.screen(name).is_none() => None,
            OfferedAction::Screen(_) | OfferedAction::Call(_) => {
                let callback = Callback { screen, button: &number.to_string(), revision };
                Some(ButtonAction::CallbackData(callback.to_string()))
            }
            OfferedAction::Url(_) => None,
        })
    }

    /// The commands with their descriptions in `locale`, by name, as `setMyCommands` takes them.
    pub fn commands(&self, locale: &str) -> Vec<(&str, String)> {
        let (nobody, waiting) = (Chat::default(), Waiting::default());
        let arguments = self.arguments(&nobody, &waiting, Form::Plain);
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
    pub(super) fn arguments<'c>(&'c self, chat: &'c Chat, waiting: &'c Waiting, form: Form) -> FluentArgs<'c> {
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
        let opened = chat.desired.iter().flat_map(|desired| &desired.view.top.arguments);
        for (name, value) in opened.filter(|(name, _)| *name != SHOW) {
            set(name, value);
        }
        set("call", chat.desired.as_ref().map_or("", |desired| desired.view.top.call_stands()));
        set("locale", self.spoken(chat));
        set("busy", if chat.busy.is_some() { "yes" } else { "no" });
        set("premium", if chat.premium_until.is_some() { "yes" } else { "no" });
        set("progress", tail(&waiting.progress, PROGRESS_MAX_CHARS));
        arguments.set("place", FluentValue::from(waiting.place));
        arguments.set("balance", FluentValue::from(chat.balance));
        arguments
    }
}

/// The last `max_chars` of `text`.
fn tail(text: &str, max_chars: usize) -> &str {
    let surplus = text.chars().count().saturating_sub(max_chars);
    text.char_indices().nth(surplus).and_then(|(place, _)| text.get(place..)).unwrap_or_default()
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

//! Pure: no I/O, no clock. A flow as its author wrote it, checked.

use super::chat::Chat;
use crate::problem::Problems;
use crate::telegram::keyboard::InlineKeyboard;

/// The texts of a flow folder, by which it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// The folder's name.
    pub name: String,
    /// `flow.toml`.
    pub definition: String,
    /// Each `LOCALE.ftl`: the locale and its texts.
    pub texts: Vec<(String, String)>,
}

/// A dialogue: screens, buttons, commands, texts.
#[derive(Debug)]
pub struct Flow {}

/// A screen as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// HTML in Telegram's subset.
    pub text: String,
    /// Its buttons; none: no keyboard.
    pub keyboard: Option<InlineKeyboard>,
}

impl Flow {
    /// Reads and checks a flow.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(sources: &Sources) -> Result<Self, Problems> {
        let _ = sources;
        todo!()
    }

    /// What `chat` is to show (the start screen where it desires nothing or a screen that is gone).
    pub fn render(&self, chat: &Chat) -> Rendered {
        let _ = chat;
        todo!()
    }

    /// The text with which a dead update is answered, in the locale nearest to `language`.
    pub fn error_text(&self, language: Option<&str>) -> String {
        let _ = language;
        todo!()
    }
}

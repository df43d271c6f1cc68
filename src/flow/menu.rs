//! Pure: no I/O, no clock. A dialogue's commands as Telegram's menus, one a language.

use super::Dialogue;
use crate::telegram::menu::{BotCommand, Scope, SetMyCommands};

impl dyn Dialogue {
    /// The menus: that of the first locale for everybody, then each locale's for those who speak it. Telegram tells
    /// languages by two letters, so of several locales of one language the first one counts.
    pub fn menus(&self) -> Vec<SetMyCommands> {
        let locales = self.locales();
        let mut menus: Vec<_> = locales.first().map(|first| self.menu(first, None)).into_iter().collect();
        for locale in locales {
            let language = locale.split('-').next().unwrap_or_default().to_ascii_lowercase();
            let known = menus.iter().any(|menu| menu.language_code.as_ref() == Some(&language));
            if language.len() == 2 && !known {
                menus.push(self.menu(locale, Some(language)));
            }
        }
        menus
    }

    fn menu(&self, locale: &str, language_code: Option<String>) -> SetMyCommands {
        let line = |(command, description): (&str, String)| BotCommand { command: command.to_owned(), description };
        let commands = self.commands(locale).into_iter().map(line).collect();
        SetMyCommands { commands, scope: Scope::AllPrivateChats, language_code }
    }
}

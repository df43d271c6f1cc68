//! The commands menu and the button beside the message field.
//! Source of the order in which menus are tried: Bot API, `BotCommandScope`.

use super::World;
use super::chat::Place;
use super::refused::Refused;
use super::view::{Command, Menu};
use crate::telegram::id::ChatId;
use std::collections::BTreeMap;

/// For whom a list of commands is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sandbox) enum Scope {
    Default,
    AllPrivateChats,
    AllGroupChats,
    AllChatAdministrators,
    Chat(ChatId),
    ChatAdministrators(ChatId),
    ChatMember(ChatId, ChatId),
}

#[derive(Debug, Default)]
pub(super) struct Menus {
    commands: BTreeMap<(Scope, String), Vec<Command>>,
    button: Menu,
}

impl Menus {
    /// The commands that are shown in `chat` to somebody who speaks `language`: the first list there is.
    pub(super) fn shown(&self, chat: ChatId, place: &Place, language: Option<&str>) -> Vec<Command> {
        let wide = match place {
            Place::Private => Scope::AllPrivateChats,
            Place::Group { .. } => Scope::AllGroupChats,
        };
        // A client that speaks en-GB looks for en.
        let language = language.and_then(|tag| tag.split('-').next()).unwrap_or_default();
        [Scope::Chat(chat), wide, Scope::Default]
            .into_iter()
            .flat_map(|scope| [language, ""].map(|language| (scope, language.to_owned())))
            .find_map(|key| self.commands.get(&key))
            .cloned()
            .unwrap_or_default()
    }

    pub(super) fn button(&self) -> &Menu {
        &self.button
    }
}

impl World {
    /// Sets the commands of a scope and a language (empty: any); none takes them away.
    pub(in crate::sandbox) fn set_commands(&self, scope: Scope, language: &str, commands: Vec<Command>) {
        let mut turn = self.turn();
        let key = (scope, language.to_owned());
        if commands.is_empty() {
            turn.menus.commands.remove(&key);
        } else {
            turn.menus.commands.insert(key, commands);
        }
        turn.touch_all();
    }

    /// The commands of exactly that scope and language.
    pub(in crate::sandbox) fn commands(&self, scope: Scope, language: &str) -> Vec<Command> {
        self.turn().menus.commands.get(&(scope, language.to_owned())).cloned().unwrap_or_default()
    }

    /// Sets the menu button of one private chat (`None`: back to the default), or the default.
    pub(in crate::sandbox) fn set_menu(&self, chat: Option<ChatId>, menu: Option<Menu>) -> Result<(), Refused> {
        let mut turn = self.turn();
        match chat {
            Some(chat) => turn.chats.get_mut(&chat).ok_or(Refused::UserNotFound)?.menu = menu,
            None => turn.menus.button = menu.unwrap_or_default(),
        }
        turn.touch_all();
        Ok(())
    }

    /// The menu button of a private chat, or the default.
    pub(in crate::sandbox) fn menu(&self, chat: Option<ChatId>) -> Result<Menu, Refused> {
        let turn = self.turn();
        let own = match chat {
            Some(chat) => turn.chats.get(&chat).ok_or(Refused::UserNotFound)?.menu.clone(),
            None => None,
        };
        Ok(own.unwrap_or_else(|| turn.menus.button.clone()))
    }
}

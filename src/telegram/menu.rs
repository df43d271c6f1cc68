//! Pure: no I/O, no clock. The menu of commands that Telegram shows beside the text field.

use serde::Serialize;

/// `setMyCommands`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetMyCommands {
    /// The commands, in the order of the menu.
    pub commands: Vec<BotCommand>,
    /// Who sees them.
    pub scope: Scope,
    /// Whose Telegram speaks this language, two letters; none: everybody for whose language there is no list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language_code: Option<String>,
}

/// One line of the menu.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BotCommand {
    /// Without the slash.
    pub command: String,
    /// What it does.
    pub description: String,
}

/// Who sees a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Scope {
    /// Everybody, in their private chat with the bot; nobody in groups, where a bot of ours does nothing.
    AllPrivateChats,
}

//! setMyCommands, getMyCommands, deleteMyCommands.
//! Source: tdlib/telegram-bot-api `Client.cpp` (`get_bot_commands`, `get_bot_command_scope`); tdlib/td `BotCommand.cpp`.

use super::{Context, Outcome};
use crate::sandbox::api::outcome::{Done, Failure};
use crate::sandbox::fields::{Fields, Wanted};
use crate::sandbox::world::{Command, Scope};
use crate::telegram::id::ChatId;
use serde_json::Value;

/// Most commands of one list, longest command and description, in characters (Bot API, setMyCommands, BotCommand).
const COMMANDS_MAX: usize = 100;
const COMMAND_MAX_CHARS: usize = 32;
const DESCRIPTION_MAX_CHARS: usize = 256;

pub(super) fn set(context: Context<'_>) -> Outcome {
    let commands = read(context)?;
    let scope = scope(context)?;
    let language = language(context)?;
    let commands = commands.into_iter().map(judge).collect::<Result<Vec<_>, _>>()?;
    if commands.len() > COMMANDS_MAX {
        return Err(Failure::bad("BOT_COMMANDS_TOO_MUCH"));
    }
    context.bot.world.set_commands(scope, language, commands);
    Ok(Done::yes())
}

pub(super) fn get(context: Context<'_>) -> Outcome {
    Ok(Done::object(&context.bot.world.commands(scope(context)?, language(context)?)))
}

pub(super) fn delete(context: Context<'_>) -> Outcome {
    context.bot.world.set_commands(scope(context)?, language(context)?, Vec::new());
    Ok(Done::yes())
}

fn read(context: Context<'_>) -> Result<Vec<Command>, Failure> {
    let list = match context.arguments.json("commands", "commands")? {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(Failure::bad("Expected an Array of BotCommand")),
    };
    let command = |value: &Value| {
        let Value::Object(object) = value else { return Err("expected an Object".to_owned()) };
        let fields = Fields(object);
        let command = fields.text("command", Wanted::Required)?;
        Ok(Command { command, description: fields.text("description", Wanted::Required)? })
    };
    let command = |value| command(value).map_err(|why| Failure::bad(&format!("Can't parse BotCommand: {why}")));
    list.iter().map(command).collect()
}

fn judge(command: Command) -> Result<Command, Failure> {
    let name = command.command.trim();
    let name = name.strip_prefix('/').unwrap_or(name);
    let description = command.description.trim();
    let why = if name.is_empty() {
        "Command can't be empty"
    } else if name.chars().count() > COMMAND_MAX_CHARS {
        "Command length can't exceed 32"
    } else if description.is_empty() {
        "Command description can't be empty"
    } else if description.chars().count() > DESCRIPTION_MAX_CHARS {
        "Command description length can't exceed 256"
    } else if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_') {
        "BOT_COMMAND_INVALID"
    } else {
        return Ok(Command { command: name.to_owned(), description: description.to_owned() });
    };
    Err(Failure::bad(why))
}

fn language(context: Context<'_>) -> Result<&str, Failure> {
    let language = context.arguments.text("language_code");
    let valid = language.is_empty() || language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase());
    if valid { Ok(language) } else { Err(Failure::bad("Invalid language code specified")) }
}

fn scope(context: Context<'_>) -> Result<Scope, Failure> {
    let unreadable = |why: &str| Failure::bad(&format!("Can't parse BotCommandScope: {why}"));
    let object = match context.arguments.json("scope", "BotCommandScope")? {
        None => return Ok(Scope::Default),
        Some(Value::Object(object)) => object,
        Some(_) => return Err(unreadable("BotCommandScope must be an Object")),
    };
    let fields = Fields(&object);
    let id = |name: &str| fields.integer(name).map(ChatId).map_err(|why| unreadable(&why));
    let scope = match fields.text("type", Wanted::Required).map_err(|why| unreadable(&why))?.as_str() {
        "default" => Scope::Default,
        "all_private_chats" => Scope::AllPrivateChats,
        "all_group_chats" => Scope::AllGroupChats,
        "all_chat_administrators" => Scope::AllChatAdministrators,
        "chat" => Scope::Chat(id("chat_id")?),
        "chat_administrators" => Scope::ChatAdministrators(id("chat_id")?),
        "chat_member" => Scope::ChatMember(id("chat_id")?, id("user_id")?),
        _ => return Err(unreadable("Unsupported type specified")),
    };
    match scope {
        Scope::Chat(chat) | Scope::ChatAdministrators(chat) | Scope::ChatMember(chat, _) => {
            context.bot.world.knows(chat)?;
        }
        Scope::Default | Scope::AllPrivateChats | Scope::AllGroupChats | Scope::AllChatAdministrators => {}
    }
    Ok(scope)
}

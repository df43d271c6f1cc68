//! Pure: no I/O, no clock. Keyboards that a call brings: first read, as the Bot API server does, then judged, as Telegram's
//! side does. Source: tdlib/telegram-bot-api `Client.cpp` (`get_reply_markup`, `get_inline_keyboard_button`); tdlib/td
//! `ReplyMarkup.cpp`.

use super::arguments::Arguments;
use super::outcome::Failure;
use crate::sandbox::fields::{Fields, Wanted};
use crate::sandbox::world::{Does, Key, Keyboard, Markup};
use crate::telegram::keyboard::CALLBACK_DATA_MAX_BYTES;
use crate::telegram::link;
use serde_json::Value;

/// Most buttons under a message.
const KEYS_MAX: usize = 100;
/// Longest text that a button copies, in characters (Bot API, CopyTextButton).
const COPY_MAX_CHARS: usize = 256;

/// Under what a keyboard is to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Under {
    /// A message that is sent.
    Message,
    /// A message that is edited: only buttons can stand there.
    Edited,
    /// An invoice.
    Invoice,
}

/// Reads `reply_markup`.
pub(super) fn read(arguments: &Arguments<'_>) -> Result<Markup, Failure> {
    match arguments.json("reply_markup", "reply keyboard markup")? {
        None => Ok(Markup::None),
        Some(Value::Object(object)) => Ok(markup(Fields(&object))?),
        Some(_) => Err(Failure::bad("Object expected as reply markup")),
    }
}

fn markup(fields: Fields<'_>) -> Result<Markup, String> {
    let mut letters = false;
    for row in fields.array("keyboard")? {
        let Value::Array(row) = row else { return Err("Field \"keyboard\" must be an Array of Arrays".to_owned()) };
        for key in row {
            letter_key(key).map_err(|why| format!("Can't parse keyboard button: {why}"))?;
        }
        letters = true;
    }
    let mut rows = Vec::new();
    for row in fields.array("inline_keyboard")? {
        let Value::Array(row) = row else {
            return Err("Field \"inline_keyboard\" of the InlineKeyboardMarkup must be an Array of Arrays".to_owned());
        };
        let keys =
            row.iter().map(|value| key(value).map_err(|why| format!("Can't parse inline keyboard button: {why}")));
        rows.push(keys.collect::<Result<Vec<_>, _>>()?);
    }
    let (hide, remove) = (fields.flag("hide_keyboard")?, fields.flag("remove_keyboard")?);
    fields.flag("personal_keyboard")?;
    fields.flag("selective")?;
    let (old_force, force) = (fields.flag("force_reply_keyboard")?, fields.flag("force_reply")?);
    fields.text("input_field_placeholder", Wanted::Optional)?;
    if letters {
        for name in ["resize_keyboard", "one_time_keyboard", "is_persistent"] {
            fields.flag(name)?;
        }
        return Ok(Markup::Reply);
    }
    if !rows.is_empty() {
        return Ok(Markup::Inline(Keyboard(rows)));
    }
    Ok(if hide || remove || force || old_force { Markup::Reply } else { Markup::None })
}

/// A key of the keyboard in place of letters, of which only the form is looked at.
fn letter_key(value: &Value) -> Result<(), String> {
    let object = match value {
        Value::String(_) => return Ok(()),
        Value::Object(object) => Fields(object),
        _ => return Err("KeyboardButton must be a String or an Object".to_owned()),
    };
    object.text("text", Wanted::Required)?;
    for name in ["request_phone_number", "request_contact", "request_location"] {
        object.flag(name)?;
    }
    Ok(())
}

fn key(value: &Value) -> Result<Key, String> {
    let Value::Object(object) = value else { return Err("InlineKeyboardButton must be an Object".to_owned()) };
    let fields = Fields(object);
    let text = fields.text("text", Wanted::Required)?;
    Ok(Key { text, does: does(&fields)? })
}

/// What the button does: of several fields the first in this order counts.
fn does(fields: &Fields<'_>) -> Result<Does, String> {
    let url = fields.text("url", Wanted::Optional)?;
    if !url.is_empty() {
        return Ok(Does::Url(url));
    }
    let data = fields.text("callback_data", Wanted::Optional)?;
    if !data.is_empty() {
        return Ok(Does::Callback(data));
    }
    let other = |field: &'static str| fields.0.get(field).map(|value| Does::Other(field, value.clone()));
    if let Some(game) = other("callback_game") {
        return Ok(game);
    }
    if fields.0.contains_key("pay") {
        return Ok(Does::Pay);
    }
    for field in ["switch_inline_query", "switch_inline_query_current_chat"] {
        if let Some(switch) = other(field) {
            fields.text(field, Wanted::Required)?;
            return Ok(switch);
        }
    }
    if let Some(switch) = other("switch_inline_query_chosen_chat") {
        let chosen = fields.object("switch_inline_query_chosen_chat")?;
        for name in ["allow_user_chats", "allow_bot_chats", "allow_group_chats", "allow_channel_chats"] {
            chosen.flag(name)?;
        }
        return Ok(switch);
    }
    if let Some(login) = other("login_url") {
        fields.object("login_url")?.text("url", Wanted::Required)?;
        return Ok(login);
    }
    if fields.0.contains_key("web_app") {
        return Ok(Does::WebApp(fields.object("web_app")?.text("url", Wanted::Required)?));
    }
    if let Some(copy) = other("copy_text") {
        fields.object("copy_text")?.text("text", Wanted::Required)?;
        return Ok(copy);
    }
    Err("Text buttons are unallowed in the inline keyboard".to_owned())
}

/// Judges a keyboard that was read. What comes back has links as they are kept, and no rows that are empty.
pub(super) fn judge(markup: Markup, under: Under) -> Result<Markup, Failure> {
    let Markup::Inline(Keyboard(mut rows)) = markup else {
        let wrong = under != Under::Message && markup == Markup::Reply;
        return if wrong { Err(Failure::bad("Inline keyboard expected")) } else { Ok(markup) };
    };
    for row in &mut rows {
        row.retain(|key| !key.text.is_empty());
        for key in row {
            judge_link(key)?;
        }
    }
    rows.retain(|row| !row.is_empty());
    let keyboard = Keyboard(rows);
    if keyboard.is_empty() {
        return Ok(Markup::None);
    }
    if keyboard.keys().count() > KEYS_MAX {
        return Err(Failure::bad("Reply markup is too long"));
    }
    for (place, key) in keyboard.keys().enumerate() {
        judge_key(key, place, under)?;
    }
    if under == Under::Invoice && !keyboard.keys().any(|key| key.does == Does::Pay) {
        return Err(Failure::bad("REPLY_MARKUP_BUY_EMPTY"));
    }
    Ok(Markup::Inline(keyboard))
}

fn judge_link(key: &mut Key) -> Result<(), Failure> {
    match &mut key.does {
        Does::Url(url) => {
            *url = link::checked(url)
                .map_err(|why| Failure::bad(&format!("Inline keyboard button URL '{url}' is invalid: {why}")))?;
        }
        Does::WebApp(url) => {
            let https = url.to_ascii_lowercase().starts_with("https://");
            let why = if https { link::checked(url).err() } else { Some("Only HTTPS links are allowed") };
            if let Some(why) = why {
                return Err(Failure::bad(&format!("Inline keyboard button Web App URL '{url}' is invalid: {why}")));
            }
        }
        Does::Callback(_) | Does::Pay | Does::Other(..) => {}
    }
    Ok(())
}

/// What Telegram's own side checks, whose answers are codes.
fn judge_key(key: &Key, place: usize, under: Under) -> Result<(), Failure> {
    let code = match &key.does {
        Does::Callback(data) if data.len() > CALLBACK_DATA_MAX_BYTES => "BUTTON_DATA_INVALID",
        Does::Pay if under != Under::Invoice => "BUTTON_TYPE_INVALID",
        Does::Pay if place > 0 => "BUTTON_POS_INVALID",
        Does::Other("callback_game", _) => "BUTTON_TYPE_INVALID",
        Does::Other("copy_text", value) => {
            let length = value.get("text").and_then(Value::as_str).unwrap_or_default().chars().count();
            if (1..=COPY_MAX_CHARS).contains(&length) {
                return Ok(());
            }
            "BUTTON_COPY_TEXT_INVALID"
        }
        _ => return Ok(()),
    };
    Err(Failure::bad(code))
}

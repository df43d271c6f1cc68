//! Pure: no I/O, no clock. Entities that the caller lists itself (`entities`, `caption_entities`).
//! Source: tdlib/telegram-bot-api `Client.cpp` `get_text_entity`, tdlib/td `MessageEntity.cpp` `fix_entities`.

use super::{Entity, Formatted, Kind, units};
use crate::sandbox::fields::{Fields, Wanted};
use crate::telegram::link;
use serde_json::Value;

/// `text` under the entities of the array `list`; those that Telegram finds by itself are skipped.
///
/// # Errors
/// What Telegram says after `Bad Request: `, its first letter still a capital.
pub(in crate::sandbox) fn given(text: &str, list: &[Value]) -> Result<Formatted, String> {
    let mut formatted = Formatted::plain(text);
    let end = units(text);
    for value in list {
        let Some(entity) = read(value).map_err(|detail| format!("Can't parse MessageEntity: {detail}"))? else {
            continue;
        };
        let (offset, length, kind) = entity;
        let offset_units =
            usize::try_from(offset).map_err(|_| format!("Receive an entity with incorrect offset {offset}"))?;
        let length_units =
            usize::try_from(length).map_err(|_| format!("Receive an entity with incorrect length {length}"))?;
        if length_units == 0 {
            continue;
        }
        if offset_units > end {
            return Err(format!("Entity begins after the end of the text at UTF-16 offset {offset}"));
        }
        if offset_units + length_units > end {
            return Err(format!(
                "Entity beginning at UTF-16 offset {offset} ends after the end of the text at UTF-16 offset {}",
                offset + length
            ));
        }
        let kind = match kind {
            Kind::TextLink { url } => {
                let url = link::checked(&url).map_err(|why| format!("Entity URL '{url}' is invalid: {why}"))?;
                Kind::TextLink { url }
            }
            other => other,
        };
        formatted.entities.push(Entity { offset: offset_units, length: length_units, kind });
    }
    formatted.sort();
    Ok(formatted)
}

fn read(value: &Value) -> Result<Option<(i64, i64, Kind)>, String> {
    let Value::Object(object) = value else { return Err("Expected an Object".to_owned()) };
    let fields = Fields(object);
    let (offset, length) = (fields.integer("offset")?, fields.integer("length")?);
    let kind = match fields.text("type", Wanted::Required)?.as_str() {
        "bold" => Kind::Bold,
        "italic" => Kind::Italic,
        "underline" => Kind::Underline,
        "strikethrough" => Kind::Strikethrough,
        "spoiler" => Kind::Spoiler,
        "code" => Kind::Code,
        "pre" => {
            Kind::Pre { language: Some(fields.text("language", Wanted::Optional)?).filter(|text| !text.is_empty()) }
        }
        "blockquote" => Kind::Blockquote,
        "expandable_blockquote" => Kind::ExpandableBlockquote,
        "text_link" => Kind::TextLink { url: fields.text("url", Wanted::Required)? },
        "custom_emoji" => {
            let id = fields.text("custom_emoji_id", Wanted::Required)?;
            let valid = id.parse::<i64>().is_ok();
            valid
                .then_some(Kind::CustomEmoji { custom_emoji_id: id })
                .ok_or(r#"Field "custom_emoji_id" must be a valid Number"#)?
        }
        "mention" | "hashtag" | "cashtag" | "bot_command" | "url" | "email" | "phone_number" | "bank_card_number" => {
            return Ok(None);
        }
        _ => return Err("Unsupported type specified".to_owned()),
    };
    Ok(Some((offset, length, kind)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_have_telegrams_words() {
        for (list, expected) in [
            (
                json!([{"type": "bold", "offset": 100, "length": 1}]),
                "Entity begins after the end of the text at UTF-16 offset 100",
            ),
            (
                json!([{"type": "bold", "offset": 0, "length": 100}]),
                "Entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 100",
            ),
            (
                json!([{"type": "invalid_type", "offset": 0, "length": 1}]),
                "Can't parse MessageEntity: Unsupported type specified",
            ),
            (
                json!([{"type": "text_link", "offset": 0, "length": 1}]),
                "Can't parse MessageEntity: Can't find field \"url\"",
            ),
            (
                json!([{"type": "text_link", "offset": 0, "length": 1, "url": "not-a-url"}]),
                "Entity URL 'not-a-url' is invalid: Wrong HTTP URL",
            ),
            (json!([{"type": "bold", "offset": -1, "length": 1}]), "Receive an entity with incorrect offset -1"),
        ] {
            assert_eq!(given("hello", list.as_array().unwrap()).unwrap_err(), expected);
        }
    }
}

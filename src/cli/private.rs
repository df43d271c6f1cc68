//! Pure: no I/O, no clock. JSON of users as operators are shown it: its form, ids and kinds, and nothing that a person
//! wrote, is called, or is at.

use serde_json::Value;

/// The fields whose texts are words of the Bot API or of a flow, never of a user. What is not listed is hidden.
const PLAIN: [&str; 13] = [
    "type",
    "method",
    "lane",
    "screen",
    "status",
    "language_code",
    "currency",
    "parse_mode",
    "chat_instance",
    "file_unique_id",
    "id",
    "callback_query_id",
    "emoji",
];

/// `json` with every other text, and every broken number (a place on earth), in the place of which stands its length.
pub(super) fn hidden(mut json: Value) -> Value {
    hide(&mut json, "", "");
    json
}

fn hide(value: &mut Value, parent: &str, field: &str) {
    // What a button carries is the flow's; what a web app sends under the same name is not.
    let is_plain = PLAIN.contains(&field) || (parent, field) == ("callback_query", "data");
    match value {
        Value::String(text) if !is_plain => *text = format!("<{} characters>", text.chars().count()),
        Value::Number(number) if !number.is_i64() && !number.is_u64() => *value = Value::String("<number>".to_owned()),
        Value::Array(members) => members.iter_mut().for_each(|member| hide(member, parent, field)),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| hide(value, field, name)),
        Value::String(_) | Value::Number(_) | Value::Null | Value::Bool(_) => {}
    }
}

/// Whether `user` occurs in a body of Telegram: as somebody's id in its JSON, or, where it is none, as a number.
pub(super) fn mentions(body: &[u8], user: i64) -> bool {
    match serde_json::from_slice::<Value>(body) {
        Ok(json) => names(&json, user),
        Err(_) => {
            let digits = user.to_string();
            let text = String::from_utf8_lossy(body);
            text.split(|letter: char| !letter.is_ascii_digit()).any(|number| number == digits)
        }
    }
}

fn names(json: &Value, user: i64) -> bool {
    const IDS: [&str; 3] = ["id", "user_id", "chat_id"];
    match json {
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| (IDS.contains(&name.as_str()) && value.as_i64() == Some(user)) || names(value, user)),
        Value::Array(members) => members.iter().any(|member| names(member, user)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_person_wrote_is_called_or_is_at_is_hidden_and_the_form_stays() {
        let update = json!({"update_id": 5, "message": {
            "from": {"id": 7, "first_name": "Ann", "username": "ann", "language_code": "en", "is_bot": false},
            "text": "my secret", "entities": [{"type": "bold", "offset": 0, "length": 2}],
            "location": {"latitude": 52.5, "longitude": -1.25}, "contact": {"phone_number": "+4912345"},
            "something_new": ["words"],
        }});
        assert_eq!(
            hidden(update),
            json!({"update_id": 5, "message": {
                "from": {"id": 7, "first_name": "<3 characters>", "username": "<3 characters>", "language_code": "en",
                         "is_bot": false},
                "text": "<9 characters>", "entities": [{"type": "bold", "offset": 0, "length": 2}],
                "location": {"latitude": "<number>", "longitude": "<number>"},
                "contact": {"phone_number": "<8 characters>"}, "something_new": ["<5 characters>"],
            }})
        );
        assert_eq!(hidden(json!("words")), json!("<5 characters>"));
        let press = json!({"callback_query": {"id": "4", "data": "menu:talk", "message": {"text": "x"}}});
        let shown = json!({"callback_query": {"id": "4", "data": "menu:talk", "message": {"text": "<1 characters>"}}});
        assert_eq!(hidden(press), shown);
        assert_eq!(hidden(json!({"web_app_data": {"data": "x"}})), json!({"web_app_data": {"data": "<1 characters>"}}));
    }

    #[test]
    fn a_user_is_found_wherever_they_are_named_and_nobody_else_is() {
        let message = br#"{"update_id":7,"message":{"message_id":7,"from":{"id":70},"text":"7","date":7}}"#;
        assert!(mentions(message, 70));
        assert!(!mentions(message, 7), "neither an update's nor a message's number is a person");
        assert!(mentions(br#"{"message":{"forward_origin":{"sender_user":{"id":7}}}}"#, 7));
        assert!(mentions(br#"{"message":{"contact":{"user_id":7}}}"#, 7));
        assert!(mentions(b"{\"from\":{\"id\":7, \xff", 7), "no JSON: its numbers are looked at");
        assert!(!mentions(b"{\"from\":{\"id\":77, \xff", 7));
    }
}

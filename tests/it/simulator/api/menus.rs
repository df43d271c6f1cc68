//! The commands menu by scope and language, and the menu button.

use super::Stand;
use tapgate::sandbox::world::Menu;

fn shown(stand: &Stand) -> Vec<String> {
    stand.chat().commands.into_iter().map(|command| command.command).collect()
}

#[tokio::test]
async fn the_menu_is_the_first_list_that_fits_chat_and_language() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    let chat = format!(r#"{{"type":"chat","chat_id":{ann}}}"#);
    let set = async |name: &str, more: &[(&str, &str)]| {
        let commands = format!(r#"[{{"command":"{name}","description":"d"}}]"#);
        stand.done("setMyCommands", &[&[("commands", &*commands)], more].concat()).await;
    };
    assert_eq!(shown(&stand), [""; 0]);
    set("any", &[]).await;
    assert_eq!(shown(&stand), ["any"]);
    set("english", &[("language_code", "en")]).await;
    assert_eq!(shown(&stand), ["english"]);
    set("private", &[("scope", r#"{"type":"all_private_chats"}"#)]).await;
    assert_eq!(shown(&stand), ["private"]);
    set("ann", &[("scope", &chat)]).await;
    assert_eq!(shown(&stand), ["ann"]);
    stand.done("deleteMyCommands", &[("scope", &chat)]).await;
    stand.done("deleteMyCommands", &[("scope", r#"{"type":"all_private_chats"}"#)]).await;
    assert_eq!(shown(&stand), ["english"]);
    stand.world.speaks(stand.ann, Some("ru")).unwrap();
    assert_eq!(shown(&stand), ["any"], "no list in her language");

    let english = stand.done("getMyCommands", &[("language_code", "en")]).await;
    assert_eq!(english, serde_json::json!([{"command": "english", "description": "d"}]));
    assert_eq!(stand.done("getMyCommands", &[("language_code", "ru")]).await, serde_json::json!([]));
}

#[tokio::test]
async fn commands_that_telegram_refuses_are_refused() {
    let stand = Stand::new();
    let long = format!(r#"[{{"command":"{}","description":"d"}}]"#, "x".repeat(33));
    for (name, value, expected) in [
        ("commands", "{", "Bad Request: can't parse commands JSON object"),
        ("commands", "{}", "Bad Request: expected an Array of BotCommand"),
        ("commands", "[5]", "Bad Request: can't parse BotCommand: expected an Object"),
        ("commands", r#"[{"command":"a"}]"#, "Bad Request: can't parse BotCommand: Can't find field \"description\""),
        ("commands", r#"[{"command":"/","description":"d"}]"#, "Bad Request: command can't be empty"),
        ("commands", r#"[{"command":"a","description":" "}]"#, "Bad Request: command description can't be empty"),
        ("commands", r#"[{"command":"Start","description":"d"}]"#, "Bad Request: BOT_COMMAND_INVALID"),
        ("commands", &*long, "Bad Request: command length can't exceed 32"),
        ("language_code", "eng", "Bad Request: invalid language code specified"),
        ("scope", r#"{"type":"x"}"#, "Bad Request: can't parse BotCommandScope: Unsupported type specified"),
        ("scope", r#"{"type":"chat","chat_id":5}"#, "Bad Request: chat not found"),
    ] {
        assert_eq!(stand.refusal("setMyCommands", &[(name, value)]).await, expected, "{value}");
    }
}

#[tokio::test]
async fn the_menu_button_of_a_chat_goes_before_the_default_one() {
    let stand = Stand::new();
    let ann = stand.ann.to_string();
    let app = r#"{"type":"web_app","text":"Open","web_app":{"url":"https://example.com/"}}"#;
    stand.done("setChatMenuButton", &[("menu_button", app)]).await;
    let web_app = Menu::WebApp { text: "Open".to_owned(), url: "https://example.com/".to_owned() };
    assert_eq!(stand.chat().menu, web_app);
    stand.done("setChatMenuButton", &[("chat_id", &ann), ("menu_button", r#"{"type":"commands"}"#)]).await;
    assert_eq!(stand.chat().menu, Menu::Commands);
    assert_eq!(stand.done("getChatMenuButton", &[("chat_id", &ann)]).await, serde_json::json!({"type": "commands"}));
    stand.done("setChatMenuButton", &[("chat_id", &ann), ("menu_button", r#"{"type":"default"}"#)]).await;
    assert_eq!(stand.chat().menu, web_app);
}

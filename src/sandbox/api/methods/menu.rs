//! setChatMenuButton, getChatMenuButton.
//! Source: tdlib/telegram-bot-api `Client.cpp` (`get_bot_menu_button`, `process_set_chat_menu_button_query`).

use super::{Context, Outcome};
use crate::sandbox::api::outcome::{Done, Failure};
use crate::sandbox::fields::{Fields, Wanted};
use crate::sandbox::world::Menu;
use crate::telegram::id::ChatId;
use crate::telegram::link;
use serde::Serialize;
use serde_json::Value;

pub(super) fn set(context: Context<'_>) -> Outcome {
    let menu = read(context)?;
    context.bot.world.set_menu(chat(context)?, menu)?;
    Ok(Done::yes())
}

pub(super) fn get(context: Context<'_>) -> Outcome {
    #[derive(Serialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Button {
        Commands,
        WebApp { text: String, web_app: WebApp },
    }
    #[derive(Serialize)]
    struct WebApp {
        url: String,
    }
    Ok(Done::object(&match context.bot.world.menu(chat(context)?)? {
        Menu::Commands => Button::Commands,
        Menu::WebApp { text, url } => Button::WebApp { text, web_app: WebApp { url } },
    }))
}

fn chat(context: Context<'_>) -> Result<Option<ChatId>, Failure> {
    let named = !context.arguments.text("chat_id").is_empty();
    named.then(|| context.arguments.user("chat_id")).transpose()
}

/// The button; `None`: the default one.
fn read(context: Context<'_>) -> Result<Option<Menu>, Failure> {
    let unreadable = |why: &str| Failure::bad(&format!("Can't parse menu button: {why}"));
    let object = match context.arguments.json("menu_button", "menu button")? {
        None => return Ok(None),
        Some(Value::Object(object)) => object,
        Some(_) => return Err(unreadable("MenuButton must be an Object")),
    };
    let fields = Fields(&object);
    let text = |name: &str| fields.text(name, Wanted::Required).map_err(|why| unreadable(&why));
    match text("type")?.as_str() {
        "default" => Ok(None),
        "commands" => Ok(Some(Menu::Commands)),
        "web_app" => {
            let text = text("text")?;
            let app = fields.object("web_app").map_err(|why| unreadable(&why))?;
            let url = app.text("url", Wanted::Required).map_err(|why| unreadable(&why))?;
            if !url.starts_with("https://") || link::checked(&url).is_err() {
                return Err(Failure::bad(&format!(
                    "Menu button Web App URL '{url}' is invalid: Only HTTPS links are allowed"
                )));
            }
            Ok(Some(Menu::WebApp { text, url }))
        }
        _ => Err(unreadable("MenuButton has unsupported type")),
    }
}

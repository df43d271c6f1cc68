//! What users do, as the page asks for it.

use super::super::world::{Impossible, Pressed, Thing, Which};
use super::Page;
use super::refusal::Refusal;
use crate::telegram::id::{ChatId, MessageId};
use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

type Done = Result<Json<Value>, Refusal>;

fn done(result: Result<impl Sized, Impossible>) -> Done {
    result?;
    Ok(Json(json!({})))
}

/// Longest first name, in characters.
const NAME_MAX_CHARS: usize = 64;

#[derive(Deserialize)]
pub(super) struct NewUser {
    first_name: String,
    language: Option<String>,
}

pub(super) async fn add(State(page): State<Page>, Json(new): Json<NewUser>) -> Result<Json<Added>, Refusal> {
    let name = new.first_name.trim();
    if name.is_empty() || name.chars().count() > NAME_MAX_CHARS {
        return Err(Refusal::Senseless("a first name has 1 to 64 characters"));
    }
    Ok(Json(Added { id: page.0.world.add_user(name, language(new.language.as_deref())?) }))
}

#[derive(Serialize)]
pub(super) struct Added {
    id: ChatId,
}

/// An IETF tag, or none.
fn language(tag: Option<&str>) -> Result<Option<&str>, Refusal> {
    let tag = tag.map(str::trim).filter(|tag| !tag.is_empty());
    let plain = |tag: &str| tag.len() <= 35 && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if tag.is_some_and(|tag| !plain(tag)) {
        return Err(Refusal::Senseless("a language is a tag such as en or pt-br"));
    }
    Ok(tag)
}

pub(super) async fn starts(State(page): State<Page>, Path(user): Path<ChatId>) -> Done {
    done(page.0.world.says(user, "/start"))
}

#[derive(Deserialize)]
pub(super) struct Text {
    text: String,
}

pub(super) async fn says(State(page): State<Page>, Path(user): Path<ChatId>, Json(said): Json<Text>) -> Done {
    done(page.0.world.says(user, &said.text))
}

pub(super) async fn group(State(page): State<Page>, Path(user): Path<ChatId>, Json(said): Json<Text>) -> Done {
    done(page.0.world.says_in_group(user, &said.text))
}

#[derive(Deserialize)]
pub(super) struct Something {
    thing: String,
}

pub(super) async fn sends(State(page): State<Page>, Path(user): Path<ChatId>, Json(sent): Json<Something>) -> Done {
    let thing = match sent.thing.as_str() {
        "photo" => Thing::Photo("Look at this"),
        "sticker" => Thing::Sticker,
        "voice" => Thing::Voice,
        "location" => Thing::Location,
        _ => return Err(Refusal::Senseless("that cannot be sent")),
    };
    done(page.0.world.sends(user, thing))
}

#[derive(Deserialize)]
pub(super) struct Press {
    message: MessageId,
    row: usize,
    column: usize,
}

/// What a press opened, if it did.
#[derive(Serialize)]
pub(super) struct Opened {
    opens: Option<String>,
}

pub(super) async fn presses(
    State(page): State<Page>,
    Path(user): Path<ChatId>,
    Json(Press { message, row, column }): Json<Press>,
) -> Result<Json<Opened>, Refusal> {
    let pressed = page.0.world.presses(user, message, Which::At { row, column })?;
    let opens = match pressed {
        Pressed::Query { .. } | Pressed::Sheet => None,
        Pressed::Link(url) | Pressed::WebApp(url) => Some(url),
    };
    Ok(Json(Opened { opens }))
}

#[derive(Deserialize)]
pub(super) struct Paid {
    message: MessageId,
}

pub(super) async fn pays(State(page): State<Page>, Path(user): Path<ChatId>, Json(paid): Json<Paid>) -> Done {
    done(page.0.world.pays(user, paid.message))
}

pub(super) async fn blocks(State(page): State<Page>, Path(user): Path<ChatId>) -> Done {
    done(page.0.world.blocks(user))
}

pub(super) async fn unblocks(State(page): State<Page>, Path(user): Path<ChatId>) -> Done {
    page.0.world.unblocks(user)?;
    // Whoever unblocks a bot finds a START button there.
    done(page.0.world.says(user, "/start"))
}

#[derive(Deserialize)]
pub(super) struct Speaks {
    language: Option<String>,
}

pub(super) async fn speaks(State(page): State<Page>, Path(user): Path<ChatId>, Json(to): Json<Speaks>) -> Done {
    let language = language(to.language.as_deref())?;
    done(page.0.world.speaks(user, language))
}

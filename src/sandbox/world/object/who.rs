//! Pure: no I/O, no clock. Users, the bot among them, and chats.

use crate::sandbox::world::bot::Bot;
use crate::sandbox::world::chat::Place;
use crate::sandbox::world::state::State;
use crate::sandbox::world::view::User;
use crate::telegram::id::ChatId;
use serde::Serialize;

#[derive(Serialize)]
pub(in crate::sandbox::world) struct UserObject<'a> {
    id: i64,
    is_bot: bool,
    first_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language_code: Option<&'a str>,
}

impl<'a> UserObject<'a> {
    pub(in crate::sandbox::world) fn of_bot(bot: &'a Bot) -> Self {
        let Bot { id, first_name, username } = bot;
        Self { id: id.0, is_bot: true, first_name, username: Some(username), language_code: None }
    }

    pub(in crate::sandbox::world) fn of(user: &'a User) -> Self {
        Self {
            id: user.id.0,
            is_bot: false,
            first_name: &user.first_name,
            username: None,
            language_code: user.language.as_deref(),
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
pub(in crate::sandbox::world) enum ChatObject<'a> {
    Private {
        id: ChatId,
        first_name: &'a str,
        r#type: &'static str,
    },
    Group {
        id: ChatId,
        title: &'a str,
        r#type: &'static str,
        all_members_are_administrators: bool,
        accepted_gift_types: GiftTypes,
    },
}

/// Nothing of it: a basic group takes no gifts.
#[derive(Default, Serialize)]
pub(in crate::sandbox::world) struct GiftTypes {
    unlimited_gifts: bool,
    limited_gifts: bool,
    unique_gifts: bool,
    premium_subscription: bool,
    gifts_from_channels: bool,
}

impl<'a> ChatObject<'a> {
    pub(in crate::sandbox::world) fn of(state: &'a State, id: ChatId) -> Self {
        match state.chats.get(&id).map(|chat| &chat.place) {
            Some(Place::Group { title }) => Self::Group {
                id,
                title,
                r#type: "group",
                all_members_are_administrators: false,
                accepted_gift_types: GiftTypes::default(),
            },
            Some(Place::Private) | None => {
                let first_name = state.users.get(&id).map_or("", |user| user.first_name.as_str());
                Self::Private { id, first_name, r#type: "private" }
            }
        }
    }
}

/// What `getMe` says.
#[derive(Serialize)]
pub(in crate::sandbox::world) struct Me<'a> {
    #[serde(flatten)]
    user: UserObject<'a>,
    can_join_groups: bool,
    can_read_all_group_messages: bool,
    supports_inline_queries: bool,
    can_connect_to_business: bool,
    has_main_web_app: bool,
}

impl<'a> Me<'a> {
    pub(in crate::sandbox::world) fn of(bot: &'a Bot) -> Self {
        Self {
            user: UserObject::of_bot(bot),
            can_join_groups: true,
            // The group is there to be ignored rightly, so all of it has to arrive.
            can_read_all_group_messages: true,
            supports_inline_queries: false,
            can_connect_to_business: false,
            has_main_web_app: false,
        }
    }
}

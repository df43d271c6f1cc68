//! Pure: no I/O, no clock. What the bot becomes to a user.

use super::who::{ChatObject, UserObject};
use crate::sandbox::world::bot::Bot;
use serde::Serialize;

#[derive(Serialize)]
pub(in crate::sandbox::world) struct MemberChange<'a> {
    pub(in crate::sandbox::world) chat: ChatObject<'a>,
    pub(in crate::sandbox::world) from: UserObject<'a>,
    pub(in crate::sandbox::world) date: i64,
    pub(in crate::sandbox::world) old_chat_member: Member<'a>,
    pub(in crate::sandbox::world) new_chat_member: Member<'a>,
}

#[derive(Serialize)]
pub(in crate::sandbox::world) struct Member<'a> {
    user: UserObject<'a>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    until_date: Option<i64>,
}

impl<'a> Member<'a> {
    pub(in crate::sandbox::world) fn present(bot: &'a Bot) -> Self {
        Self { user: UserObject::of_bot(bot), status: "member", until_date: None }
    }

    pub(in crate::sandbox::world) fn kicked(bot: &'a Bot) -> Self {
        Self { user: UserObject::of_bot(bot), status: "kicked", until_date: Some(0) }
    }
}

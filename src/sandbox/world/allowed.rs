//! Pure: no I/O, no clock. Which kinds of updates the bot wants (`allowed_updates`).
//! Source: tdlib/telegram-bot-api `Client.cpp`, `get_allowed_update_types`.

/// All kinds that the Bot API documents.
const KINDS: [&str; 24] = [
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "business_connection",
    "business_message",
    "edited_business_message",
    "deleted_business_messages",
    "message_reaction",
    "message_reaction_count",
    "inline_query",
    "chosen_inline_result",
    "callback_query",
    "shipping_query",
    "pre_checkout_query",
    "purchased_paid_media",
    "poll",
    "poll_answer",
    "my_chat_member",
    "chat_member",
    "chat_join_request",
    "chat_boost",
    "removed_chat_boost",
    "managed_bot",
];

/// What is wanted only where it is named.
const NOT_BY_DEFAULT: [&str; 3] = ["chat_member", "message_reaction", "message_reaction_count"];

/// The kinds that are wanted; none named: the default ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::sandbox) struct Allowed(Vec<&'static str>);

impl Allowed {
    /// The kinds of `names`; unknown ones are passed over, and of none known the default is what remains.
    pub(in crate::sandbox) fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: Vec<String> = names.into_iter().map(str::to_ascii_lowercase).collect();
        let mut kinds: Vec<_> = KINDS.into_iter().filter(|kind| names.iter().any(|name| name == kind)).collect();
        let default = KINDS.into_iter().filter(|kind| !NOT_BY_DEFAULT.contains(kind));
        if default.eq(kinds.iter().copied()) {
            kinds.clear();
        }
        Self(kinds)
    }

    /// The kinds, where they are not the default ones.
    pub(in crate::sandbox) fn names(&self) -> Option<&[&'static str]> {
        (!self.0.is_empty()).then_some(&self.0)
    }

    /// Whether an update of `kind` is wanted.
    pub(in crate::sandbox) fn wants(&self, kind: &str) -> bool {
        if self.0.is_empty() { !NOT_BY_DEFAULT.contains(&kind) } else { self.0.contains(&kind) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_passed_over_and_nothing_known_is_the_default() {
        let some = Allowed::named(["Callback_Query", "message", "no_such_kind"]);
        assert_eq!(some.names(), Some(&["message", "callback_query"][..]));
        assert!(some.wants("message") && !some.wants("my_chat_member"));
        let default = Allowed::named(["no_such_kind"]);
        assert_eq!(default.names(), None);
        assert!(default.wants("my_chat_member") && !default.wants("chat_member"));
    }
}

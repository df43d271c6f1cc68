//! Pure: no I/O, no clock. What is other in a chat than it was: what its user would have noticed.

use crate::sandbox::world::{Author, ChatView, MessageView, Notice, Press};

/// Something that a user notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect<'a> {
    /// A message came.
    Came(&'a MessageView),
    /// A message says something else, or has other buttons.
    Changed(&'a MessageView),
    /// A message is gone.
    Gone(&'a MessageView),
    /// A toast or an alert.
    Noticed(&'a Notice),
    /// A button goes on showing that it waits.
    Waits(&'a Press),
}

impl<'a> Effect<'a> {
    /// The message that is there now because of it.
    pub(super) fn message(self) -> Option<&'a MessageView> {
        match self {
            Self::Came(message) | Self::Changed(message) => Some(message),
            Self::Gone(_) | Self::Noticed(_) | Self::Waits(_) => None,
        }
    }
}

/// What is other in `after` than it was in `before`, but for what the user wrote.
pub(super) fn effects<'a>(before: &'a ChatView, after: &'a ChatView) -> Vec<Effect<'a>> {
    let gone = before.messages.iter().filter(|old| find(after, old).is_none()).map(Effect::Gone);
    let messages = after.messages.iter().filter(|message| is_foreign(after, message));
    let there = messages.filter_map(|message| match find(before, message) {
        None => Some(Effect::Came(message)),
        Some(old) if old.content == message.content && old.keyboard == message.keyboard => None,
        Some(_) => Some(Effect::Changed(message)),
    });
    let last = before.notices.last().map_or(0, |notice| notice.number);
    let notices = after.notices.iter().filter(move |notice| notice.number > last).map(Effect::Noticed);
    let waiting = after.waiting.iter().filter(|press| !before.waiting.contains(press)).map(Effect::Waits);
    gone.chain(there).chain(notices).chain(waiting).collect()
}

/// The messages that a user looks at: those that came or changed, and the last one that is not their own.
pub(super) fn in_sight<'a>(before: &'a ChatView, after: &'a ChatView) -> Vec<&'a MessageView> {
    let mut seen: Vec<&MessageView> = effects(before, after).into_iter().filter_map(Effect::message).collect();
    let last = after.messages.iter().rev().find(|message| is_foreign(after, message));
    seen.extend(last.filter(|last| seen.iter().all(|message| message.id != last.id)));
    seen
}

/// Whether the message is not the user's own.
fn is_foreign(chat: &ChatView, message: &MessageView) -> bool {
    message.author != Author::User(chat.id)
}

fn find<'a>(chat: &'a ChatView, message: &MessageView) -> Option<&'a MessageView> {
    chat.messages.iter().find(|other| other.id == message.id)
}

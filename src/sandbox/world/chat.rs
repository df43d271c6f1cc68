//! Pure: no I/O, no clock. A chat and what its members see in it.

use super::message::Message;
use super::view::{Menu, Notice};
use crate::clock::Timestamp;
use crate::telegram::id::MessageId;
use std::collections::BTreeMap;
use std::time::Duration;

/// For how long an action is shown (Bot API, sendChatAction).
pub(super) const ACTION_SHOWN: Duration = Duration::from_secs(5);
/// How many notices a chat remembers.
const NOTICES_MAX: usize = 50;

/// A chat.
#[derive(Debug)]
pub(super) struct Chat {
    pub(super) place: Place,
    /// Grows with every change.
    pub(super) version: u64,
    /// Whether the bot has ever seen it.
    pub(super) known: bool,
    pub(super) started: bool,
    pub(super) blocked: bool,
    /// What the bot is shown doing, and until when.
    pub(super) action: Option<(String, Timestamp)>,
    pub(super) messages: BTreeMap<MessageId, Message>,
    pub(super) notices: Vec<Notice>,
    pub(super) notices_so_far: u64,
    pub(super) menu: Option<Menu>,
    pub(super) instance: i64,
}

/// Where a chat is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Private,
    Group { title: String },
}

impl Chat {
    pub(super) fn new(place: Place, instance: i64) -> Self {
        let known = matches!(place, Place::Group { .. });
        Self {
            place,
            version: 0,
            known,
            started: known,
            blocked: false,
            action: None,
            messages: BTreeMap::new(),
            notices: Vec::new(),
            notices_so_far: 0,
            menu: None,
            instance,
        }
    }

    pub(super) fn notify(&mut self, message: MessageId, text: String, alert: bool, at: Timestamp) {
        self.notices_so_far += 1;
        self.notices.push(Notice { number: self.notices_so_far, message, text, alert, at });
        if self.notices.len() > NOTICES_MAX {
            self.notices.remove(0);
        }
    }
}

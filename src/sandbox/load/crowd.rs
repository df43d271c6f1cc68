//! The users who tap, and the count of what each did, which the rows have to agree with.

use super::{Load, Miscounted};
use crate::flow::callback::Callback;
use crate::sandbox::Sandbox;
use crate::sandbox::rest::Restless;
use crate::sandbox::seed::Random;
use crate::sandbox::world::{Action, Which};
use crate::storage::{self, Key};
use crate::telegram::id::{ChatId, MessageId};

/// How many rows are read at once.
const ROWS_AT_ONCE: usize = 500;

/// The users, and how much each of them did.
pub(super) struct Crowd<'a> {
    sandbox: &'a Sandbox,
    users: Vec<(ChatId, i64)>,
    next: usize,
    random: Random,
}

impl<'a> Crowd<'a> {
    pub(super) fn new(sandbox: &'a Sandbox, load: Load) -> Self {
        let languages = ["en", "ru"];
        let add = |number: usize| {
            let language = languages.get(number % languages.len()).copied();
            (sandbox.world.add_user(&format!("User {number}"), language), 0)
        };
        let users = (1..=load.users).map(add).collect();
        Self { sandbox, users, next: 0, random: sandbox.seed.random("load") }
    }

    /// Everybody starts the bot and sees its first screen.
    pub(super) async fn start(&mut self) -> Result<(), Restless> {
        for (user, did) in &mut self.users {
            if self.sandbox.world.says(*user, "/start").is_ok() {
                *did += 1;
            }
        }
        self.sandbox.rest(super::END_WAIT_MAX).await
    }

    /// The next user presses a button of the lowest keyboard they see.
    pub(super) fn tap(&mut self) {
        let count = self.users.len().max(1);
        let Some((user, did)) = self.users.get_mut(self.next) else { return };
        self.next = (self.next + 1) % count;
        let Some((message, data)) = callback(self.sandbox, *user, &mut self.random) else { return };
        if self.sandbox.world.presses(*user, message, Which::Data(&data)).is_ok() {
            *did += 1;
        }
    }

    pub(super) fn taps(&self) -> usize {
        self.users.iter().map(|(_, did)| usize::try_from(*did).unwrap_or_default()).sum()
    }

    /// What each did against what their row counts, and who does not see what their row says. Every tap of the
    /// companion changes its chat, and every change adds one to its version.
    pub(super) async fn compare(&self) -> Result<(Vec<Miscounted>, Vec<ChatId>), storage::Error> {
        let (mut miscounted, mut unseen) = (Vec::new(), Vec::new());
        for users in self.users.chunks(ROWS_AT_ONCE) {
            let keys: Vec<Key> = users.iter().map(|(user, _)| Key { bot: self.sandbox.bot, chat: *user }).collect();
            let rows = self.sandbox.running.storage.load(&keys).await?;
            for ((user, did), row) in users.iter().zip(rows) {
                let chat = row?.map(|row| row.chat).unwrap_or_default();
                if chat.version.0 != *did {
                    miscounted.push(Miscounted { user: *user, did: *did, counted: chat.version.0 });
                }
                let desired = chat.desired.map(|desired| desired.revision);
                if desired.is_none() || desired != chat.shown.map(|shown| shown.revision) {
                    unseen.push(*user);
                }
            }
        }
        Ok((miscounted, unseen))
    }
}

/// The payload of some button of the lowest keyboard that `user` sees.
fn callback(sandbox: &Sandbox, user: ChatId, random: &mut Random) -> Option<(MessageId, String)> {
    let chat = sandbox.world.chat(user)?;
    let message = chat.messages.iter().rev().find(|message| !message.keyboard.is_empty())?;
    let mut payloads = Vec::new();
    for button in message.keyboard.iter().flatten() {
        // What asks a worker or sells is left alone: what comes of that changes the chat once more.
        if let Action::Callback { data } = &button.action
            && Callback::parse(data).is_none_or(|callback| callback.revision.is_none())
        {
            payloads.push(data.clone());
        }
    }
    let last = u64::try_from(payloads.len()).ok()?.checked_sub(1)?;
    let place = usize::try_from(random.within(0..=last)).ok()?;
    Some((message.id, payloads.swap_remove(place)))
}

//! Users beside those whose telephones are shown, who tap again as soon as they are answered: what the main graph needs
//! to be one. Never says what was measured.

use super::super::seed::{Random, Seed};
use super::super::world::{Action, Which, World};
use crate::shutdown::Tasks;
use crate::telegram::id::{ChatId, MessageId};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// Most users.
const USERS_MAX: usize = 500;
/// How long the world is left alone between two looks at everybody.
const PAUSE: Duration = Duration::from_millis(2);

/// The users of the traffic.
#[derive(Debug)]
pub(super) struct Traffic {
    world: World,
    seed: Seed,
    users: Arc<Mutex<BTreeSet<ChatId>>>,
    wanted: watch::Sender<usize>,
}

impl Traffic {
    pub(super) fn new(world: World, seed: Seed) -> Self {
        Self { world, seed, users: Arc::default(), wanted: watch::Sender::new(0) }
    }

    /// Whether `user` is one of them.
    pub(super) fn contains(&self, user: ChatId) -> bool {
        lock(&self.users).contains(&user)
    }

    /// How many tap.
    pub(super) fn wanted(&self) -> watch::Receiver<usize> {
        self.wanted.subscribe()
    }

    /// So many tap from now on.
    pub(super) fn has(&self, users: usize) {
        self.wanted.send_replace(users.min(USERS_MAX));
    }

    /// Has them tap, in `tasks`.
    pub(super) fn start(&self, tasks: &Tasks) {
        let (world, users, mut wanted) = (self.world.clone(), Arc::clone(&self.users), self.wanted.subscribe());
        let (mut random, group) = (self.seed.random("traffic"), tasks.clone());
        tasks.spawn(async move {
            let mut there: Vec<ChatId> = Vec::new();
            let mut changed = world.changed();
            loop {
                let now = *wanted.borrow_and_update();
                while there.len() < now {
                    // Held over both: nobody may take the new user for one with a telephone.
                    let mut known = lock(&users);
                    let user = world.add_user(&format!("Guest {}", there.len() + 1), Some("en"));
                    known.insert(user);
                    drop(known);
                    there.push(user);
                }
                for user in there.iter().take(now) {
                    act(&world, *user, &mut random);
                }
                tokio::select! {
                    () = group.stopping() => return,
                    _ = wanted.changed() => {}
                    more = changed.changed(), if now > 0 => if more.is_err() { return },
                }
                sleep(PAUSE).await;
                changed.mark_unchanged();
            }
        });
    }
}

fn lock(users: &Mutex<BTreeSet<ChatId>>) -> MutexGuard<'_, BTreeSet<ChatId>> {
    users.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does the next thing, unless an answer is waited for.
fn act(world: &World, user: ChatId, random: &mut Random) {
    let Some(chat) = world.chat(user) else { return };
    if !chat.waiting.is_empty() {
        return;
    }
    if chat.messages.is_empty() {
        let _ = world.says(user, "/start");
        return;
    }
    // A screen that just moved away cannot be pressed; the next look finds the new one.
    let buttons: Vec<(MessageId, &str)> = chat
        .messages
        .iter()
        .rev()
        .find(|message| !message.keyboard.is_empty())
        .into_iter()
        .flat_map(|message| message.keyboard.iter().flatten().map(|button| (message.id, &button.action)))
        .filter_map(|(message, action)| match action {
            Action::Callback { data } => Some((message, data.as_str())),
            _ => None,
        })
        .collect();
    let Some(last) = u64::try_from(buttons.len()).ok().and_then(|buttons| buttons.checked_sub(1)) else { return };
    let chosen = usize::try_from(random.within(0..=last)).ok().and_then(|place| buttons.get(place));
    if let Some((message, data)) = chosen {
        let _ = world.presses(user, *message, Which::Data(data));
    }
}

//! Users, their chats with the bot, one group: what people do becomes updates, what the bot does becomes messages.
//! Never speaks HTTP; never waits, but for what time itself ends.

mod allowed;
mod bot;
mod chat;
mod checkout;
mod keyboard;
mod look;
mod menu;
mod message;
mod object;
mod people;
mod photo;
mod press;
mod refused;
mod speech;
mod state;
mod view;

pub use bot::Bot;
pub use checkout::CHECKOUT_WINDOW;
pub use press::ANSWER_WINDOW;
pub use speech::DELETE_WINDOW;
pub use view::{
    Action, Author, Button, ChatView, Command, Content, Invoice, Menu, MessageView, Notice, Payment, Picture, Press,
    Rich, User,
};

pub(in crate::sandbox) use allowed::Allowed;
pub(in crate::sandbox) use checkout::Verdict;
pub(in crate::sandbox) use keyboard::{Does, Key, Keyboard};
pub(in crate::sandbox) use menu::Scope;
pub(in crate::sandbox) use message::{Invoice as InvoiceDraft, Markup};
pub(in crate::sandbox) use photo::{Dimensions, Photo, dimensions};
pub(in crate::sandbox) use press::{PressAnswer, Shown};
pub(in crate::sandbox) use refused::Refused;
pub(in crate::sandbox) use speech::{Body, Change, Draft};

use super::clock::Clock;
use super::json;
use super::seed::Seed;
use super::updates::Updates;
use crate::clock::Timestamp;
use crate::shutdown::Tasks;
use crate::telegram::id::{ChatId, MessageId};
use chat::Place;
use menu::Menus;
use object::Me;
use press::Queries;
use state::State;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// The one group's id.
const GROUP: ChatId = ChatId(-4_000_000_001);

/// The world around one bot. Cheap to clone; all clones are the same world.
#[derive(Clone, Debug)]
pub struct World(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    clock: Clock,
    tasks: Tasks,
    changed: watch::Sender<u64>,
}

/// Which button is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// By its place, both from 0.
    At {
        /// Row, from the top.
        row: usize,
        /// Place in the row, from the left.
        column: usize,
    },
    /// By what it says; the first such.
    Labelled(&'a str),
    /// By payload, on the keyboard or not: an old or a forged keyboard sends what it likes.
    Data(&'a str),
}

/// What pressing a button did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// A callback query went to the bot.
    Query {
        /// Its id.
        id: String,
    },
    /// A link opened.
    Link(String),
    /// A web app opened.
    WebApp(String),
    /// The payment sheet opened: `pays` or nothing follows.
    Sheet,
}

/// Something else that a user can send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing<'a> {
    /// A photo with a caption.
    Photo(&'a str),
    /// A sticker.
    Sticker,
    /// A voice message.
    Voice,
    /// A place on the map.
    Location,
}

/// Why a user cannot do that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// There is no such user.
    #[error("there is no user {0}")]
    NoUser(ChatId),
    /// The chat does not hold it (any more).
    #[error("there is no message {0}")]
    NoMessage(MessageId),
    /// The keyboard does not have it.
    #[error("there is no such button under message {0}")]
    NoButton(MessageId),
    /// Nothing to say, or more than Telegram takes in one message.
    #[error("a message has 1 to 4096 characters, a start parameter 1 to 64")]
    Unsayable,
    /// It is shown, but the sandbox does not do it.
    #[error("the sandbox cannot press a button with `{0}`")]
    Unsupported(String),
    /// Who blocked the bot sees no field to write in.
    #[error("the bot is blocked")]
    Blocked,
    /// It is no invoice, or it is paid, or being paid.
    #[error("message {0} cannot be paid")]
    NotPayable(MessageId),
}

impl World {
    /// A world with `bot`, a group, and nobody else. What happens there for the bot goes to `updates`.
    pub fn new(bot: Bot, updates: Updates, clock: Clock, seed: Seed, tasks: &Tasks) -> Self {
        let mut state = State {
            random: seed.random(&format!("world of {}", bot.id)),
            bot,
            updates,
            allowed: Allowed::default(),
            users: BTreeMap::new(),
            chats: BTreeMap::new(),
            group: GROUP,
            last_message: 0,
            photos: Vec::new(),
            queries: Queries::default(),
            checkouts: BTreeMap::new(),
            actions: BTreeSet::new(),
            menus: Menus::default(),
        };
        state.new_chat(GROUP, Place::Group { title: "Sandbox".to_owned() });
        let changed = watch::Sender::new(0);
        Self(Arc::new(Inner { state: Mutex::new(state), clock, tasks: tasks.clone(), changed }))
    }

    /// Who the bot is.
    pub fn bot(&self) -> Bot {
        self.turn().bot.clone()
    }

    /// The one group, with the bot and all users in it.
    pub fn group(&self) -> ChatId {
        GROUP
    }

    /// Changes whenever something changes that [`World::chat`] shows; the number only grows.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// What `getMe` says.
    pub(in crate::sandbox) fn me(&self) -> String {
        json::write(&Me::of(&self.turn().bot))
    }

    /// Which kinds of updates are made from now on.
    pub(in crate::sandbox) fn allow(&self, allowed: Allowed) {
        self.turn().allowed = allowed;
    }

    /// Which kinds of updates are made.
    pub(in crate::sandbox) fn allowed(&self) -> Allowed {
        self.turn().allowed.clone()
    }

    fn turn(&self) -> Turn<'_> {
        let now = self.0.clock.now();
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_due(now) {
            state.settle(now);
            self.0.changed.send_modify(|changes| *changes += 1);
        }
        Turn { state, now, moved: false, changed: &self.0.changed }
    }

    /// Looks after `duration` whether time has ended something, so that who watches is told.
    fn look_again_in(&self, duration: Duration) {
        // Held weakly: a world that nobody has any more need not be looked at.
        let (inner, tasks) = (Arc::downgrade(&self.0), self.0.tasks.clone());
        let clock = self.0.clock.clone();
        // Reckoned now: the task may begin after the clock has jumped.
        let due = clock.now().plus(duration);
        self.0.tasks.spawn(async move {
            tokio::select! {
                () = clock.sleep_until(due) => {}
                () = tasks.stopping() => return,
            }
            if let Some(inner) = inner.upgrade() {
                Self(inner).turn().moved = true;
            }
        });
    }
}

/// One moment in which something happens. Whoever watches is told at its end, if anything may have changed.
struct Turn<'a> {
    state: MutexGuard<'a, State>,
    now: Timestamp,
    moved: bool,
    changed: &'a watch::Sender<u64>,
}

impl Deref for Turn<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Turn<'_> {
    fn deref_mut(&mut self) -> &mut State {
        self.moved = true;
        &mut self.state
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.moved {
            self.changed.send_modify(|changes| *changes += 1);
        }
    }
}

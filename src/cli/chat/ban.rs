//! `botctl chat ban` and `unban`: load, change, commit, as an update does; nothing is queued.

use super::Which;
use crate::cli::context::Setup;
use crate::cli::{Failure, output, store};
use crate::clock;
use crate::flow::books::Books;
use crate::flow::chat::Chat;
use crate::storage::{Commit, Key, Outcome, Storage, Stored};
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use std::time::Duration;
use tokio::time::sleep;

/// How often a commit is tried against updates that come at the same moment.
const TRIES: u32 = 20;
/// How long to wait for a row that somebody holds.
const WAIT: Duration = Duration::from_millis(50);

#[derive(Args, Debug)]
pub(in crate::cli) struct Change {
    #[command(flatten)]
    which: Which,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Done<'a> {
    bot: &'a str,
    chat: i64,
    banned: bool,
    /// False: it was so already.
    changed: bool,
}

/// What becomes of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    Banned,
    Free,
}

pub(super) async fn run(setup: &Setup<'_>, arguments: &Change, to: To) -> Result<(), Failure> {
    let Change { which, json } = arguments;
    which.check()?;
    let storage = store::open(setup).await?;
    let bot = store::bot(&storage, which.bot.as_deref()).await?;
    let key = Key { bot: bot.id, chat: which.chat };
    let what = format!("chat {} of {}", which.chat, bot.name);
    let flow = setup.library()?.dialogue(&bot.flow);
    let newcomer = || Chat { balance: flow.as_ref().map_or(0, |flow| flow.free_balance()), ..Chat::default() };
    for _ in 0..TRIES {
        let changed = match change(&storage, key, to, newcomer).await? {
            Changed::Yes => true,
            Changed::Not => false,
            Changed::Unknown => return Err(anyhow!("{what} is not known: nothing to unban").into()),
            Changed::Again(wait) => {
                sleep(wait).await;
                continue;
            }
        };
        if *json {
            return output::json(&Done { bot: &bot.name, chat: which.chat.0, banned: to == To::Banned, changed });
        }
        let already = if changed { "" } else { " already" };
        return output::line(&format!("{what} is {}{already}", word(to)));
    }
    Err(anyhow!("{what} is being changed all the time: try again").into())
}

const fn word(to: To) -> &'static str {
    match to {
        To::Banned => "banned",
        To::Free => "not banned",
    }
}

/// How one try ended.
enum Changed {
    Yes,
    Not,
    Unknown,
    Again(Duration),
}

async fn change(storage: &Storage, key: Key, to: To, newcomer: impl Fn() -> Chat) -> Result<Changed, Failure> {
    let stored = storage.load(&[key]).await?.pop().transpose()?.flatten();
    let Stored { mut chat, fence, .. } = match (stored, to) {
        (Some(stored), _) => stored,
        // The row is there before the user is: their first update finds the flag, and what every newcomer gets.
        (None, To::Banned) => Stored { chat: newcomer(), ..Stored::default() },
        (None, To::Free) => return Ok(Changed::Unknown),
    };
    let banned = to == To::Banned;
    let books = Books::default();
    if chat.banned == banned {
        return Ok(Changed::Not);
    }
    chat.banned = banned;
    chat.version = chat.version.next();
    let commit = Commit { key, chat, fence, update: None, jobs: Vec::new(), books, at: clock::now() };
    Ok(match storage.commit(&commit).await? {
        // No update, no duplicate: a store that says so has written nothing all the same.
        Outcome::Applied => Changed::Yes,
        Outcome::Stale | Outcome::Duplicate { .. } => Changed::Again(Duration::ZERO),
        Outcome::Busy => Changed::Again(WAIT),
    })
}

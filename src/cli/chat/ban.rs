//! `botctl chat ban` and `unban`. Nothing is queued because of them.

use super::{Which, change};
use crate::cli::context::Setup;
use crate::cli::{Failure, output, store};
use crate::flow::books::{Books, Entry, EntryKind};
use crate::flow::chat::Chat;
use crate::flow::decision::Change as Changed;
use crate::storage::Key;
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

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
    let free_balance = setup.library()?.dialogue(&bot.flow).map_or(0, |flow| flow.free_balance());
    let decide = |chat: &Chat| {
        if to == To::Free && !change::is_known(chat) {
            return Err(anyhow!("{what} is not known: nothing to unban").into());
        }
        Ok(banned(chat, to, free_balance))
    };
    let changed = change::commit(&storage, key, &what, decide).await?.is_some();
    if *json {
        return output::json(&Done { bot: &bot.name, chat: which.chat.0, banned: to == To::Banned, changed });
    }
    let already = if changed { "" } else { " already" };
    output::line(&format!("{what} is {}{already}", word(to)))
}

/// The change that makes it so. The row is there before the user is: their first update finds the flag, and what every
/// newcomer gets.
fn banned(chat: &Chat, to: To, free_balance: i64) -> Option<Changed> {
    let banned = to == To::Banned;
    if chat.banned == banned {
        return None;
    }
    let mut change = Changed::of(Chat { banned, version: chat.version.next(), ..chat.clone() });
    if !change::is_known(chat) && free_balance != 0 {
        change.chat.balance = free_balance;
        let free = Entry { kind: EntryKind::Free, amount: free_balance, reference: String::new() };
        change.books = Books { entries: vec![free], ..Books::default() };
    }
    Some(change)
}

const fn word(to: To) -> &'static str {
    match to {
        To::Banned => "banned",
        To::Free => "not banned",
    }
}

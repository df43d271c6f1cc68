//! `botctl chat show`: the row, as it is decided on.

use super::Which;
use crate::cli::{Failure, output, store};
use crate::clock::Timestamp;
use crate::config::Config;
use crate::flow::books::EntryKind;
use crate::flow::chat::{Chat, Desired, Frame, Shown, Version, View};
use crate::storage::{Key, LedgerLine};
use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;

/// Show what is known of a chat
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  botctl chat show --bot shop --chat 123456789
  botctl chat show --chat 123456789 --json | jq .desired")]
pub(in crate::cli) struct Show {
    #[command(flatten)]
    which: Which,
    /// How many lines of the ledger are shown
    #[arg(long, value_name = "N", default_value_t = 10)]
    ledger: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Known<'a> {
    bot: &'a str,
    chat: i64,
    version: Version,
    locale: Option<&'a str>,
    desired: Option<&'a Desired>,
    shown: Option<&'a Shown>,
    /// What `back` returns to from *desired*, the nearest last.
    stack: &'a [Frame],
    vars: &'a BTreeMap<String, String>,
    balance: i64,
    /// The id of the generation that it waits for.
    busy: Option<&'a str>,
    premium_until: Option<Timestamp>,
    paid: bool,
    banned: bool,
    blocked: bool,
    /// The last lines of its ledger, the last first.
    ledger: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Line<'a> {
    at: Timestamp,
    kind: EntryKind,
    amount: i64,
    reference: &'a str,
}

pub(super) async fn run(config: &Config, arguments: &Show) -> Result<(), Failure> {
    arguments.which.check()?;
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, arguments.which.bot.as_deref()).await?;
    let id = arguments.which.chat;
    let stored = storage.load(&[Key { bot: bot.id, chat: id }]).await?.pop().transpose()?.flatten();
    let Some(chat) = stored.map(|stored| stored.chat) else {
        return Err(anyhow!("{} knows no chat {id}: it never wrote to this bot", bot.name).into());
    };
    let ledger = storage.ledger(Key { bot: bot.id, chat: id }, arguments.ledger).await?;
    if !arguments.json {
        output::table(&rows(&bot.name, id.0, &chat))?;
        return print_ledger(&ledger);
    }
    output::json(&Known {
        bot: &bot.name,
        chat: id.0,
        version: chat.version,
        locale: chat.locale.as_deref(),
        desired: chat.desired.as_ref(),
        shown: chat.shown.as_ref(),
        stack: chat.desired.as_ref().map_or(&[], |desired| &desired.view.stack),
        vars: &chat.vars,
        balance: chat.balance,
        busy: chat.busy.as_ref().map(|generation| &*generation.id),
        premium_until: chat.premium_until,
        paid: chat.paid,
        banned: chat.banned,
        blocked: chat.blocked,
        ledger: ledger
            .iter()
            .map(|LedgerLine { at, entry }| Line {
                at: *at,
                kind: entry.kind,
                amount: entry.amount,
                reference: &entry.reference,
            })
            .collect(),
    })
}

fn print_ledger(ledger: &[LedgerLine]) -> Result<(), Failure> {
    if ledger.is_empty() {
        return Ok(());
    }
    let mut rows = vec![["WHEN", "WHAT", "AMOUNT", "WHY"].map(str::to_owned)];
    rows.extend(ledger.iter().map(|LedgerLine { at, entry }| {
        [output::moment(*at), entry.kind.to_string(), format!("{:+}", entry.amount), entry.reference.clone()]
    }));
    output::line("")?;
    output::table(&rows)
}

fn rows(bot: &str, id: i64, chat: &Chat) -> Vec<[String; 2]> {
    let none = || "-".to_owned();
    let desired = chat.desired.as_ref();
    let shown = chat.shown.as_ref();
    let stack = |view: &View| view.stack.iter().map(frame).collect::<Vec<_>>().join(" > ");
    let vars = chat.vars.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
    let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    [
        ("bot", bot.to_owned()),
        ("chat", id.to_string()),
        ("version", chat.version.0.to_string()),
        ("locale", chat.locale.clone().unwrap_or_else(none)),
        ("desired", desired.map_or_else(none, |it| format!("{} (revision {})", frame(&it.view.top), it.revision.0))),
        (
            "shown",
            shown.map_or_else(none, |it| {
                format!("{} (revision {}, message {})", frame(&it.view.top), it.revision.0, it.message_id)
            }),
        ),
        ("stack", desired.map(|it| stack(&it.view)).filter(|text| !text.is_empty()).unwrap_or_else(none)),
        ("vars", if vars.is_empty() { none() } else { vars }),
        ("balance", chat.balance.to_string()),
        ("busy", chat.busy.as_ref().map_or_else(none, |generation| generation.id.clone())),
        ("premium until", chat.premium_until.map_or_else(none, output::moment)),
        ("paid", yes(chat.paid)),
        ("banned", yes(chat.banned)),
        ("blocked", yes(chat.blocked)),
    ]
    .map(|(name, value)| [name.to_owned(), value])
    .to_vec()
}

fn frame(frame: &Frame) -> String {
    let arguments = frame.arguments.iter().map(|(name, value)| format!(" {name}={value}"));
    frame.screen.clone() + &arguments.collect::<String>()
}

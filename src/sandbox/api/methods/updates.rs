//! getUpdates: a simple long poll. One at a time; with a webhook set, none.
//! Source: tdlib/telegram-bot-api `Client.cpp` (`process_get_updates_query`, `do_get_updates`).

use super::{Context, Outcome};
use crate::sandbox::api::bot::EndedBy;
use crate::sandbox::api::outcome::{Done, Failure};
use crate::sandbox::updates::Pending;
use crate::sandbox::world::Allowed;
use crate::telegram::id::UpdateId;
use serde_json::Value;
use std::time::Duration;

/// Most updates at once, longest wait in seconds.
const LIMIT_MAX: i64 = 100;
const TIMEOUT_MAX_SECONDS: i64 = 50;

pub(super) async fn get(context: Context<'_>) -> Outcome {
    let Context { api, bot, arguments } = context;
    if bot.hook.read().await.live().is_some() {
        let words = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook \
                     first";
        return Err(Failure::verbatim(409, words));
    }
    let own = bot.end_poll(EndedBy::OtherGetUpdates);
    if let Ok(Some(Value::Array(names))) = arguments.json("allowed_updates", "allowed updates") {
        bot.world.allow(Allowed::named(names.iter().filter_map(Value::as_str)));
    }
    let from = acknowledge(context, arguments.integer("offset", 0, i64::MIN..=i64::MAX));
    let limit = usize::try_from(arguments.integer("limit", LIMIT_MAX, 1..=LIMIT_MAX)).unwrap_or(1);
    let timeout = arguments.integer("timeout", 0, 0..=TIMEOUT_MAX_SECONDS);

    let wait = api.0.setup.clock.sleep(Duration::from_secs(u64::try_from(timeout).unwrap_or(0)));
    tokio::pin!(wait);
    let (mut changed, mut poll) = (bot.updates.changed(), bot.poll.subscribe());
    loop {
        changed.borrow_and_update();
        let pending = bot.updates.load(from, limit);
        if !pending.is_empty() || timeout == 0 {
            return Ok(Done::json(written(&pending)));
        }
        tokio::select! {
            _ = changed.changed() => {}
            () = &mut wait => return Ok(Done::json(written(&[]))),
            // The sender lives on in the bot, so this cannot fail.
            _ = poll.wait_for(|poll| poll.number != own) => {
                return Err(Failure::verbatim(409, match bot.poll.borrow().ended_by {
                    EndedBy::SetWebhook => "Conflict: terminated by setWebhook request",
                    EndedBy::OtherGetUpdates => {
                        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
                    }
                }));
            }
        }
    }
}

/// Forgets all before `offset`, which counts from the end where it is negative; where to go on from.
fn acknowledge(context: Context<'_>, offset: i64) -> UpdateId {
    let updates = &context.bot.updates;
    let all = updates.load(UpdateId(0), usize::MAX);
    let from = if offset < 0 {
        let back = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
        all.get(all.len().saturating_sub(back)).map_or(UpdateId(0), |update| update.id)
    } else {
        UpdateId(offset)
    };
    for update in all.iter().filter(|update| update.id < from) {
        updates.forget(update.id);
    }
    from
}

fn written(pending: &[Pending]) -> String {
    let update = |update: &Pending| {
        let object = String::from_utf8_lossy(&update.object);
        format!("{{\"update_id\":{},\n\"{}\":{object}}}", update.id, update.kind)
    };
    format!("[{}]", pending.iter().map(update).collect::<Vec<_>>().join(",\n"))
}

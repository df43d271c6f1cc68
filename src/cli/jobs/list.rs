//! `botctl jobs list`.

use super::view::{View, standing};
use crate::cli::{Failure, output, store};
use crate::config::Config;
use crate::storage::{Lane, ListedJob};
use crate::telegram::id::ChatId;
use clap::Args;

/// List a bot's jobs
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  botctl jobs list --bot shop
  botctl jobs list --chat 123456789
  botctl jobs list --lane outbound --json | jq '.[] | select(.standing == \"waits\")'")]
pub(in crate::cli) struct List {
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Of this lane only
    #[arg(long, value_name = "LANE", value_parser = Lane::ALL.map(Lane::name))]
    lane: Option<String>,
    /// Of this chat only
    #[arg(long, value_name = "ID")]
    chat: Option<ChatId>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, arguments: &List) -> Result<(), Failure> {
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, arguments.bot.as_deref()).await?;
    let wanted = |job: &ListedJob| {
        arguments.lane.as_ref().is_none_or(|lane| job.lane.name() == lane)
            && arguments.chat.is_none_or(|chat| job.chat == chat)
    };
    // One more than is shown says that there are more; what is looked for may be anywhere.
    let is_whole = arguments.lane.is_none() && arguments.chat.is_none();
    let looked_at = if is_whole { arguments.limit.saturating_add(1) } else { usize::MAX };
    let mut jobs: Vec<ListedJob> = storage.jobs(bot.id, looked_at).await?.into_iter().filter(wanted).collect();
    let more = jobs.len() > arguments.limit;
    jobs.truncate(arguments.limit);
    if arguments.json {
        return output::json(&jobs.iter().map(View::of).collect::<Vec<_>>());
    }
    if jobs.is_empty() {
        return output::line("no jobs");
    }
    let mut rows = vec![["ID", "LANE", "CHAT", "WHAT", "ATTEMPTS", "STANDS"].map(str::to_owned)];
    rows.extend(jobs.iter().map(|job| {
        let view = View::of(job);
        let what = view.what();
        let (id, chat, attempts) = (view.id.to_string(), view.chat.to_string(), view.attempts.to_string());
        [id, view.lane.to_owned(), chat, what, attempts, standing(job.standing)]
    }));
    output::table(&rows)?;
    if more { output::line("and more: --limit shows them") } else { Ok(()) }
}

//! `botctl dead list`.

use crate::cli::{Failure, output, store};
use crate::config::Config;
use clap::Args;

/// List the updates that failed
#[derive(Args, Debug)]
#[command(after_help = "\
An update that fails comes again from Telegram; at its third failure it is given up: answered 200 and kept here.

Examples:
  botctl dead list --bot shop
  botctl dead list --json | jq -r '.[] | select(.dead_at != null) | .key'")]
pub(in crate::cli) struct List {
    /// The bot's name; may be left out when there is one bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// At most so many, the last ones
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, arguments: &List) -> Result<(), Failure> {
    let storage = store::open(config).await?;
    let bot = store::bot(&storage, arguments.bot.as_deref()).await?;
    let mut failures = storage.failures(bot.id, arguments.limit.saturating_add(1)).await?;
    let more = failures.len() > arguments.limit;
    failures.truncate(arguments.limit);
    if arguments.json {
        return output::json(&failures);
    }
    if failures.is_empty() {
        return output::line("no update failed");
    }
    let mut rows = vec![["KEY", "FAILURES", "REASON", "LAST", "STANDS"].map(str::to_owned)];
    rows.extend(failures.into_iter().map(|failure| {
        let stands = if failure.dead_at.is_some() { "given up" } else { "comes again" };
        let last = output::moment(failure.last_at);
        // Twelve digits of a digest tell any two apart.
        let key: String = failure.key.chars().take("sha256:".len() + 12).collect();
        [key, failure.failures.to_string(), failure.reason, last, stands.to_owned()]
    }));
    output::table(&rows)?;
    if more { output::line("and more: --limit shows them") } else { Ok(()) }
}

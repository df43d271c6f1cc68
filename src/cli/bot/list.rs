//! `botctl bot list`.

use super::view::{SecretIs, View};
use crate::cli::{Failure, output, store};
use crate::config::Config;
use clap::Args;

/// List all bots
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  botctl bot list
  botctl bot list --json | jq -r '.[].name'")]
pub(in crate::cli) struct List {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, arguments: &List) -> Result<(), Failure> {
    let bots = store::open(config).await?.bots().await?;
    let views: Vec<View> = bots.iter().map(|bot| View::of(bot, SecretIs::Hidden)).collect();
    if arguments.json {
        return output::json(&views);
    }
    let mut rows = vec![["NAME", "ID", "USERNAME", "FLOW", "WEBHOOK"].map(str::to_owned)];
    rows.extend(views.into_iter().map(|view| {
        let webhook = view.webhook_url.unwrap_or(view.webhook_path);
        [view.name, view.id.to_string(), view.username.unwrap_or_else(|| "-".to_owned()), view.flow, webhook]
    }));
    output::table(&rows)
}

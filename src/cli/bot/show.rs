//! `botctl bot show`.

use super::view::{SecretIs, View};
use crate::cli::{Failure, output, store};
use crate::config::Config;
use clap::Args;

/// Show one bot
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  botctl bot show --bot shop
  botctl bot show --show-secret")]
pub(in crate::cli) struct Show {
    /// Its name; may be left out when there is one bot
    #[arg(long, alias = "name", value_name = "NAME")]
    bot: Option<String>,
    /// Show the secret
    #[arg(long)]
    show_secret: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, arguments: &Show) -> Result<(), Failure> {
    let bot = store::bot(&store::open(config).await?, arguments.bot.as_deref()).await?;
    let view = View::of(&bot, SecretIs::shown_if(arguments.show_secret));
    if arguments.json { output::json(&view) } else { output::table(&view.rows()) }
}

//! The command line: one file a command. Never holds logic that the server needs too.
//! Output goes to stdout, everything else to stderr; exit codes: 0 done, 1 failed, 2 usage.

mod bot;
mod chat;
mod check;
mod config;
mod context;
mod failure;
mod migrate;
mod output;
mod process;
mod program;
mod sandbox;
mod sender;
mod serve;
mod store;
mod webhook;

pub use failure::Failure;
pub use program::Program;

use crate::library::Dialogues;
use clap::{Args, Parser, Subcommand};
use context::Context;
use std::ffi::OsString;

/// The server behind a Telegram bot's webhook URL.
#[derive(Debug, Parser)]
#[command(name = "botctl", version, arg_required_else_help = true, max_term_width = 100)]
struct Arguments {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Args, Debug)]
struct Global {
    /// Settings file; `botctl config --manual` explains every key [env: TAPGATE_CONFIG]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Settings")]
    config: Option<String>,
    /// sqlite://FILE or postgres://… [env: DATABASE_URL] [default: sqlite://tapgate.db]
    #[arg(long, global = true, value_name = "URL", help_heading = "Settings")]
    database_url: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the webhook server, the ops listener and the sender
    Serve(serve::Serve),
    /// Run the sender and the ops listener alone, beside `serve --no-sender`
    Sender(sender::Sender),
    /// Run everything on this machine with a simulated Telegram
    Sandbox(sandbox::Arguments),
    /// Bring the database to this program's schema
    Migrate(migrate::Migrate),
    /// Bots: add, list, show
    #[command(subcommand)]
    Bot(bot::Command),
    /// Chats: show, ban, unban
    #[command(subcommand)]
    Chat(chat::Command),
    /// Tell Telegram where a bot's updates go
    SetWebhook(webhook::Set),
    /// What Telegram has, what we want, and the difference
    WebhookInfo(webhook::Info),
    /// Tell Telegram that a bot's updates go nowhere
    DeleteWebhook(webhook::Delete),
    /// Flows, their texts and the settings: every problem at once
    Check(check::Check),
    /// The settings that hold, and where each is from
    Config(config::Show),
}

/// Runs one command, with `dialogues` among the flows.
fn run(
    arguments: impl IntoIterator<Item = OsString>,
    environment: &dyn Fn(&str) -> Option<String>,
    dialogues: &Dialogues,
) -> Result<(), Failure> {
    let Arguments { global, command } = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => return Err(Failure::from_clap(&error)),
        Err(help) => return output::line(help.render().to_string().trim_end()),
    };
    let database = sandbox::Database::of(global.database_url.as_deref());
    let context = Context::new(global.config, environment, dialogues)?;
    let context = context.flag("database_url", "--database-url", global.database_url);
    match command {
        Command::Serve(arguments) => serve::run(context, arguments),
        Command::Sender(arguments) => sender::run(context, arguments),
        Command::Sandbox(arguments) => sandbox::run(context, arguments, database),
        Command::Check(arguments) => check::run(&context, &arguments),
        Command::Config(arguments) => config::run(&context, &arguments),
        Command::Migrate(arguments) => context.block_on(async |config| migrate::run(config, &arguments).await),
        Command::Bot(command) => context.block_on(async |config| bot::run(config, command).await),
        Command::Chat(command) => context.block_on(async |config| chat::run(config, command).await),
        Command::SetWebhook(arguments) => context.block_on(async |config| webhook::set(config, arguments).await),
        Command::WebhookInfo(arguments) => context.block_on(async |config| webhook::info(config, arguments).await),
        Command::DeleteWebhook(arguments) => context.block_on(async |config| webhook::delete(config, arguments).await),
    }
}

//! The command line: one file a command. Never holds logic that the server needs too.
//! Output goes to stdout, everything else to stderr; exit codes: 0 done, 1 failed, 2 usage.

mod bot;
mod capacity;
mod chat;
mod check;
mod completions;
mod config;
mod confirm;
mod context;
mod dead;
mod doctor;
mod failure;
mod health;
mod jobs;
mod man;
mod migrate;
mod output;
mod paint;
mod pause;
mod payments;
mod private;
mod process;
mod program;
mod sandbox;
mod sender;
mod serve;
mod store;
mod webhook;
mod worker;

pub use failure::Failure;
pub use paint::{Paint, Stream};
pub use program::Program;

use crate::library::Dialogues;
use clap::{Args, CommandFactory, Parser, Subcommand};
use context::Context;
use std::ffi::OsString;

/// The server behind a Telegram bot's webhook URL.
#[derive(Debug, Parser)]
#[command(
    name = "botctl",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "\
Examples:
  botctl bot add --name shop --token - < token.txt
  botctl serve
  botctl set-webhook --url https://bot.example.org

`botctl COMMAND --help` has more of each."
)]
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
    /// Do the jobs of lanes: with a language model, or with canned answers
    Worker(worker::Worker),
    /// Run everything on this machine with a simulated Telegram
    #[command(after_help = SANDBOX_EXAMPLES)]
    Sandbox(sandbox::Arguments),
    /// Bring the database to this program's schema
    Migrate(migrate::Migrate),
    /// Bots: add, list, show, set, rotate-secret, remove
    #[command(subcommand)]
    Bot(bot::Command),
    /// Chats: show, ban, unban, grant, forget
    #[command(subcommand)]
    Chat(chat::Command),
    /// Jobs: what waits to be sent or done
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// Updates that failed: list, show, retry, drop
    #[command(subcommand)]
    Dead(dead::Command),
    /// Payments in Stars: list, refund
    #[command(subcommand)]
    Payments(payments::Command),
    /// Answer 503 for a bot's updates: Telegram keeps them for a day and sends them later
    Pause(pause::Pause),
    /// Take a paused bot's updates again
    Resume(pause::Resume),
    /// Tell Telegram where a bot's updates go, and which commands it has
    SetWebhook(webhook::Set),
    /// What Telegram has, what we want, and the difference
    WebhookInfo(webhook::Info),
    /// Tell Telegram that a bot's updates go nowhere
    DeleteWebhook(webhook::Delete),
    /// Flows, their texts and the settings: every problem at once
    Check(check::Check),
    /// What has to hold for updates to arrive, looked at from outside in
    Doctor(doctor::Doctor),
    /// Whether the server at the ops listener takes updates
    Health(health::Health),
    /// How many updates a second each bot could take
    Capacity(capacity::Capacity),
    /// The settings that hold, and where each is from
    Config(config::Show),
    /// Print what a shell needs to complete commands and flags
    Completions(completions::Completions),
    /// Print the manual page, or write one for each command
    Man(man::Man),
}

const SANDBOX_EXAMPLES: &str = "\
The database is a temporary file unless --database-url names one, which must be the sandbox's own and is emptied first;
DATABASE_URL, the one of `serve`, is never used.

Examples:
  botctl sandbox
  botctl sandbox --flow config/flows/companion
  botctl sandbox --script greeting.txt";

/// Runs one command, with `dialogues` among the flows.
fn run(
    arguments: impl IntoIterator<Item = OsString>,
    environment: &dyn Fn(&str) -> Option<String>,
    dialogues: &Dialogues,
) -> Result<(), Failure> {
    let Arguments { global, command } = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => return Err(Failure::from_clap(&error)),
        Err(help) => {
            let help = help.render();
            return output::line(
                match Paint::on(Stream::of(&std::io::stdout()), environment) {
                    Paint::Coloured => help.ansi().to_string(),
                    Paint::Plain => help.to_string(),
                }
                .trim_end(),
            );
        }
    };
    // What is said of the program itself needs no settings, and no right ones.
    let command = match command {
        Command::Completions(arguments) => return completions::run(&arguments, Arguments::command()),
        Command::Man(arguments) => return man::run(&arguments, Arguments::command()),
        command => command,
    };
    let database = sandbox::Database::of(global.database_url.as_deref());
    let context = Context::new(global.config, environment, dialogues)?;
    let context = context.flag("database_url", "--database-url", global.database_url);
    match command {
        Command::Serve(arguments) => serve::run(context, arguments),
        Command::Sender(arguments) => sender::run(context, arguments),
        Command::Worker(arguments) => worker::run(context, arguments),
        Command::Sandbox(arguments) => sandbox::run(context, arguments, database),
        Command::Check(arguments) => check::run(&context, &arguments),
        Command::Config(arguments) => config::run(&context, &arguments),
        Command::Doctor(arguments) => doctor::run(&context, &arguments),
        Command::Health(arguments) => {
            let context = context.flag("ops_listen", "--ops-listen", arguments.ops_listen.clone());
            context.block_on(async |config| health::run(config, &arguments).await)
        }
        Command::Capacity(arguments) => {
            let context = context.flag("ops_listen", "--ops-listen", arguments.ops_listen.clone());
            context.block_on(async |config| capacity::run(config, &arguments).await)
        }
        Command::Migrate(arguments) => context.block_on(async |config| migrate::run(config, &arguments).await),
        Command::Bot(command) => context.block_on(async |config| bot::run(config, command).await),
        Command::Chat(command) => context.block_on(async |config| chat::run(config, command).await),
        Command::Jobs(command) => context.block_on(async |config| jobs::run(config, command).await),
        Command::Dead(command) => context.block_on(async |config| dead::run(config, command).await),
        Command::Payments(command) => context.block_on(async |config| payments::run(config, command).await),
        Command::Pause(arguments) => context.block_on(async |config| pause::pause(config, &arguments).await),
        Command::Resume(arguments) => context.block_on(async |config| pause::resume(config, &arguments).await),
        Command::SetWebhook(arguments) => context.block_on(async |config| webhook::set(config, arguments).await),
        Command::WebhookInfo(arguments) => context.block_on(async |config| webhook::info(config, arguments).await),
        Command::DeleteWebhook(arguments) => context.block_on(async |config| webhook::delete(config, arguments).await),
        Command::Completions(_) | Command::Man(_) => Ok(()),
    }
}

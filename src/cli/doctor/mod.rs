//! `botctl doctor`: everything that has to hold for updates to arrive, from outside in, in the order of what to do.
//! Looks and changes nothing.

mod bot;
mod finding;
mod machine;

use super::context::Context;
use super::{Failure, output};
use anyhow::anyhow;
use clap::Args;
use finding::{Finding, Grade};

/// What has to hold for updates to arrive, looked at from outside in
#[derive(Args, Debug)]
#[command(after_help = "\
Run it where a server runs, with a server's settings. Nothing is changed. Exit code 1 where something is wrong.

Examples:
  botctl doctor
  botctl doctor --bot shop
  botctl doctor --json | jq '.[] | select(.grade == \"wrong\")'")]
pub(super) struct Doctor {
    /// This bot alone [default: all of them]
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context<'_>, arguments: &Doctor) -> Result<(), Failure> {
    let mut findings = vec![];
    if machine::settings_are_sound(context, &mut findings) {
        context.block_on(async |setup| {
            let library = machine::flows(setup, &mut findings);
            machine::redis(setup, &mut findings).await;
            let storage = machine::database(setup, &mut findings).await;
            if let Some(storage) = &storage {
                machine::work(storage, &mut findings).await;
            }
            machine::server(setup, &mut findings).await;
            machine::clock(setup, &mut findings).await;
            if let Some(storage) = &storage {
                let looked_at = bot::Looked { setup, storage, library: library.as_ref() };
                looked_at.at_all(arguments.bot.as_deref(), &mut findings).await;
            }
            Ok(())
        })?;
    }
    if arguments.json {
        output::json(&findings)?;
    } else {
        findings.iter().try_for_each(|finding| output::line(&finding.to_string()))?;
    }
    match findings.iter().filter(|finding| finding.grade == Grade::Wrong).count() {
        0 => Ok(()),
        wrong => Err(anyhow!("{wrong} of {} are wrong: begin with the first", findings.len()).into()),
    }
}

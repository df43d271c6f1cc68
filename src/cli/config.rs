//! `botctl config`: the settings that hold, and where each is from.

use super::context::Context;
use super::{Failure, output};
use crate::config::{self, Effective, MANUAL, Shown};
use clap::Args;

/// The settings that hold, and where each is from
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  botctl config
  botctl config --manual > tapgate.toml
  botctl config --json | jq -r '.[] | select(.origin.from != \"default\") | .key'")]
pub(super) struct Show {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the reference of all keys instead: units, defaults, variables
    #[arg(long, conflicts_with = "json")]
    manual: bool,
}

pub(super) fn run(context: &Context<'_>, arguments: &Show) -> Result<(), Failure> {
    if arguments.manual {
        return output::line(MANUAL.trim_end());
    }
    context.config()?;
    let effective = config::effective(&context.sources);
    if arguments.json {
        return output::json(&effective);
    }
    output::table(&effective.iter().map(row).collect::<Vec<_>>())
}

fn row(setting: &Effective) -> [String; 3] {
    let value = match &setting.value {
        None => "-".to_owned(),
        Some(Shown::Text(text)) => text.clone(),
        Some(Shown::Integer(number)) => number.to_string(),
        Some(Shown::Boolean(value)) => value.to_string(),
        Some(Shown::List(members)) => format!("[{}]", members.join(", ")),
    };
    let origin = setting.origin.as_ref().map_or_else(|| "not set".to_owned(), ToString::to_string);
    [setting.key.to_owned(), value, origin]
}

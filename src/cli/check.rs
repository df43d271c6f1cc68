//! `botctl check`: everything that is wrong with flows, their texts and the settings, before anybody meets it.
//! Never says anything of its own about them: what is wrong is what `serve` would refuse.

mod report;

use super::context::Context;
use super::{Failure, Paint, Stream, output};
use crate::config::{self, Config, Shown};
use crate::flow::Flow;
use crate::flow::definition::Sources;
use crate::library::{self, Version};
use crate::problem::{Problem, Problems, advice};
use anyhow::anyhow;
use clap::Args;
use report::Ink;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Flows, their texts and the settings: every problem at once
///
/// Each problem is shown with file, line and column, and what would be accepted. Exit code 1 when there is any.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  botctl check                  every flow of the program and of TAPGATE_FLOWS_DIR
  botctl check companion        one of them
  botctl check ./flows/mine     a folder with flow.toml and its texts, or of such folders
  botctl check --json | jq '.problems[].line'")]
pub(super) struct Check {
    /// Flows by name, and folders; none: all flows that there are
    #[arg(value_name = "FLOW|DIR")]
    flows: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What was looked at, and what is wrong with it.
#[derive(Debug, Default, Serialize)]
struct Checked {
    flows: Vec<Summary>,
    problems: Problems,
}

/// A flow that was looked at.
#[derive(Debug, Serialize)]
struct Summary {
    name: String,
    /// Where it is from.
    folder: String,
    /// Its version, as `tapgate_flow_version` has it.
    version: Version,
}

pub(super) fn run(context: &Context<'_>, arguments: &Check) -> Result<(), Failure> {
    let mut problems = settings(context);
    let chosen = choose(context, &arguments.flows, &mut problems)?;
    let mut flows = Vec::new();
    for (name, sources) in chosen {
        if let Err(found) = Flow::parse(&sources) {
            problems.0.extend(found.0);
        }
        flows.push(Summary { name, version: Version::of(&sources), folder: sources.name });
    }
    let checked = Checked { flows, problems };
    if arguments.json {
        output::json(&checked)?;
    } else if !checked.problems.0.is_empty() {
        output::line(&report::draw(&checked.problems, ink(context)))?;
    }
    checked.verdict(arguments.json)
}

impl Checked {
    /// How the command ends.
    fn verdict(&self, json: bool) -> Result<(), Failure> {
        let checked = self.flows.iter().map(|flow| flow.name.as_str()).chain(["the settings"]);
        match self.problems.0.len() {
            0 if json => Ok(()),
            0 => output::line(&format!("no problems: {}", checked.collect::<Vec<_>>().join(", "))),
            1 => Err(anyhow!("1 problem: mend it and check again").into()),
            many => Err(anyhow!("{many} problems: mend them and check again").into()),
        }
    }
}

/// What is wrong with the settings, for `serve`.
fn settings(context: &Context<'_>) -> Problems {
    config::load(&context.sources).and_then(|config| Config::check_for_serving(&config)).err().unwrap_or_default()
}

/// The flows folder, whatever else the settings say.
fn flows_dir(context: &Context<'_>) -> Option<PathBuf> {
    let setting = config::effective(&context.sources).into_iter().find(|setting| setting.key == "flows_dir")?;
    match setting.value? {
        Shown::Text(folder) => Some(PathBuf::from(folder)),
        _ => None,
    }
}

/// What `asked` names, or all flows that there are.
fn choose(context: &Context<'_>, asked: &[String], problems: &mut Problems) -> Result<Vec<(String, Sources)>, Failure> {
    // What is wrong with flows that nobody asked for is said only where all are meant.
    let mut others = Problems::default();
    let mut known = library::embedded();
    known.extend(flows_dir(context).map(|folder| library::below(&folder, &mut others)).unwrap_or_default());
    if asked.is_empty() {
        problems.0.extend(others.0);
        return Ok(known.into_iter().collect());
    }
    let mut chosen = Vec::new();
    for word in asked {
        let path = Path::new(word);
        // A folder is what its author works on, even where a flow that is known has its name.
        if path.is_dir() {
            let before = problems.0.len();
            let found = library::below(path, problems);
            if found.is_empty() && problems.0.len() == before {
                problems.push(Problem::new(word, "there is no flow in this folder").help("a flow has a flow.toml"));
            }
            chosen.extend(found);
        } else if let Some(sources) = known.get(word) {
            chosen.push((word.clone(), sources.clone()));
        } else if !context.dialogues.names().any(|name| name == word) {
            // What is written in Rust has been through the compiler.
            let advice = advice(word, known.keys().map(String::as_str).chain(context.dialogues.names()));
            return Err(Failure::usage(format!("there is no flow and no folder {word}: {advice}")));
        }
    }
    Ok(chosen)
}

/// Colours on a terminal whose user has not said NO_COLOR (https://no-color.org).
fn ink(context: &Context<'_>) -> Ink {
    match Paint::on(Stream::of(&std::io::stdout()), context.sources.environment) {
        Paint::Coloured => Ink::COLOURED,
        Paint::Plain => Ink::PLAIN,
    }
}

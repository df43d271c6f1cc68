//! What every command is given: the settings, and a runtime to work in.

use super::Failure;
use crate::bot::Bot;
use crate::config::{self, Config, File, Flag, Sources};
use crate::flow::Dialogue;
use crate::library::{Dialogues, Library};
use anyhow::{Context as _, anyhow};
use std::ops::Deref;
use std::sync::Arc;

/// The dialogue of `bot`, which the settings of the server lead to, not always those of a command.
pub(super) fn dialogue(library: &Library, bot: &Bot) -> Result<Arc<dyn Dialogue>, Failure> {
    let absent = || anyhow!("the flow {} of {} is not there: set TAPGATE_FLOWS_DIR as for `serve`", bot.flow, bot.name);
    Ok(library.dialogue(&bot.flow).ok_or_else(absent)?)
}

/// The sources of the settings, with the flags that were given.
pub(super) struct Context<'a> {
    pub sources: Sources<'a>,
    /// The flows that are written in Rust.
    pub dialogues: &'a Dialogues,
}

/// What a short command is given: the checked settings, and the flows that they lead to.
pub(super) struct Setup<'a> {
    config: Config,
    dialogues: &'a Dialogues,
    environment: &'a dyn Fn(&str) -> Option<String>,
}

impl Setup<'_> {
    /// A variable that is no setting.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        (self.environment)(name)
    }

    /// All flows.
    pub(super) fn library(&self) -> Result<Library, Failure> {
        Ok(Library::with(self.dialogues.clone(), self.config.flows_dir.as_deref())?)
    }
}

impl Deref for Setup<'_> {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.config
    }
}

impl<'a> Context<'a> {
    /// Reads the settings file, if one is named.
    pub(super) fn new(
        file: Option<String>,
        environment: &'a dyn Fn(&str) -> Option<String>,
        dialogues: &'a Dialogues,
    ) -> Result<Self, Failure> {
        const VARIABLE: &str = "TAPGATE_CONFIG";
        let by_variable = || environment(VARIABLE).filter(|path| !path.is_empty()).map(|path| (path, VARIABLE));
        let file = file.map(|path| (path, "--config")).or_else(by_variable);
        let file = file.map(|(path, named_by)| {
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("the settings file {path}, which {named_by} names, cannot be read"))?;
            anyhow::Ok(File { path, text })
        });
        Ok(Self { sources: Sources { file: file.transpose()?, environment, flags: Vec::new() }, dialogues })
    }

    /// The same with a flag, if it was given.
    pub(super) fn flag(mut self, key: &'static str, name: &'static str, value: Option<String>) -> Self {
        self.sources.flags.extend(value.map(|value| Flag { key, name, value }));
        self
    }

    /// The checked settings.
    pub(super) fn config(&self) -> Result<Config, Failure> {
        Ok(config::load(&self.sources)?)
    }

    /// Runs a short command on this thread.
    pub(super) fn block_on(&self, command: impl AsyncFnOnce(&Setup<'_>) -> Result<(), Failure>) -> Result<(), Failure> {
        let environment = self.sources.environment;
        let setup = Setup { config: self.config()?, dialogues: self.dialogues, environment };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(command(&setup))
    }
}

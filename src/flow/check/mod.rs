//! Pure: no I/O, no clock. From what is written to a [`Flow`]: every name leads somewhere, or is reported where it stands.

mod step;
mod word;

use super::callback::NAME_MAX_BYTES;
use super::definition::{Command, Flow, Interrupts, Motion, Sources, Step, Variable};
use super::proof;
use super::render::RESERVED;
use super::source::{self, Definition, Word};
use super::texts::{Locale, Texts};
use crate::problem::{Problem, Problems};
use std::collections::{BTreeMap, BTreeSet};

/// Longest name of a command (Bot API, BotCommand).
const COMMAND_MAX_BYTES: usize = 32;

/// Reads and checks a flow.
pub(super) fn flow(sources: &Sources) -> Result<Flow, Problems> {
    let mut problems = Problems::default();
    let origin = format!("{}/flow.toml", sources.name);
    let Some(definition) = source::read(&origin, &sources.definition, &mut problems) else { return Err(problems) };
    let mut checker = Checker { origin: &origin, text: &sources.definition, definition: &definition, problems };
    let start = checker.start();
    let mut screens = checker.screens();
    let flow = Flow {
        start: start.as_deref().and_then(|start| screens.remove(start)).unwrap_or_default(),
        screens,
        free_balance: checker.amount(definition.top.free_balance.as_ref()),
        variables: checker.variables(),
        interrupts: checker.interrupts(),
        commands: checker.commands(start.as_deref()),
        texts: checker.texts(sources),
    };
    checker.reachable(&flow);
    let mut problems = checker.problems;
    if start.is_some() {
        proof::texts(&flow, sources, &definition, &mut problems);
    }
    problems
        .0
        .sort_by(|a, b| (a.origin != origin, &a.origin, a.position).cmp(&(b.origin != origin, &b.origin, b.position)));
    problems.or(flow)
}

/// What is written, with what was found wrong so far.
struct Checker<'a> {
    origin: &'a str,
    text: &'a str,
    definition: &'a Definition,
    problems: Problems,
}

impl Checker<'_> {
    /// The start screen's name, if there is such a screen.
    fn start(&mut self) -> Option<String> {
        let Some(start) = &self.definition.top.start else {
            let problem = Problem::new(self.origin, "`start` is missing").at(self.text, 0);
            self.problems.push(problem.help("the name of the first screen: `start = \"SCREEN\"`"));
            return None;
        };
        self.screen(start)
    }

    fn texts(&mut self, sources: &Sources) -> Texts {
        let named = &self.definition.top.locales;
        if named.is_empty() {
            let problem = Problem::new(self.origin, "`locales` is missing").at(self.text, 0);
            self.problems.push(problem.help("such as `locales = [\"en\"]`"));
        }
        let names: Vec<&str> = named.iter().map(|name| name.get_ref().as_str()).collect();
        let mut read = Vec::new();
        for (index, name) in named.iter().enumerate() {
            let word = name.get_ref();
            if names.iter().take(index).any(|earlier| earlier == word) {
                self.at(name, format!("locale `{word}` is there twice"));
                continue;
            }
            match sources.texts.iter().find(|(locale, _)| locale == word) {
                Some((_, text)) => {
                    let origin = format!("{}/{word}.ftl", sources.name);
                    read.push(Locale::read(word, &origin, text, &mut self.problems));
                }
                None => self.at(name, format!("the file {word}.ftl is missing")),
            }
        }
        for (locale, text) in sources.texts.iter().filter(|(locale, _)| !names.contains(&locale.as_str())) {
            let problem = Problem::new(format!("{}/{locale}.ftl", sources.name), "this locale is not among `locales`");
            self.problems.push(problem.at(text, 0));
        }
        let mut read = read.into_iter();
        let first = read.next().unwrap_or_else(|| Locale::read("en", "", "", &mut Problems::default()));
        Texts::new(first, read.collect())
    }

    fn variables(&mut self) -> BTreeMap<String, Variable> {
        let definition = self.definition;
        let mut variables = BTreeMap::new();
        for (name, variable) in &definition.variables {
            self.name(name, "variable", NAME_MAX_BYTES);
            if RESERVED.contains(&name.get_ref().as_str()) {
                self.at(
                    name,
                    format!("`{}` is a word of its own in texts; call the variable otherwise", name.get_ref()),
                );
            }
            for value in variable.values.iter().filter(|value| value.get_ref().trim().is_empty()) {
                self.at(value, "a value may not be empty".to_owned());
            }
            let values = variable.values.iter().map(|value| value.get_ref().clone()).collect();
            variables.insert(name.get_ref().clone(), Variable { values });
        }
        variables
    }

    fn interrupts(&mut self) -> Interrupts {
        let written = &self.definition.interrupts;
        let mut screen = |name: &str, word: &Option<Word>| match word {
            Some(word) => self.screen(word).unwrap_or_default(),
            None => {
                let problem = Problem::new(self.origin, format!("interrupt `{name}` has no screen"));
                let place = self.text.find("[interrupts]").unwrap_or(self.text.len());
                self.problems
                    .push(problem.at(self.text, place).help(format!("add `{name} = \"SCREEN\"` below `[interrupts]`")));
                String::new()
            }
        };
        Interrupts {
            not_selected: screen("not_selected", &written.not_selected),
            insufficient_messages: screen("insufficient_messages", &written.insufficient_messages),
            generation_busy: screen("generation_busy", &written.generation_busy),
        }
    }

    fn commands(&mut self, start: Option<&str>) -> BTreeMap<String, Command> {
        let definition = self.definition;
        let mut commands = BTreeMap::new();
        for (name, written) in &definition.commands {
            self.name(name, "command", COMMAND_MAX_BYTES);
            if name.get_ref().contains('-') {
                self.at(name, format!("Telegram takes no `-` in a command (`{}`)", name.get_ref()));
            }
            match &written.go {
                None => self.at(name, format!("command `{}` goes nowhere; give it a `go`", name.get_ref())),
                Some(go) if name.get_ref() == "start" && start.is_some_and(|start| start != go.get_ref()) => {
                    self.at(go, "the command `start` goes to the start screen".to_owned());
                }
                Some(_) => {}
            }
            let argument = written.argument.as_ref().and_then(|variable| self.variable(variable));
            commands.insert(name.get_ref().clone(), Command { step: self.step(written), argument });
        }
        if !commands.contains_key("start") {
            let problem = Problem::new(self.origin, "the command `start` is missing").at(self.text, self.text.len());
            self.problems.push(problem.help("it is the first message of every user: `[commands.start]`"));
        }
        commands
    }

    /// Reports every screen that nothing leads to.
    fn reachable(&mut self, flow: &Flow) {
        let interrupts =
            [&flow.interrupts.not_selected, &flow.interrupts.insufficient_messages, &flow.interrupts.generation_busy];
        let target = |step: &Step| match &step.motion {
            Motion::Go(screen) => Some(screen.clone()),
            Motion::Stay | Motion::Back => None,
        };
        let mut waiting: Vec<String> = interrupts.into_iter().cloned().collect();
        waiting.push(flow.start().to_owned());
        waiting.extend(flow.commands.values().filter_map(|command| target(&command.step)));
        let mut reached = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            if let Some(screen) = flow.screen(&name)
                && reached.insert(name)
            {
                waiting.extend(screen.steps().filter_map(target));
            }
        }
        let definition = self.definition;
        for name in definition.screens.keys().filter(|name| !reached.contains(name.get_ref())) {
            self.at(name, format!("nothing leads to screen `{}`", name.get_ref()));
        }
    }
}

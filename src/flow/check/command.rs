//! Pure: no I/O, no clock. What users write with a slash, and the links that do the same.

use super::Checker;
use crate::flow::definition::{Command, Step};
use crate::flow::source::Go;
use crate::flow::strategy::is_link_parameter;
use crate::problem::Problem;
use std::collections::BTreeMap;

/// Longest name of a command (Bot API, BotCommand).
const COMMAND_MAX_BYTES: usize = 32;

impl Checker<'_> {
    pub(super) fn commands(&mut self, start: Option<&str>) -> BTreeMap<String, Command> {
        let definition = self.definition;
        let mut commands = BTreeMap::new();
        for (name, written) in &definition.commands {
            self.name(name, "command", COMMAND_MAX_BYTES);
            if name.get_ref().contains('-') {
                self.at(name, format!("Telegram takes no `-` in a command (`{}`)", name.get_ref()));
            }
            let last = match (&written.go, &written.call) {
                (Some(Go::Screen(screen)), _) => Some(screen),
                (Some(Go::Cases(cases)), _) => cases.last().and_then(|case| case.get_ref().to.as_ref()),
                (None, Some(call)) => call.get_ref().name.as_ref(),
                (None, None) => {
                    self.at(name, format!("command `{}` goes nowhere; give it a `go`", name.get_ref()));
                    None
                }
            };
            if name.get_ref() == "start" {
                let leads = last.into_iter().chain(&written.empty);
                for elsewhere in leads.filter(|screen| start.is_some_and(|start| start != screen.get_ref())) {
                    self.at(elsewhere, "the command `start` goes to the start screen".to_owned());
                }
            }
            let argument = written.argument.as_ref().and_then(|variable| self.variable(variable));
            let empty = written.empty.as_ref().and_then(|screen| self.screen(screen));
            commands.insert(name.get_ref().clone(), Command { step: self.step(written), argument, empty });
        }
        if !commands.contains_key("start") {
            let problem = Problem::new(self.origin, "the command `start` is missing").at(self.text, self.text.len());
            self.problems.push(problem.help("it is the first message of every user: `[commands.start]`"));
        }
        if let Some(product) = definition.products.keys().next().filter(|_| !commands.contains_key("paysupport")) {
            let problem = Problem::new(self.origin, "who sells for Stars needs the command `paysupport`");
            let help = "Telegram demands that it tells buyers where they get help: `[commands.paysupport]`";
            self.problems.push(problem.at(self.text, product.span().start).help(help));
        }
        commands
    }

    pub(super) fn links(&mut self) -> BTreeMap<String, Step> {
        let definition = self.definition;
        let mut links = BTreeMap::new();
        for (name, written) in &definition.links {
            if !is_link_parameter(name.get_ref()) {
                let problem = Problem::new(self.origin, format!("Telegram takes no link to `{}`", name.get_ref()));
                let help = "1 to 64 of the letters A to Z and a to z, digits, `_` and `-`";
                self.problems.push(problem.at(self.text, name.span().start).help(help));
            }
            if written.go.is_none() && written.locale.is_none() && written.set.is_empty() {
                self.at(name, format!("link `{}` does nothing; give it one of go, set, locale", name.get_ref()));
            }
            links.insert(name.get_ref().clone(), self.step(written));
        }
        links
    }
}

//! Pure: no I/O, no clock. From what is written to a [`Flow`]: every name leads somewhere, or is reported where it stands.

use super::callback::{NAME_MAX_BYTES, is_name};
use super::definition::{Action, Button, Command, Flow, Interrupts, Motion, Requires, Screen, Sources, Step, Variable};
use super::render::RESERVED;
use super::source::{self, Definition, Word};
use super::{proof, texts};
use crate::problem::{Problem, Problems, nearest};
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;
use url::Url;

/// Longest name of a command (Bot API, BotCommand).
const COMMAND_MAX_BYTES: usize = 32;

/// Reads and checks a flow.
pub(super) fn flow(sources: &Sources) -> Result<Flow, Problems> {
    let mut problems = Problems::default();
    let origin = format!("{}/flow.toml", sources.name);
    let definition = source::read(&origin, &sources.definition, &mut problems);
    let mut checker = Checker { origin: &origin, text: &sources.definition, definition: &definition, problems };
    let start = checker.start();
    let locales = checker.locales(sources);
    let mut screens = checker.screens();
    let (start, start_place) = start;
    let flow = Flow {
        start: screens.remove(&start).unwrap_or_default(),
        screens,
        free_balance: checker.free_balance(),
        variables: checker.variables(),
        interrupts: checker.interrupts(),
        commands: checker.commands(&start),
        texts: locales,
    };
    checker.reachable(&flow);
    let mut problems = checker.problems;
    if start_place.is_some() {
        proof::texts(&flow, sources, &definition, &mut problems);
    }
    problems.or(flow)
}

struct Checker<'a> {
    origin: &'a str,
    text: &'a str,
    definition: &'a Definition,
    problems: Problems,
}

impl Checker<'_> {
    /// The start screen's name, with its place if there is such a screen.
    fn start(&mut self) -> (String, Option<usize>) {
        let Some(start) = &self.definition.top.start else {
            self.problems.push(Problem::new(self.origin, "`start` is missing").help("the name of the first screen"));
            return (String::new(), None);
        };
        let known = self.screen(start);
        (known.clone().unwrap_or_default(), known.map(|_| start.span().start))
    }

    fn free_balance(&mut self) -> i64 {
        self.amount(self.definition.top.free_balance.as_ref())
    }

    fn locales(&mut self, sources: &Sources) -> texts::Texts {
        let named = &self.definition.top.locales;
        if named.is_empty() {
            self.problems.push(Problem::new(self.origin, "`locales` is missing").help("such as `locales = [\"en\"]`"));
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
                    read.push(texts::Locale::read(word, &origin, text, &mut self.problems));
                }
                None => self.at(name, format!("the file {word}.ftl is missing")),
            }
        }
        for (locale, _) in sources.texts.iter().filter(|(locale, _)| !names.contains(&locale.as_str())) {
            let problem = Problem::new(format!("{}/{locale}.ftl", sources.name), "this locale is not among `locales`");
            self.problems.push(problem);
        }
        let mut read = read.into_iter();
        let first = read.next().unwrap_or_else(|| texts::Locale::read("en", "", "", &mut Problems::default()));
        texts::Texts::new(first, read.collect())
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
                self.problems.push(problem.help(format!("add `{name} = \"SCREEN\"` below `[interrupts]`")));
                String::new()
            }
        };
        Interrupts {
            not_selected: screen("not_selected", &written.not_selected),
            insufficient_messages: screen("insufficient_messages", &written.insufficient_messages),
            generation_busy: screen("generation_busy", &written.generation_busy),
        }
    }

    fn commands(&mut self, start: &str) -> BTreeMap<String, Command> {
        let definition = self.definition;
        let mut commands = BTreeMap::new();
        for (name, written) in &definition.commands {
            self.name(name, "command", COMMAND_MAX_BYTES);
            if name.get_ref().contains('-') {
                self.at(name, format!("Telegram takes no `-` in a command (`{}`)", name.get_ref()));
            }
            match &written.go {
                None => self.at(name, format!("command `{}` goes nowhere; give it a `go`", name.get_ref())),
                Some(go) if name.get_ref() == "start" && go.get_ref() != start => {
                    self.at(go, format!("the command `start` goes to the start screen, `{start}`"));
                }
                Some(_) => {}
            }
            let argument = written.argument.as_ref().and_then(|variable| self.variable(variable));
            commands.insert(name.get_ref().clone(), Command { step: self.step(written), argument });
        }
        if !commands.contains_key("start") {
            let problem = Problem::new(self.origin, "the command `start` is missing");
            self.problems.push(problem.help("it is the first message of every user: `[commands.start]`"));
        }
        commands
    }

    fn screens(&mut self) -> BTreeMap<String, Screen> {
        let definition = self.definition;
        let mut screens = BTreeMap::new();
        for (name, written) in &definition.screens {
            self.name(name, "screen", NAME_MAX_BYTES);
            let mut seen = BTreeSet::new();
            let mut rows = Vec::new();
            for row in &written.keyboard {
                rows.push(row.iter().filter_map(|button| self.button(name.get_ref(), button, &mut seen)).collect());
            }
            let text = written.text.as_ref().map(|text| self.step(text)).unwrap_or_default();
            let name = name.get_ref().clone();
            screens.insert(name.clone(), Screen { name, keyboard: rows, text });
        }
        screens
    }

    fn button<'b>(
        &mut self,
        screen: &str,
        written: &'b Spanned<source::Step>,
        seen: &mut BTreeSet<&'b str>,
    ) -> Option<Button> {
        let button = written.get_ref();
        let Some(name) = &button.name else {
            self.at(written, "this button has no `name`".to_owned());
            return None;
        };
        self.name(name, "button", NAME_MAX_BYTES);
        if !seen.insert(name.get_ref()) {
            self.at(name, format!("screen `{screen}` has a second button `{}`", name.get_ref()));
        }
        let moves = button.go.is_some() || button.back.is_some() || button.locale.is_some() || !button.set.is_empty();
        let action = match (&button.url, &button.web_app) {
            (None, None) => Action::Step(self.step(button)),
            (Some(url), None) => Action::Url(self.https(url)),
            (_, Some(url)) => Action::WebApp(self.https(url)),
        };
        let opens = usize::from(button.url.is_some()) + usize::from(button.web_app.is_some());
        match (opens, moves) {
            (0, false) => {
                self.at(
                    name,
                    format!(
                        "button `{}` does nothing; give it one of go, back, set, locale, url, web_app",
                        name.get_ref()
                    ),
                );
            }
            (0, true) | (1, false) => {}
            _ => self.at(
                name,
                format!("button `{}` does two things at once; `url` and `web_app` stand alone", name.get_ref()),
            ),
        }
        let label = match &button.label {
            Some(label) => label.get_ref().clone(),
            None => format!("{screen}.{}", name.get_ref()),
        };
        Some(Button { name: name.get_ref().clone(), label, action })
    }

    fn step(&mut self, written: &source::Step) -> Step {
        let set = written.set.iter().filter_map(|(variable, value)| {
            let name = self.variable(variable)?;
            let allowed = self.definition.variables.get(variable.get_ref().as_str()).map(|known| &known.values);
            if let Some(allowed) = allowed.filter(|allowed| !allowed.is_empty())
                && !allowed.iter().any(|allowed| allowed.get_ref() == value.get_ref())
            {
                let known: Vec<_> = allowed.iter().map(|allowed| allowed.get_ref().as_str()).collect();
                self.unknown(value, &format!("value of `{name}`"), &known);
            }
            Some((name, value.get_ref().clone()))
        });
        let set = set.collect();
        let locale = written.locale.as_ref().map(|locale| {
            let definition = self.definition;
            let known: Vec<_> = definition.top.locales.iter().map(|known| known.get_ref().as_str()).collect();
            if !known.contains(&locale.get_ref().as_str()) {
                self.unknown(locale, "locale", &known);
            }
            locale.get_ref().clone()
        });
        let motion = match (&written.go, &written.back) {
            (Some(go), None) => Motion::Go(self.screen(go).unwrap_or_default()),
            (None, Some(back)) if *back.get_ref() => Motion::Back,
            (None, None) => Motion::Stay,
            (None, Some(back)) => {
                self.at(back, "`back` is either `true` or not there".to_owned());
                Motion::Stay
            }
            (Some(go), Some(_)) => {
                self.at(go, "it cannot both `go` and go `back`".to_owned());
                Motion::Stay
            }
        };
        Step { requires: self.requires(&written.requires), set, locale, motion }
    }

    fn requires(&mut self, written: &source::Requires) -> Requires {
        Requires {
            selected: written.selected.iter().filter_map(|variable| self.variable(variable)).collect(),
            idle: written.idle,
            balance: self.amount(written.balance.as_ref()),
        }
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

    fn screen(&mut self, word: &Word) -> Option<String> {
        let definition = self.definition;
        self.one_of(word, "screen", definition.screens.keys())
    }

    fn variable(&mut self, word: &Word) -> Option<String> {
        let definition = self.definition;
        self.one_of(word, "variable", definition.variables.keys())
    }

    fn one_of<'w>(&mut self, word: &Word, what: &str, known: impl Iterator<Item = &'w Word>) -> Option<String> {
        let known: Vec<_> = known.map(|known| known.get_ref().as_str()).collect();
        if known.contains(&word.get_ref().as_str()) {
            return Some(word.get_ref().clone());
        }
        self.unknown(word, what, &known);
        None
    }

    fn unknown(&mut self, word: &Word, what: &str, known: &[&str]) {
        let problem = Problem::new(self.origin, format!("unknown {what} `{}`", word.get_ref()));
        let help = match nearest(word.get_ref(), known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there is {}", if known.is_empty() { "none".to_owned() } else { known.join(", ") }),
        };
        self.problems.push(problem.at(self.text, word.span().start).help(help));
    }

    fn name(&mut self, word: &Word, what: &str, max_bytes: usize) {
        let name = word.get_ref();
        let shape = name.len() <= max_bytes && is_name(name.get(..NAME_MAX_BYTES).unwrap_or(name));
        if !shape {
            let problem = Problem::new(self.origin, format!("`{name}` cannot be the name of a {what}"));
            let help = format!("a small letter, then small letters, digits, `_` and `-`, at most {max_bytes}");
            self.problems.push(problem.at(self.text, word.span().start).help(help));
        }
    }

    fn amount(&mut self, amount: Option<&Spanned<i64>>) -> i64 {
        let Some(amount) = amount else { return 0 };
        if *amount.get_ref() < 0 {
            self.at(amount, "an amount cannot be less than 0".to_owned());
        }
        *amount.get_ref()
    }

    fn https(&mut self, word: &Word) -> String {
        let address = Url::parse(word.get_ref()).ok();
        if !address.is_some_and(|address| address.scheme() == "https" && address.has_host()) {
            self.at(word, "this is not an `https://` address".to_owned());
        }
        word.get_ref().clone()
    }

    fn at<T>(&mut self, place: &Spanned<T>, message: String) {
        self.problems.push(Problem::new(self.origin, message).at(self.text, place.span().start));
    }
}

//! Pure: no I/O, no clock. From what is written to a [`Flow`]: every name leads somewhere, or is reported where it stands.

mod command;
mod reach;
mod route;
mod screen;
mod step;
mod word;

use super::callback::NAME_MAX_BYTES;
use super::definition::{
    Flow, Interrupts, MEMORY_DEFAULT, MEMORY_MAX, Priority, Product, Sources, TYPED_VALUE_MAX_CHARS, Variable,
};
use super::proof;
use super::render::RESERVED;
use super::source::{self, Definition, Word};
use super::texts::{Locale, Texts};
use crate::problem::{Problem, Problems};
use std::collections::BTreeMap;
use toml::Spanned;

/// Reads and checks a flow.
pub(super) fn flow(sources: &Sources) -> Result<Flow, Problems> {
    let mut problems = Problems::default();
    let origin = format!("{}/flow.toml", sources.name);
    let Some(definition) = source::read(&origin, &sources.definition, &mut problems) else { return Err(problems) };
    let mut checker = Checker {
        origin: &origin,
        text: &sources.definition,
        definition: &definition,
        sources,
        needed: Needed::default(),
        problems,
    };
    let start = checker.start();
    let mut screens = checker.screens();
    let flow = Flow {
        start: start.as_deref().and_then(|start| screens.remove(start)).unwrap_or_default(),
        screens,
        free_balance: checker.amount(definition.top.free_balance.as_ref()),
        memory: checker.memory(),
        priority: checker.priority(),
        variables: checker.variables(),
        products: checker.products(),
        commands: checker.commands(start.as_deref()),
        links: checker.links(),
        // After all steps, which say what interrupts them.
        interrupts: checker.interrupts(start.as_deref()),
        texts: checker.texts(),
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
    sources: &'a Sources,
    needed: Needed,
    problems: Problems,
}

/// For each interrupt, where a step stands that it can interrupt.
#[derive(Default)]
struct Needed {
    not_selected: Option<usize>,
    insufficient_messages: Option<usize>,
    generation_busy: Option<usize>,
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

    fn texts(&mut self) -> Texts {
        let sources = self.sources;
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
            for (index, value) in variable.values.iter().enumerate() {
                if variable.values.iter().take(index).any(|earlier| earlier.get_ref() == value.get_ref()) {
                    self.at(value, format!("`{}` is there twice", value.get_ref()));
                }
                if value.get_ref().chars().count() > TYPED_VALUE_MAX_CHARS {
                    self.at(value, format!("a value has at most {TYPED_VALUE_MAX_CHARS} characters"));
                }
            }
            let values = variable.values.iter().map(|value| value.get_ref().clone()).collect();
            variables.insert(name.get_ref().clone(), Variable { values });
        }
        variables
    }

    fn products(&mut self) -> BTreeMap<String, Product> {
        let definition = self.definition;
        let mut products = BTreeMap::new();
        for (name, written) in &definition.products {
            self.name(name, "product", NAME_MAX_BYTES);
            if written.stars.is_none() {
                self.at(name, format!("product `{}` has no `stars`", name.get_ref()));
            }
            if written.messages.is_none() && written.premium_days.is_none() {
                self.at(name, format!("product `{}` gives nothing: `messages` or `premium_days`", name.get_ref()));
            }
            let mut at_least_one = |key: &str, amount: &Option<Spanned<i64>>| {
                if let Some(amount) = amount.as_ref().filter(|amount| *amount.get_ref() < 1) {
                    self.at(amount, format!("`{key}` of a product is at least 1"));
                }
                amount.as_ref().map_or(0, |amount| *amount.get_ref())
            };
            let product = Product {
                stars: at_least_one("stars", &written.stars),
                messages: at_least_one("messages", &written.messages),
                premium_days: at_least_one("premium_days", &written.premium_days),
                thanks: written.thanks.as_ref().and_then(|screen| self.screen(screen)),
            };
            products.insert(name.get_ref().clone(), product);
        }
        products
    }

    /// An interrupt that nothing can meet needs no screen; the start screen stands in.
    fn interrupts(&mut self, start: Option<&str>) -> Interrupts {
        let written = &self.definition.interrupts;
        let needed = std::mem::take(&mut self.needed);
        let mut screen = |name: &str, word: &Option<Word>, needed: Option<usize>| match (word, needed) {
            (Some(word), _) => self.screen(word).unwrap_or_default(),
            (None, None) => start.unwrap_or_default().to_owned(),
            (None, Some(place)) => {
                let problem =
                    Problem::new(self.origin, format!("this needs the interrupt `{name}`, which has no screen"));
                let help = format!("add `{name} = \"SCREEN\"` below `[interrupts]`");
                self.problems.push(problem.at(self.text, place).help(help));
                String::new()
            }
        };
        Interrupts {
            not_selected: screen("not_selected", &written.not_selected, needed.not_selected),
            insufficient_messages: screen(
                "insufficient_messages",
                &written.insufficient_messages,
                needed.insufficient_messages,
            ),
            generation_busy: screen("generation_busy", &written.generation_busy, needed.generation_busy),
        }
    }

    fn memory(&mut self) -> u32 {
        let Some(memory) = &self.definition.top.memory else { return MEMORY_DEFAULT };
        u32::try_from(*memory.get_ref()).ok().filter(|turns| *turns <= MEMORY_MAX).unwrap_or_else(|| {
            self.at(memory, format!("0 to {MEMORY_MAX} turns can be remembered"));
            MEMORY_DEFAULT
        })
    }

    fn priority(&mut self) -> Priority {
        let Some(word) = &self.definition.top.priority else { return Priority::default() };
        Priority::ALL.into_iter().find(|priority| priority.name() == word.get_ref()).unwrap_or_else(|| {
            self.unknown(word, "priority", &Priority::ALL.map(Priority::name));
            Priority::default()
        })
    }
}

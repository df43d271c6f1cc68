//! Pure: no I/O, no clock. Reads the pieces of `flow.toml` one by one, so that a mistake in one of them hides none in
//! another.

use super::{Accepted, Case, Definition, Go, Screen, Step, Word};
use crate::problem::{Problem, Problems, nearest};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const TOP: &[&str] = &[
    "start",
    "locales",
    "free_balance",
    "memory",
    "priority",
    "variables",
    "interrupts",
    "products",
    "commands",
    "links",
    "screens",
];
const VARIABLE: &[&str] = &["values"];
const INTERRUPTS: &[&str] = &["not_selected", "insufficient_messages", "generation_busy"];
const PRODUCT: &[&str] = &["stars", "messages", "premium_days", "thanks"];
const COMMAND: &[&str] =
    &["go", "set", "locale", "requires", "cancel", "forget", "generate", "call", "argument", "empty"];
const LINK: &[&str] = &["go", "set", "locale", "requires"];
const SCREEN: &[&str] = &["photo", "keyboard", "text", "other"];
const PHOTO: &[&str] = &["file", "url", "id"];
const BUTTON: &[&str] = &[
    "name", "label", "when", "go", "back", "set", "locale", "requires", "cancel", "forget", "url", "web_app",
    "generate", "call", "buy",
];
const TEXT: &[&str] = &["go", "back", "set", "locale", "requires", "cancel", "forget", "generate", "call", "argument"];
const REQUIRES: &[&str] = &["selected", "balance", "idle"];
const GENERATE: &[&str] = &["lane", "cost", "then", "arguments", "texts"];
const CALL: &[&str] = &["name", "lane", "arguments", "texts"];
const CASE: &[&str] = &["when", "to"];

pub(super) struct Reader<'a, 'p> {
    pub(super) origin: &'a str,
    pub(super) text: &'a str,
    pub(super) problems: &'p mut Problems,
}

type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> Reader<'a, '_> {
    pub(super) fn definition(mut self) -> Option<Definition> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        if !errors.is_empty() {
            errors.iter().for_each(|error| self.error(error));
            self.problems.0.dedup();
            return None;
        }
        let place = table.span().start;
        let mut table = table.into_inner();
        self.known(&mut table, TOP);
        let mut take = |name: &str| table.remove(name);
        let (variables, interrupts, products) = (take("variables"), take("interrupts"), take("products"));
        let (commands, links, screens) = (take("commands"), take("links"), take("screens"));
        Some(Definition {
            top: self.piece(Spanned::new(place..place, DeValue::Table(table)), TOP).unwrap_or_default(),
            variables: self.named(variables, |reader, value| reader.piece(value, VARIABLE)),
            interrupts: interrupts.and_then(|value| self.piece(value, INTERRUPTS)).unwrap_or_default(),
            products: self.named(products, |reader, value| reader.piece(value, PRODUCT)),
            commands: self.named(commands, |reader, value| reader.step(value, COMMAND)),
            links: self.named(links, |reader, value| reader.step(value, LINK)),
            screens: self.named(screens, Self::screen),
        })
    }

    /// A table of named pieces.
    fn named<T>(
        &mut self,
        value: Option<Value<'a>>,
        mut read: impl FnMut(&mut Self, Value<'a>) -> Option<T>,
    ) -> BTreeMap<Word, T> {
        let Some(table) = value.and_then(|value| self.table(value)) else { return BTreeMap::new() };
        table
            .into_iter()
            .filter_map(|(name, value)| {
                let name = Spanned::new(name.span(), name.into_inner().into_owned());
                Some((name, read(self, value)?))
            })
            .collect()
    }

    fn screen(&mut self, value: Value<'a>) -> Option<Screen> {
        let mut table = self.table(value)?;
        self.known(&mut table, SCREEN);
        let photo = table.remove("photo").and_then(|value| {
            let span = value.span();
            self.piece(value, PHOTO).map(|photo| Spanned::new(span, photo))
        });
        let text = table.remove("text").and_then(|value| self.step(value, TEXT));
        let other = table.remove("other").and_then(|value| self.word(value));
        let rows = table.remove("keyboard").map(|value| self.array(value, "rows of buttons")).unwrap_or_default();
        let keyboard = rows.into_iter().map(|row| self.row(row)).collect();
        Some(Screen { photo, keyboard, text, other })
    }

    /// A piece with a way and conditions in it.
    fn step(&mut self, value: Value<'a>, keys: &[&str]) -> Option<Step> {
        let span = value.span();
        let mut table = self.table(value)?;
        self.known(&mut table, keys);
        for (name, keys) in [("requires", REQUIRES), ("generate", GENERATE), ("call", CALL)] {
            if let Some(DeValue::Table(inner)) = table.get_mut(name).map(Spanned::get_mut) {
                self.known(inner, keys);
            }
        }
        let when = table.remove("when").map(|value| self.when(value)).unwrap_or_default();
        let go = table.remove("go").and_then(|value| self.go(value));
        let step: Step = self.piece(Spanned::new(span, DeValue::Table(table)), keys)?;
        Some(Step { when, go, ..step })
    }

    fn go(&mut self, value: Value<'a>) -> Option<Go> {
        match value.get_ref() {
            DeValue::Array(_) => {
                if value.get_ref().as_array().is_some_and(|cases| cases.is_empty()) {
                    self.problem(value.span().start, "this `go` has no cases, `[{ when = …, to = … }, { to = … }]`");
                }
                let cases = self.array(value, "cases").into_iter().filter_map(|value| self.case(value)).collect();
                Some(Go::Cases(cases))
            }
            _ => self.word(value).map(Go::Screen),
        }
    }

    fn case(&mut self, value: Value<'a>) -> Option<Spanned<Case>> {
        let span = value.span();
        let mut table = self.table(value)?;
        self.known(&mut table, CASE);
        let when = table.remove("when").map(|value| self.when(value)).unwrap_or_default();
        let to = table.remove("to").and_then(|value| self.word(value));
        Some(Spanned::new(span, Case { when, to }))
    }

    fn when(&mut self, value: Value<'a>) -> Vec<(Word, Accepted)> {
        let tests = self.named(Some(value), |reader, value| {
            let span = value.span();
            match value.get_ref() {
                DeValue::Boolean(flag) => Some(Accepted::Flag(Spanned::new(span, *flag))),
                DeValue::Integer(_) => reader.piece(value, &[]).map(Accepted::Number),
                DeValue::Array(_) => {
                    let words = reader.array(value, "words").into_iter();
                    Some(Accepted::Words(words.filter_map(|value| reader.word(value)).collect()))
                }
                _ => reader.word(value).map(|word| Accepted::Words(vec![word])),
            }
        });
        tests.into_iter().collect()
    }

    fn word(&mut self, value: Value<'a>) -> Option<Word> {
        let span = value.span();
        match value.into_inner() {
            DeValue::String(word) => Some(Spanned::new(span, word.into_owned())),
            other => {
                self.problem(span.start, format!("expected a word in quotes, not {}", other.type_str()));
                None
            }
        }
    }

    fn row(&mut self, row: Value<'a>) -> Vec<Spanned<Step>> {
        if row.get_ref().as_array().is_some_and(|row| row.is_empty()) {
            self.problem(row.span().start, "this row has no buttons");
        }
        let buttons = self.array(row, "buttons, `[{ name = … }]`");
        buttons
            .into_iter()
            .filter_map(|button| {
                let span = button.span();
                self.step(button, BUTTON).map(|step| Spanned::new(span, step))
            })
            .collect()
    }

    /// A table that has no other keys than `keys`.
    fn piece<T: Deserialize<'a>>(&mut self, mut value: Value<'a>, keys: &[&str]) -> Option<T> {
        if let DeValue::Table(table) = value.get_mut() {
            self.known(table, keys);
        }
        T::deserialize(toml::de::ValueDeserializer::from(value)).map_err(|error| self.error(&error)).ok()
    }

    /// Takes the keys out of `table` that are not among `keys`.
    fn known(&mut self, table: &mut DeTable<'a>, keys: &[&str]) {
        let strangers = table.keys().filter(|key| !keys.contains(&&**key.get_ref()));
        let strangers: Vec<Word> = strangers.map(|key| Spanned::new(key.span(), key.to_string())).collect();
        for key in strangers {
            table.remove(key.get_ref().as_str());
            let help = match nearest(key.get_ref(), keys.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", keys.join(", ")),
            };
            let problem = Problem::new(self.origin, format!("unknown key `{}`", key.get_ref()));
            self.problems.push(problem.at(self.text, key.span().start).help(help));
        }
    }

    fn table(&mut self, value: Value<'a>) -> Option<DeTable<'a>> {
        let place = value.span().start;
        match value.into_inner() {
            DeValue::Table(table) => Some(table),
            other => {
                self.problem(place, format!("expected a table, not {}", other.type_str()));
                None
            }
        }
    }

    fn array(&mut self, value: Value<'a>, of: &str) -> Vec<Value<'a>> {
        let place = value.span().start;
        match value.into_inner() {
            DeValue::Array(values) => values.into_iter().collect(),
            other => {
                self.problem(place, format!("expected an array of {of}, not {}", other.type_str()));
                Vec::new()
            }
        }
    }

    fn error(&mut self, error: &toml::de::Error) {
        let place = error.span().map_or(0, |span| span.start);
        self.problem(place, error.message().trim().replace('\n', ", "));
    }

    fn problem(&mut self, place: usize, message: impl Into<String>) {
        self.problems.push(Problem::new(self.origin, message).at(self.text, place));
    }
}

//! Pure: no I/O, no clock. `flow.toml` as it is written: its pieces with their positions, unchecked among each other.
//! Pieces are read one by one, so that a mistake in one of them hides none in another.

use crate::problem::{Problem, Problems, nearest};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const TOP: &[&str] = &["start", "locales", "free_balance", "variables", "interrupts", "commands", "screens"];
const VARIABLE: &[&str] = &["values"];
const INTERRUPTS: &[&str] = &["not_selected", "insufficient_messages", "generation_busy"];
const COMMAND: &[&str] = &["go", "set", "locale", "requires", "argument"];
const SCREEN: &[&str] = &["keyboard", "text"];
const BUTTON: &[&str] = &["name", "label", "go", "back", "set", "locale", "requires", "url", "web_app"];
const TEXT: &[&str] = &["go", "back", "set", "locale", "requires"];
const REQUIRES: &[&str] = &["selected", "balance", "idle"];

/// A word with its place.
pub(super) type Word = Spanned<String>;

#[derive(Debug, Default)]
pub(super) struct Definition {
    pub(super) top: Top,
    pub(super) variables: BTreeMap<Word, Variable>,
    pub(super) interrupts: Interrupts,
    pub(super) commands: BTreeMap<Word, Step>,
    pub(super) screens: BTreeMap<Word, Screen>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Top {
    pub(super) start: Option<Word>,
    #[serde(default)]
    pub(super) locales: Vec<Word>,
    pub(super) free_balance: Option<Spanned<i64>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variable {
    #[serde(default)]
    pub(super) values: Vec<Word>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Interrupts {
    pub(super) not_selected: Option<Word>,
    pub(super) insufficient_messages: Option<Word>,
    pub(super) generation_busy: Option<Word>,
}

#[derive(Debug, Default)]
pub(super) struct Screen {
    pub(super) keyboard: Vec<Vec<Spanned<Step>>>,
    pub(super) text: Option<Step>,
}

/// A button, a command, or what a text does: which keys are allowed depends on which.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) name: Option<Word>,
    pub(super) label: Option<Word>,
    pub(super) go: Option<Word>,
    pub(super) back: Option<Spanned<bool>>,
    #[serde(default)]
    pub(super) set: BTreeMap<Word, Word>,
    pub(super) locale: Option<Word>,
    #[serde(default)]
    pub(super) requires: Requires,
    pub(super) url: Option<Word>,
    pub(super) web_app: Option<Word>,
    pub(super) argument: Option<Word>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Requires {
    #[serde(default)]
    pub(super) selected: Vec<Word>,
    pub(super) balance: Option<Spanned<i64>>,
    #[serde(default)]
    pub(super) idle: bool,
}

/// Reads `flow.toml`; what is wrong goes to `problems`. None where it is not TOML at all.
pub(super) fn read(origin: &str, text: &str, problems: &mut Problems) -> Option<Definition> {
    Reader { origin, text, problems }.definition()
}

struct Reader<'a, 'p> {
    origin: &'a str,
    text: &'a str,
    problems: &'p mut Problems,
}

type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> Reader<'a, '_> {
    fn definition(mut self) -> Option<Definition> {
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
        let (variables, interrupts, commands, screens) =
            (take("variables"), take("interrupts"), take("commands"), take("screens"));
        Some(Definition {
            top: self.piece(Spanned::new(place..place, DeValue::Table(table)), TOP).unwrap_or_default(),
            variables: self.named(variables, |reader, value| reader.piece(value, VARIABLE)),
            interrupts: interrupts.and_then(|value| self.piece(value, INTERRUPTS)).unwrap_or_default(),
            commands: self.named(commands, |reader, value| reader.piece(value, COMMAND)),
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
        let text = table.remove("text").and_then(|value| self.piece(value, TEXT));
        let rows = table.remove("keyboard").map(|value| self.array(value, "rows of buttons")).unwrap_or_default();
        let keyboard = rows.into_iter().map(|row| self.row(row)).collect();
        Some(Screen { keyboard, text })
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
                self.piece(button, BUTTON).map(|step| Spanned::new(span, step))
            })
            .collect()
    }

    /// A table that has no other keys than `keys`.
    fn piece<T: Deserialize<'a>>(&mut self, mut value: Value<'a>, keys: &[&str]) -> Option<T> {
        if let DeValue::Table(table) = value.get_mut() {
            self.known(table, keys);
            if let Some(DeValue::Table(requires)) = table.get_mut("requires").map(Spanned::get_mut) {
                self.known(requires, REQUIRES);
            }
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

//! Pure: no I/O, no clock. `flow.toml` as it is written: its pieces with their positions, unchecked among each other.

mod reader;

use crate::problem::Problems;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// A word with its place.
pub(super) type Word = Spanned<String>;

#[derive(Debug, Default)]
pub(super) struct Definition {
    pub(super) top: Top,
    pub(super) variables: BTreeMap<Word, Variable>,
    pub(super) interrupts: Interrupts,
    pub(super) products: BTreeMap<Word, Product>,
    pub(super) commands: BTreeMap<Word, Step>,
    pub(super) links: BTreeMap<Word, Step>,
    pub(super) screens: BTreeMap<Word, Screen>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Top {
    pub(super) start: Option<Word>,
    #[serde(default)]
    pub(super) locales: Vec<Word>,
    pub(super) free_balance: Option<Spanned<i64>>,
    pub(super) memory: Option<Spanned<i64>>,
    pub(super) priority: Option<Word>,
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

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Product {
    pub(super) stars: Option<Spanned<i64>>,
    pub(super) messages: Option<Spanned<i64>>,
    pub(super) premium_days: Option<Spanned<i64>>,
    pub(super) thanks: Option<Word>,
}

#[derive(Debug, Default)]
pub(super) struct Screen {
    pub(super) photo: Option<Spanned<Photo>>,
    pub(super) keyboard: Vec<Vec<Spanned<Step>>>,
    pub(super) text: Option<Step>,
    pub(super) other: Option<Word>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Photo {
    pub(super) file: Option<Word>,
    pub(super) url: Option<Word>,
    pub(super) id: Option<Word>,
}

/// A button, a command, a link, or what a text does: which keys are allowed depends on which.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) name: Option<Word>,
    pub(super) label: Option<Word>,
    #[serde(skip)]
    pub(super) when: Vec<(Word, Accepted)>,
    #[serde(skip)]
    pub(super) go: Option<Go>,
    pub(super) back: Option<Spanned<bool>>,
    #[serde(default)]
    pub(super) set: BTreeMap<Word, Word>,
    pub(super) locale: Option<Word>,
    #[serde(default)]
    pub(super) requires: Requires,
    pub(super) url: Option<Word>,
    pub(super) web_app: Option<Word>,
    pub(super) cancel: Option<Spanned<bool>>,
    pub(super) forget: Option<Spanned<bool>>,
    pub(super) generate: Option<Spanned<Work>>,
    pub(super) call: Option<Spanned<Work>>,
    pub(super) buy: Option<Word>,
    pub(super) argument: Option<Word>,
    pub(super) empty: Option<Word>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Requires {
    #[serde(default)]
    pub(super) selected: Vec<Word>,
    pub(super) balance: Option<Spanned<i64>>,
    pub(super) idle: Option<Spanned<bool>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Work {
    pub(super) name: Option<Word>,
    pub(super) lane: Option<Word>,
    pub(super) cost: Option<Spanned<i64>>,
    pub(super) then: Option<Word>,
    #[serde(default)]
    pub(super) arguments: BTreeMap<Word, Word>,
    #[serde(default)]
    pub(super) texts: BTreeMap<Word, Word>,
}

/// What stands behind `go`.
#[derive(Debug)]
pub(super) enum Go {
    Screen(Word),
    Cases(Vec<Spanned<Case>>),
}

/// One line of a `go` that depends on the chat.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) when: Vec<(Word, Accepted)>,
    pub(super) to: Option<Word>,
}

/// What stands behind a word of `when`.
#[derive(Debug)]
pub(super) enum Accepted {
    Words(Vec<Word>),
    Flag(Spanned<bool>),
    Number(Spanned<i64>),
}

/// Reads `flow.toml`; what is wrong goes to `problems`. None where it is not TOML at all.
pub(super) fn read(origin: &str, text: &str, problems: &mut Problems) -> Option<Definition> {
    reader::Reader { origin, text, problems }.definition()
}

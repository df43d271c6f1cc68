//! Pure: no I/O, no clock. Text to unchecked values, each with its origin; the last source of a value wins.

use super::MANUAL;
use super::key::{self, KEYS};
use super::origin::Origin;
use super::sources::{File, Sources};
use crate::problem::{Position, Problems};
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A text; anything from the environment or a flag is one.
    Text(String),
    /// A whole number, as written.
    Integer(String),
    /// True or false.
    Boolean(bool),
    /// A list of texts.
    List(Vec<String>),
    /// Something that no setting is: its TOML type.
    Other(&'static str),
}

/// A value and where it is from.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// As written.
    pub value: Value,
    /// Where it is from.
    pub origin: Origin,
}

/// The winning values by the place of their key.
pub(super) type Settings = BTreeMap<String, Setting>;

/// Collects the values of all sources.
pub(super) fn collect(sources: &Sources<'_>, problems: &mut Problems) -> Settings {
    let mut settings = Settings::new();
    read_file(None, MANUAL, &mut settings, problems);
    if let Some(File { path, text }) = &sources.file {
        read_file(Some(path), text, &mut settings, problems);
    }
    for known in KEYS {
        if let Some(name) = known.variable
            && let Some(text) = (sources.environment)(name).filter(|text| !text.is_empty())
        {
            let origin = Origin::Environment { name };
            settings.insert(known.path.to_owned(), Setting { value: Value::Text(text), origin });
        }
    }
    for flag in &sources.flags {
        let origin = Origin::Flag { name: flag.name };
        settings.insert(flag.key.to_owned(), Setting { value: Value::Text(flag.value.clone()), origin });
    }
    settings
}

/// Reads one TOML text. No path: the defaults.
fn read_file(path: Option<&str>, text: &str, settings: &mut Settings, problems: &mut Problems) {
    let place = |offset: usize| match path {
        None => Origin::Default,
        Some(path) => {
            let Position { line, column } = Position::of(text, offset);
            Origin::File { path: path.to_owned(), line, column }
        }
    };
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        // The message alone: the rendered error quotes the line, which may hold a password.
        problems.push(place(error.span().map_or(0, |span| span.start)).problem(error.message().trim_end()));
    }
    read_table("", table.get_ref(), &place, settings, problems);
}

fn read_table(
    section: &str,
    table: &DeTable<'_>,
    place: &dyn Fn(usize) -> Origin,
    settings: &mut Settings,
    problems: &mut Problems,
) {
    for (name, value) in table {
        let full =
            if section.is_empty() { name.get_ref().to_string() } else { format!("{section}.{}", name.get_ref()) };
        let known = KEYS.iter().any(|key| key.path == full) || key::of_worker(&full).is_some();
        let is_section = key::is_section(&full);
        match value.get_ref() {
            _ if known => {
                settings.insert(full, Setting { value: read_value(value), origin: place(value.span().start) });
            }
            DeValue::Table(inner) if is_section => read_table(&full, inner, place, settings, problems),
            other if is_section => {
                let origin = place(name.span().start);
                problems.push(origin.problem(format!("`{full}` is a section, not {}", other.type_str())));
            }
            _ => {
                let problem = place(name.span().start).problem(format!("unknown key `{full}`"));
                problems.push(match key::nearest(&full) {
                    Some(near) => problem.help(format!("did you mean `{near}`?")),
                    None => problem.help("`botctl config --manual` explains every key"),
                });
            }
        }
    }
}

fn read_value(value: &Spanned<DeValue<'_>>) -> Value {
    let text = |value: &Spanned<DeValue<'_>>| value.get_ref().as_str().map(str::to_owned);
    match value.get_ref() {
        DeValue::String(written) => Value::Text(written.to_string()),
        DeValue::Integer(written) if written.radix() == 10 => Value::Integer(written.as_str().replace('_', "")),
        DeValue::Boolean(written) => Value::Boolean(*written),
        DeValue::Array(members) => members
            .iter()
            .map(text)
            .collect::<Option<Vec<_>>>()
            .map_or(Value::Other("a list of mixed values"), Value::List),
        other => Value::Other(other.type_str()),
    }
}

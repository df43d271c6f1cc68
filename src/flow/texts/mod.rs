//! Pure: no I/O, no clock. The words of a flow, in every locale it speaks.

mod uses;

use crate::problem::{Problem, Problems};
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentError, FluentResource};
use std::fmt;
use unic_langid::LanguageIdentifier;
pub(super) use uses::Dependence;
use uses::Uses;

/// The texts of all locales.
#[derive(Debug)]
pub(super) struct Texts {
    first: Locale,
    others: Vec<Locale>,
}

/// The texts of one locale.
pub(super) struct Locale {
    name: String,
    bundle: FluentBundle<FluentResource>,
    uses: Uses,
}

impl fmt::Debug for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Locale").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Texts {
    pub(super) const fn new(first: Locale, others: Vec<Locale>) -> Self {
        Self { first, others }
    }

    pub(super) fn locales(&self) -> impl Iterator<Item = &str> {
        self.all().map(|locale| locale.name.as_str())
    }

    /// The text `id` in `locale`, else in the first locale. A text that shows nothing counts as missing.
    pub(super) fn format(&self, locale: &str, id: &str, arguments: &FluentArgs<'_>) -> Option<String> {
        let spoken = self.all().find(|candidate| candidate.name == locale).unwrap_or(&self.first);
        let text = spoken.format(id, arguments).ok();
        text.or_else(|| self.first.format(id, arguments).ok()).filter(|text| !text.trim().is_empty())
    }

    /// The locale of exactly that tag, else one of the same language, else the first.
    pub(super) fn nearest(&self, tag: Option<&str>) -> &str {
        let Some(tag) = tag else { return &self.first.name };
        let tag = tag.replace('_', "-");
        let language = primary(&tag);
        let exact = self.all().find(|locale| locale.name.eq_ignore_ascii_case(&tag));
        let near = || self.all().find(|locale| primary(&locale.name).eq_ignore_ascii_case(language));
        &exact.or_else(near).unwrap_or(&self.first).name
    }

    /// The texts of exactly that locale.
    pub(super) fn exactly(&self, name: &str) -> Option<&Locale> {
        self.all().find(|locale| locale.name == name)
    }

    fn all(&self) -> impl Iterator<Item = &Locale> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

/// Where the message of `id`, or its attribute, begins in `text`.
pub(super) fn place(text: &str, id: &str) -> Option<usize> {
    let (message, attribute) = id.split_once('.').map_or((id, None), |(message, attribute)| (message, Some(attribute)));
    let begin = places(text, message).next()?;
    let inside = attribute.and_then(|attribute| {
        let mut offset = begin;
        let mut lines = text.get(begin..)?.split_inclusive('\n');
        offset += lines.next()?.len();
        for line in lines.take_while(|line| line.starts_with([' ', '\n', '\r'])) {
            let trimmed = line.trim_start();
            if trimmed.strip_prefix('.').is_some_and(|rest| defines(rest, attribute)) {
                return Some(offset + line.len() - trimmed.len());
            }
            offset += line.len();
        }
        None
    });
    inside.or(Some(begin))
}

/// Where messages called `message` begin in `text`.
fn places<'t>(text: &'t str, message: &'t str) -> impl Iterator<Item = usize> + 't {
    let mut next = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let offset = next;
        next += line.len();
        defines(line, message).then_some(offset)
    })
}

/// Whether `line` is `name = …`.
fn defines(line: &str, name: &str) -> bool {
    line.strip_prefix(name).is_some_and(|rest| rest.trim_start_matches(' ').starts_with('='))
}

fn primary(tag: &str) -> &str {
    tag.split('-').next().unwrap_or_default()
}

/// Why a text cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unwritten {
    /// The locale has no such message or attribute.
    Missing,
    /// It refers to something that is not there.
    Broken(String),
}

impl Locale {
    /// Reads `LOCALE.ftl`; what is wrong goes to `problems`.
    pub(super) fn read(name: &str, origin: &str, text: &str, problems: &mut Problems) -> Self {
        let resource = FluentResource::try_new(text.to_owned()).unwrap_or_else(|(resource, errors)| {
            for error in errors {
                problems.push(Problem::new(origin, error.kind.to_string()).at(text, error.pos.start));
            }
            resource
        });
        let uses = Uses::of(&resource);
        let language: LanguageIdentifier = name.parse().unwrap_or_else(|_| {
            let problem = Problem::new(origin, format!("`{name}` is not a language tag"));
            problems.push(problem.at(text, 0).help("such as `en` or `pt-BR`"));
            LanguageIdentifier::default()
        });
        let mut bundle = FluentBundle::new_concurrent(vec![language]);
        // The marks that isolate a value's direction would be visible characters in a button or a code span.
        bundle.set_use_isolating(false);
        for error in bundle.add_resource(resource).err().into_iter().flatten() {
            problems.push(match error {
                FluentError::Overriding { id, .. } => {
                    let problem = Problem::new(origin, format!("the message `{id}` is there twice"));
                    match places(text, &id).nth(1) {
                        Some(second) => problem.at(text, second),
                        None => problem,
                    }
                }
                error => Problem::new(origin, error.to_string()),
            });
        }
        Self { name: name.to_owned(), bundle, uses }
    }

    /// Which variables its texts hang on.
    pub(super) const fn uses(&self) -> &Uses {
        &self.uses
    }

    /// The text `id`: `MESSAGE` or `MESSAGE.ATTRIBUTE`.
    pub(super) fn write(&self, id: &str, arguments: &FluentArgs<'_>) -> Result<String, Unwritten> {
        let mut errors = Vec::new();
        let text = self.pattern(id, arguments, &mut errors)?;
        match errors.into_iter().next() {
            None => Ok(text),
            Some(error) => Err(Unwritten::Broken(error)),
        }
    }

    /// The same, as well as it can be made.
    fn format(&self, id: &str, arguments: &FluentArgs<'_>) -> Result<String, Unwritten> {
        self.pattern(id, arguments, &mut Vec::new())
    }

    fn pattern(&self, id: &str, arguments: &FluentArgs<'_>, errors: &mut Vec<String>) -> Result<String, Unwritten> {
        let (message, attribute) = match id.split_once('.') {
            Some((message, attribute)) => (message, Some(attribute)),
            None => (id, None),
        };
        let message = self.bundle.get_message(message).ok_or(Unwritten::Missing)?;
        let pattern = match attribute {
            None => message.value(),
            Some(attribute) => message.get_attribute(attribute).map(|attribute| attribute.value()),
        };
        let mut found = Vec::new();
        let pattern = pattern.ok_or(Unwritten::Missing)?;
        let text = self.bundle.format_pattern(pattern, Some(arguments), &mut found).into_owned();
        errors.extend(found.iter().map(ToString::to_string));
        Ok(text)
    }
}

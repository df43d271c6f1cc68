//! Pure: no I/O, no clock. One word of a definition: whether it names what it should, and what is said if not.

use super::Checker;
use crate::flow::callback::{NAME_MAX_BYTES, is_name};
use crate::flow::definition::TYPED_VALUE_MAX_CHARS;
use crate::flow::source::{Variable, Word};
use crate::problem::{Problem, advice};
use crate::telegram::link;
use std::collections::BTreeMap;
use toml::Spanned;
use url::Url;

impl Checker<'_> {
    pub(super) fn screen(&mut self, word: &Word) -> Option<String> {
        let definition = self.definition;
        self.one_of(word, "screen", &definition.screens)
    }

    pub(super) fn variable(&mut self, word: &Word) -> Option<String> {
        let definition = self.definition;
        self.one_of(word, "variable", &definition.variables)
    }

    pub(super) fn one_of<T>(&mut self, word: &Word, what: &str, known: &BTreeMap<Word, T>) -> Option<String> {
        if known.contains_key(word.get_ref().as_str()) {
            return Some(word.get_ref().clone());
        }
        let known: Vec<_> = known.keys().map(|known| known.get_ref().as_str()).collect();
        self.unknown(word, what, &known);
        None
    }

    pub(super) fn unknown(&mut self, word: &Word, what: &str, known: &[&str]) {
        let problem = Problem::new(self.origin, format!("unknown {what} `{}`", word.get_ref()));
        self.problems
            .push(problem.at(self.text, word.span().start).help(advice(word.get_ref(), known.iter().copied())));
    }

    pub(super) fn name(&mut self, word: &Word, what: &str, max_bytes: usize) {
        let name = word.get_ref();
        let shape = name.len() <= max_bytes && is_name(name.get(..NAME_MAX_BYTES).unwrap_or(name));
        if !shape {
            let problem = Problem::new(self.origin, format!("`{name}` cannot be the name of a {what}"));
            let help = format!("a small letter, then small letters, digits, `_` and `-`, at most {max_bytes}");
            self.problems.push(problem.at(self.text, word.span().start).help(help));
        }
    }

    pub(super) fn amount(&mut self, amount: Option<&Spanned<i64>>) -> i64 {
        let Some(amount) = amount else { return 0 };
        if *amount.get_ref() < 0 {
            self.at(amount, "an amount cannot be less than 0".to_owned());
        }
        *amount.get_ref()
    }

    /// Whether `word` is an address under one of `schemes` that Telegram takes.
    pub(super) fn url(&mut self, word: &Word, schemes: &[&str]) {
        let scheme = Url::parse(word.get_ref()).ok().map(|url| url.scheme().to_owned());
        let known = scheme.is_some_and(|scheme| schemes.contains(&scheme.as_str()));
        if !known || link::checked(word.get_ref()).is_err() {
            let schemes: Vec<String> = schemes.iter().map(|scheme| format!("`{scheme}://`")).collect();
            self.at(
                word,
                format!("this is not an address that Telegram takes here: {} and a name", schemes.join(", ")),
            );
        }
    }

    /// Whether `value` is one that `variable` may have.
    pub(super) fn known_value(&mut self, name: &str, variable: &Variable, value: &Word) {
        let known: Vec<_> = variable.values.iter().map(|known| known.get_ref().as_str()).collect();
        if known.is_empty() {
            let length = value.get_ref().chars().count();
            if length == 0 || length > TYPED_VALUE_MAX_CHARS {
                self.at(value, format!("a value has 1 to {TYPED_VALUE_MAX_CHARS} characters"));
            }
        } else if !known.contains(&value.get_ref().as_str()) {
            self.unknown(value, &format!("value of `{name}`"), &known);
        }
    }

    pub(super) fn known_locale(&mut self, locale: &Word) {
        let definition = self.definition;
        let known: Vec<_> = definition.top.locales.iter().map(|known| known.get_ref().as_str()).collect();
        if !known.contains(&locale.get_ref().as_str()) {
            self.unknown(locale, "locale", &known);
        }
    }

    pub(super) fn at<T>(&mut self, place: &Spanned<T>, message: String) {
        self.problems.push(Problem::new(self.origin, message).at(self.text, place.span().start));
    }
}

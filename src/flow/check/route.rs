//! Pure: no I/O, no clock. Conditions, and the ways that depend on them.

use super::Checker;
use crate::flow::definition::{Condition, Route, Test};
use crate::flow::source::{Accepted, Case, Go, Word};
use toml::Spanned;

/// What a condition may ask for beside the flow's own variables.
const WORDS: [&str; 4] = ["balance", "busy", "locale", "premium"];

impl Checker<'_> {
    pub(super) fn route(&mut self, written: &Go) -> Route {
        match written {
            Go::Screen(screen) => Route { cases: Vec::new(), otherwise: self.screen(screen).unwrap_or_default() },
            Go::Cases(cases) => self.cases(cases),
        }
    }

    fn cases(&mut self, written: &[Spanned<Case>]) -> Route {
        let mut route = Route::default();
        for (index, place) in written.iter().enumerate() {
            let case = place.get_ref();
            let screen = match &case.to {
                Some(to) => self.screen(to).unwrap_or_default(),
                None => {
                    self.at(place, "this case has no `to`".to_owned());
                    String::new()
                }
            };
            let condition = self.condition(&case.when);
            let is_last = index + 1 == written.len();
            if is_last && !case.when.is_empty() {
                self.at(place, "the last case is for all others: it has no `when`".to_owned());
            } else if !is_last && case.when.is_empty() {
                self.at(place, "no case below this one is ever met, for it has no `when`".to_owned());
            } else if !is_last && route.cases.iter().any(|(earlier, _)| *earlier == condition) {
                self.at(place, "a case above this one has the same `when`".to_owned());
            }
            if is_last {
                route.otherwise = screen;
            } else {
                route.cases.push((condition, screen));
            }
        }
        route
    }

    pub(super) fn condition(&mut self, written: &[(Word, Accepted)]) -> Condition {
        Condition(written.iter().filter_map(|(word, accepted)| self.test(word, accepted)).collect())
    }

    fn test(&mut self, word: &Word, accepted: &Accepted) -> Option<Test> {
        let name = word.get_ref().as_str();
        let definition = self.definition;
        match (name, accepted) {
            ("balance", Accepted::Number(least)) => Some(Test::Balance(self.amount(Some(least)))),
            ("balance", _) => self.none(word, "`balance` is compared with a number: `balance = 1` is 1 or more"),
            ("busy", Accepted::Flag(busy)) => Some(Test::Busy(*busy.get_ref())),
            ("busy", _) => self.none(word, "`busy` is `true` or `false`"),
            ("premium", Accepted::Flag(premium)) => Some(Test::Premium(*premium.get_ref())),
            ("premium", _) => self.none(word, "`premium` is `true` or `false`"),
            ("locale", Accepted::Words(words)) => {
                words.iter().for_each(|locale| self.known_locale(locale));
                Some(Test::Locale(self.distinct(word, words)))
            }
            ("locale", _) => self.none(word, "`locale` is one of the flow's locales, or several in `[]`"),
            (_, accepted) => {
                let Some(variable) = definition.variables.get(name) else {
                    let known = definition.variables.keys().map(|known| known.get_ref().as_str());
                    let known: Vec<&str> = known.chain(WORDS).collect();
                    self.unknown(word, "variable", &known);
                    return None;
                };
                match accepted {
                    Accepted::Words(words) => {
                        words.iter().for_each(|value| self.known_value(name, variable, value));
                        let values = self.distinct(word, words);
                        Some(Test::Among { variable: name.to_owned(), values })
                    }
                    Accepted::Flag(chosen) if *chosen.get_ref() => Some(Test::Chosen(name.to_owned())),
                    Accepted::Flag(_) => Some(Test::NotChosen(name.to_owned())),
                    Accepted::Number(_) => self.none(word, "the value of a variable stands in quotes"),
                }
            }
        }
    }

    fn distinct(&mut self, word: &Word, words: &[Word]) -> Vec<String> {
        if words.is_empty() {
            self.at(word, format!("no value of `{}` would do", word.get_ref()));
        }
        for (index, value) in words.iter().enumerate() {
            if words.iter().take(index).any(|earlier| earlier.get_ref() == value.get_ref()) {
                self.at(value, format!("`{}` is there twice", value.get_ref()));
            }
        }
        words.iter().map(|value| value.get_ref().clone()).collect()
    }

    fn none<T>(&mut self, word: &Word, message: &str) -> Option<T> {
        self.at(word, message.to_owned());
        None
    }
}

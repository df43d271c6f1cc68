//! Pure: no I/O, no clock. Screens, their buttons, and the steps that lead from one to another.

use super::Checker;
use crate::flow::callback::NAME_MAX_BYTES;
use crate::flow::definition::{Action, Button, Motion, Requires, Screen, Step};
use crate::flow::source;
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;

impl Checker<'_> {
    pub(super) fn screens(&mut self) -> BTreeMap<String, Screen> {
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

    pub(super) fn step(&mut self, written: &source::Step) -> Step {
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
}

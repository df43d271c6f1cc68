//! Pure: no I/O, no clock. Screens, their photos and their buttons.

use super::Checker;
use crate::flow::callback::NAME_MAX_BYTES;
use crate::flow::definition::{Action, Button, Photo, Picture, Screen};
use crate::flow::source;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
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
            let text = written.text.as_ref();
            let keeps = text.and_then(|text| text.argument.as_ref()).and_then(|variable| self.variable(variable));
            let name = name.get_ref().clone();
            let screen = Screen {
                name: name.clone(),
                photo: written.photo.as_ref().and_then(|photo| self.photo(photo)),
                keyboard: rows,
                text: text.map(|text| self.step(text)).unwrap_or_default(),
                keeps,
                other: written.other.as_ref().map(|message| message.get_ref().clone()),
            };
            screens.insert(name, screen);
        }
        screens
    }

    fn photo(&mut self, written: &Spanned<source::Photo>) -> Option<Photo> {
        match written.get_ref() {
            source::Photo { file: Some(file), url: None, id: None } => self.picture(file).map(Photo::File),
            source::Photo { file: None, url: Some(url), id: None } => {
                self.url(url, &["https", "http"]);
                Some(Photo::Url(url.get_ref().clone()))
            }
            source::Photo { file: None, url: None, id: Some(id) } => {
                let is_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
                if id.get_ref().is_empty() || !id.get_ref().bytes().all(is_id) {
                    self.at(id, "this is not the id of a file at Telegram".to_owned());
                }
                Some(Photo::Id(id.get_ref().clone()))
            }
            _ => {
                self.at(written, "a photo has exactly one of file, url, id".to_owned());
                None
            }
        }
    }

    fn picture(&mut self, file: &source::Word) -> Option<Arc<Picture>> {
        let sources = self.sources;
        let Some(picture) = sources.pictures.iter().find(|picture| picture.name == *file.get_ref()) else {
            let known: Vec<&str> = sources.pictures.iter().map(|picture| picture.name.as_str()).collect();
            self.unknown(file, "picture", &known);
            return None;
        };
        if let Some(fault) = picture.fault() {
            self.at(file, format!("{}: {fault}", picture.name));
        }
        Some(Arc::clone(picture))
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
        self.acts(name, button);
        let action = match (&button.url, &button.web_app) {
            (None, None) => Action::Step(self.step(button)),
            (Some(url), None) => {
                self.url(url, &["https", "http", "tg"]);
                Action::Url(url.get_ref().clone())
            }
            (_, Some(url)) => {
                self.url(url, &["https"]);
                Action::WebApp(url.get_ref().clone())
            }
        };
        let label = match &button.label {
            Some(label) => label.get_ref().clone(),
            None => format!("{screen}.{}", name.get_ref()),
        };
        Some(Button { name: name.get_ref().clone(), label, when: self.condition(&button.when), action })
    }

    /// Whether a button does something, and one thing only.
    fn acts(&mut self, name: &source::Word, button: &source::Step) {
        let alone =
            [("url", button.url.is_some()), ("web_app", button.web_app.is_some()), ("buy", button.buy.is_some())];
        let alone: Vec<&str> = alone.into_iter().filter_map(|(key, there)| there.then_some(key)).collect();
        let moves = button.go.is_some()
            || button.back.is_some()
            || button.locale.is_some()
            || button.cancel.is_some()
            || button.forget.is_some()
            || button.generate.is_some()
            || button.call.is_some()
            || !button.set.is_empty();
        match (alone.as_slice(), moves) {
            ([], false) => {
                let acts = "go, back, set, locale, cancel, forget, url, web_app, generate, call, buy";
                self.at(name, format!("button `{}` does nothing; give it one of {acts}", name.get_ref()));
            }
            ([], true) | ([_], false) => {}
            ([first, ..], _) => {
                self.at(name, format!("button `{}` does two things at once; `{first}` stands alone", name.get_ref()));
            }
        }
        let required = &button.requires;
        let requires = !required.selected.is_empty() || required.balance.is_some() || required.idle.is_some();
        if requires && (button.url.is_some() || button.web_app.is_some()) {
            self.at(
                name,
                format!("button `{}` opens a link, which `requires` cannot hold back; use `when`", name.get_ref()),
            );
        }
    }
}

//! Pure: no I/O, no clock. Steps: what they set, what they require, what they ask for.

use super::Checker;
use crate::flow::callback::NAME_MAX_BYTES;
use crate::flow::chat::Arguments;
use crate::flow::definition::{Lane, Motion, Request, Requires, Step, Work};
use crate::flow::source;
use toml::Spanned;

impl Checker<'_> {
    pub(super) fn step(&mut self, written: &source::Step) -> Step {
        let definition = self.definition;
        let set = written.set.iter().filter_map(|(variable, value)| {
            let name = self.variable(variable)?;
            // The empty value takes the variable's value away.
            if let Some(known) = definition.variables.get(name.as_str()).filter(|_| !value.get_ref().is_empty()) {
                self.known_value(&name, known, value);
            }
            Some((name, value.get_ref().clone()))
        });
        let set = set.collect();
        if let Some(locale) = &written.locale {
            self.known_locale(locale);
        }
        let motion = match (&written.go, &written.back) {
            (Some(go), None) => Motion::Go(self.route(go)),
            (None, Some(back)) if *back.get_ref() => Motion::Back,
            (None, None) => Motion::Stay,
            (None, Some(back)) => {
                self.at(back, "`back` is either `true` or not there".to_owned());
                Motion::Stay
            }
            (Some(_), Some(back)) => {
                self.at(back, "it cannot both `go` and go `back`".to_owned());
                Motion::Stay
            }
        };
        if let Some(call) = &written.call
            && (written.go.is_some() || written.back.is_some() || written.generate.is_some())
        {
            self.at(call, "a `call` goes to the screen that it names; it stands without go, back, generate".to_owned());
        }
        let mut requires = self.requires(&written.requires);
        let request = self.request(written, &mut requires);
        Step {
            requires,
            set,
            locale: written.locale.as_ref().map(|locale| locale.get_ref().clone()),
            cancel: self.flag(written.cancel.as_ref()),
            forget: self.flag(written.forget.as_ref()),
            motion,
            request,
        }
    }

    /// A word that is either `true` or not there.
    fn flag(&mut self, flag: Option<&Spanned<bool>>) -> bool {
        if let Some(flag) = flag.filter(|flag| !flag.get_ref()) {
            self.at(flag, "this is either `true` or not there".to_owned());
        }
        flag.is_some()
    }

    fn requires(&mut self, written: &source::Requires) -> Requires {
        if let Some(first) = written.selected.first() {
            self.needed.not_selected.get_or_insert(first.span().start);
        }
        if let Some(idle) = &written.idle {
            self.needed.generation_busy.get_or_insert(idle.span().start);
        }
        if let Some(balance) = &written.balance {
            self.needed.insufficient_messages.get_or_insert(balance.span().start);
        }
        Requires {
            selected: written.selected.iter().filter_map(|variable| self.variable(variable)).collect(),
            idle: written.idle.as_ref().is_some_and(|idle| *idle.get_ref()),
            balance: self.amount(written.balance.as_ref()),
        }
    }

    /// What `written` asks for, and what that requires.
    fn request(&mut self, written: &source::Step, requires: &mut Requires) -> Option<Request> {
        match (&written.generate, &written.call, &written.buy) {
            (Some(generate), None, _) => {
                let source::Work { cost, then, .. } = generate.get_ref();
                self.needed.generation_busy.get_or_insert(generate.span().start);
                requires.idle = true;
                if let Some(cost) = cost {
                    self.needed.insufficient_messages.get_or_insert(cost.span().start);
                }
                let cost = self.amount(cost.as_ref());
                requires.balance = requires.balance.max(cost);
                let then = then.as_ref().and_then(|screen| self.screen(screen));
                Some(Request::Generate { work: self.work(generate, &[Lane::Text, Lane::Image]), cost, then })
            }
            (_, Some(call), _) => {
                let name = match &call.get_ref().name {
                    Some(name) => self.screen(name).unwrap_or_default(),
                    None => {
                        self.at(call, "this call has no `name`: the screen that the worker is to fill".to_owned());
                        String::new()
                    }
                };
                Some(Request::Call(name, self.work(call, &Lane::ALL)))
            }
            (None, None, Some(product)) => {
                let definition = self.definition;
                self.one_of(product, "product", &definition.products).map(Request::Buy)
            }
            (None, None, None) => None,
        }
    }

    fn work(&mut self, written: &Spanned<source::Work>, lanes: &[Lane]) -> Work {
        let source::Work { lane, arguments, texts, .. } = written.get_ref();
        let lane = match lane {
            Some(word) => lanes.iter().find(|lane| lane.name() == word.get_ref()).copied().unwrap_or_else(|| {
                let known: Vec<&str> = lanes.iter().map(|lane| lane.name()).collect();
                self.unknown(word, "lane", &known);
                Lane::Default
            }),
            None if lanes.contains(&Lane::Default) => Lane::Default,
            None => {
                let known: Vec<&str> = lanes.iter().map(|lane| lane.name()).collect();
                self.at(written, format!("`lane` is missing: {}", known.join(" or ")));
                Lane::Default
            }
        };
        for name in arguments.keys().chain(texts.keys()) {
            self.name(name, "worker's argument", NAME_MAX_BYTES);
        }
        for name in texts.keys().filter(|name| arguments.contains_key(*name)) {
            self.at(name, format!("argument `{}` is there twice", name.get_ref()));
        }
        let arguments: Arguments =
            arguments.iter().map(|(name, value)| (name.get_ref().clone(), value.get_ref().clone())).collect();
        let texts = texts.iter().map(|(name, message)| (name.get_ref().clone(), message.get_ref().clone())).collect();
        Work { lane, arguments, texts }
    }
}

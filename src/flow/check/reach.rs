//! Pure: no I/O, no clock. What nothing leads to.

use super::Checker;
use crate::flow::definition::{Flow, Motion, Request, Step};
use std::collections::BTreeSet;

impl Checker<'_> {
    /// Reports every screen that nothing leads to, and every product that nothing sells.
    pub(super) fn reachable(&mut self, flow: &Flow) {
        let interrupts =
            [&flow.interrupts.not_selected, &flow.interrupts.insufficient_messages, &flow.interrupts.generation_busy];
        let mut waiting: Vec<&str> = interrupts.into_iter().map(String::as_str).collect();
        waiting.push(flow.start());
        waiting.extend(flow.commands.values().flat_map(|command| targets(&command.step)));
        waiting.extend(flow.commands.values().filter_map(|command| command.empty.as_deref()));
        waiting.extend(flow.links.values().flat_map(targets));
        waiting.extend(flow.products.values().filter_map(|product| product.thanks.as_deref()));
        let mut reached = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            if let Some(screen) = flow.screen(name)
                && reached.insert(name)
            {
                waiting.extend(screen.steps().flat_map(targets));
            }
        }
        let definition = self.definition;
        for name in definition.screens.keys().filter(|name| !reached.contains(name.get_ref().as_str())) {
            self.at(name, format!("nothing leads to screen `{}`", name.get_ref()));
        }
        let sold: BTreeSet<&str> = flow
            .steps()
            .filter_map(|step| match &step.request {
                Some(Request::Buy(product)) => Some(product.as_str()),
                _ => None,
            })
            .collect();
        for name in definition.products.keys().filter(|name| !sold.contains(name.get_ref().as_str())) {
            self.at(name, format!("nothing sells product `{}`; give a button `buy`", name.get_ref()));
        }
    }
}

/// Where a step may lead, now or when what it asks for is there.
fn targets(step: &Step) -> impl Iterator<Item = &str> {
    let route = match &step.motion {
        Motion::Go(route) => Some(route),
        Motion::Stay | Motion::Back => None,
    };
    let later = match &step.request {
        Some(Request::Generate { then, .. }) => then.as_deref(),
        Some(Request::Call(screen, _)) => Some(screen.as_str()),
        Some(Request::Buy(_)) | None => None,
    };
    route.into_iter().flat_map(|route| route.screens()).chain(later)
}

//! Pure: no I/O, no clock. A chat on its way through an event.

use crate::flow::chat::{Chat, Desired, Revision, Version, View};
use crate::flow::decision::{Change, Job, Place};
use crate::flow::definition::{Flow, Motion, Requires, Step};
use crate::flow::event::Event;
use crate::flow::interrupt::Interrupt;

/// Nobody is there yet to do what a step asks for: no worker, no seller. Nothing changes and nothing is paid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unavailable;

/// The chat as it is to be, under the version that the commit makes.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    flow: &'a Flow,
    pub(super) chat: Chat,
}

impl<'a> Draft<'a> {
    /// A draft of what `event` makes of `chat`. A chat that is new gets its free balance;
    /// one that has shown nothing yet learns its locale.
    pub(super) fn of(flow: &'a Flow, chat: &Chat, event: &Event<'_>) -> Self {
        let mut chat = chat.clone();
        if chat.version == Version::default() {
            chat.balance = flow.free_balance();
        }
        if chat.locale.is_none() && chat.desired.is_none() {
            chat.locale = Some(flow.locale(event.language.as_deref()).to_owned());
        }
        chat.version = chat.version.next();
        Self { flow, chat }
    }

    /// The same of something that the user did, who therefore has not blocked the bot.
    pub(super) fn of_act(flow: &'a Flow, chat: &Chat, event: &Event<'_>) -> Self {
        let mut draft = Self::of(flow, chat, event);
        draft.chat.blocked = false;
        draft
    }

    /// Takes `step` from `view`, or goes to the screen of what stands against it.
    ///
    /// # Errors
    /// If nothing stands against it, but nobody is there to do what it asks for. The draft is as it was.
    pub(super) fn follow(&mut self, view: View, step: &Step) -> Result<View, Unavailable> {
        match self.meets(&step.requires) {
            Err(interrupt) => Ok(view.go(self.flow, interrupt.screen(self.flow))),
            Ok(()) if step.request.is_some() => Err(Unavailable),
            Ok(()) => Ok(self.take(view, step)),
        }
    }

    fn take(&mut self, view: View, step: &Step) -> View {
        for (variable, value) in &step.set {
            if value.is_empty() {
                self.chat.vars.remove(variable);
            } else {
                self.chat.vars.insert(variable.clone(), value.clone());
            }
        }
        if let Some(locale) = &step.locale {
            self.chat.locale = Some(locale.clone());
        }
        match &step.motion {
            Motion::Stay => view,
            Motion::Back => view.back(self.flow),
            // The way is chosen by what the chat is now.
            Motion::Go(route) => view.go(self.flow, route.screen(self.flow, &self.chat)),
        }
    }

    fn meets(&self, requires: &Requires) -> Result<(), Interrupt> {
        requires.selected.iter().try_for_each(|variable| self.selected(variable))?;
        if requires.idle && self.chat.busy.is_some() {
            return Err(Interrupt::GenerationBusy);
        }
        if self.chat.balance < requires.balance {
            return Err(Interrupt::InsufficientMessages);
        }
        Ok(())
    }

    fn selected(&self, variable: &str) -> Result<(), Interrupt> {
        if self.flow.has_chosen(&self.chat, variable) { Ok(()) } else { Err(Interrupt::NotSelected) }
    }

    /// Shows `view` there, under a new revision.
    pub(super) fn show(mut self, view: View, place: Place) -> Change {
        self.chat.desired = Some(Desired { view, revision: Revision::from(self.chat.version) });
        Change { jobs: vec![Job::Screen(place)], ..Change::of(self.chat) }
    }

    /// Shows there once more what is desired, under the revision it has; where nothing is, the start screen.
    pub(super) fn redraw(self, place: Place) -> Change {
        if self.chat.desired.is_none() {
            let start = View::start(self.flow);
            return self.show(start, place);
        }
        Change { jobs: vec![Job::Screen(place)], ..Change::of(self.chat) }
    }
}

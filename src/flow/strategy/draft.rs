//! Pure: no I/O, no clock. A chat on its way through an event.

use crate::flow::chat::{Chat, Desired, Revision, Version, View};
use crate::flow::decision::{Change, Job, Place};
use crate::flow::definition::{Flow, Motion, Requires, Step};
use crate::flow::event::Event;
use crate::flow::interrupt::Interrupt;

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
    pub(super) fn follow(&mut self, view: View, step: &Step) -> View {
        match self.take(&view, step) {
            Ok(view) => view,
            Err(interrupt) => view.go(self.flow, interrupt.screen(self.flow)),
        }
    }

    /// Takes `step` from `view`. An interrupt leaves the draft as it was.
    fn take(&mut self, view: &View, step: &Step) -> Result<View, Interrupt> {
        self.meets(&step.requires)?;
        self.chat.vars.extend(step.set.iter().cloned());
        if let Some(locale) = &step.locale {
            self.chat.locale = Some(locale.clone());
        }
        let view = view.clone();
        Ok(match &step.motion {
            Motion::Stay => view,
            Motion::Back => view.back(self.flow),
            Motion::Go(screen) => view.go(self.flow, screen),
        })
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

    /// Whether `variable` has a value that the flow (still) allows.
    fn selected(&self, variable: &str) -> Result<(), Interrupt> {
        let value = self.chat.vars.get(variable);
        let allowed = value.is_some_and(|value| self.flow.variable(variable).is_some_and(|known| known.allows(value)));
        if allowed { Ok(()) } else { Err(Interrupt::NotSelected) }
    }

    /// Shows `view` there, under a new revision.
    pub(super) fn show(mut self, view: View, place: Place) -> Change {
        self.chat.desired = Some(Desired { view, revision: Revision::from(self.chat.version) });
        Change { chat: self.chat, jobs: vec![Job::Screen(place)] }
    }

    /// Shows there once more what is desired, under the revision it has; where nothing is, the start screen.
    pub(super) fn redraw(self, place: Place) -> Change {
        if self.chat.desired.is_none() {
            let start = View::start(self.flow);
            return self.show(start, place);
        }
        Change { chat: self.chat, jobs: vec![Job::Screen(place)] }
    }
}

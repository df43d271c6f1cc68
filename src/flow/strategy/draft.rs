//! Pure: no I/O, no clock. A chat on its way through an event.

use crate::flow::books::{Books, Entry, EntryKind, Memory};
use crate::flow::chat::{Arguments, Chat, Desired, Generation, Revision, Version, View};
use crate::flow::content::{Content, Invoice, Message};
use crate::flow::decision::{Change, Job, Place, Urgency, task_key};
use crate::flow::definition::{Flow, Lane, Motion, Request, Step, Work};
use crate::flow::event::Event;
use crate::flow::interrupt::Interrupt;
use crate::flow::order::{Order, Wanted};
use crate::telegram::text::shorten;

/// Longest title of an invoice, in characters (Bot API, sendInvoice).
pub(in crate::flow) const TITLE_MAX_CHARS: usize = 32;
/// Longest description of an invoice, in characters (Bot API, sendInvoice).
pub(in crate::flow) const DESCRIPTION_MAX_CHARS: usize = 255;

/// The chat as it is to be, under the version that the commit makes, with what leaves because of it.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub(super) flow: &'a Flow,
    pub(super) chat: Chat,
    jobs: Vec<Job>,
    pub(super) books: Books,
}

impl<'a> Draft<'a> {
    /// A draft of what `event` makes of `chat`. A chat that is new gets its free balance;
    /// one that has shown nothing yet learns its locale, if its user is heard.
    pub(super) fn of(flow: &'a Flow, chat: &Chat, event: &Event<'_>) -> Self {
        let mut draft = Self { flow, chat: chat.clone(), jobs: Vec::new(), books: Books::default() };
        if chat.version == Version::default() {
            draft.book(EntryKind::Free, flow.free_balance(), "");
        }
        if chat.locale.is_none() && chat.desired.is_none() && event.language.is_some() {
            draft.chat.locale = Some(flow.locale(event.language.as_deref()).to_owned());
        }
        draft.chat.version = chat.version.next();
        draft
    }

    /// The same of something that the user did, who therefore has not blocked the bot.
    pub(super) fn of_act(flow: &'a Flow, chat: &Chat, event: &Event<'_>) -> Self {
        let mut draft = Self::of(flow, chat, event);
        draft.chat.blocked = false;
        draft
    }

    /// Changes the balance by `amount`, for that reason. The books say what it is changed by.
    pub(super) fn book(&mut self, kind: EntryKind, amount: i64, reference: &str) {
        let before = self.chat.balance;
        self.chat.balance = before.saturating_add(amount);
        let amount = self.chat.balance.saturating_sub(before);
        if amount != 0 {
            self.books.entries.push(Entry { kind, amount, reference: reference.to_owned() });
        }
    }

    /// Sends `content`.
    pub(super) fn send(&mut self, content: Content) {
        self.jobs.push(Job::Content(content));
    }

    /// Takes `step` from `view`, or goes to the screen of what stands against it. `said`: what the user wrote.
    pub(super) fn follow(&mut self, view: View, step: &Step, said: Option<&str>) -> View {
        if let Err(interrupt) = self.meets(step) {
            return view.go(self.flow, interrupt.screen(self.flow));
        }
        let view = if step.cancel { self.give_up(view) } else { view };
        if step.forget {
            self.books.memory = Memory::Forgotten;
        }
        self.take(view, step, said)
    }

    fn take(&mut self, view: View, step: &Step, said: Option<&str>) -> View {
        self.set(&step.set);
        if let Some(locale) = &step.locale {
            self.chat.locale = Some(locale.clone());
        }
        let before = view.top.screen.clone();
        let view = match &step.motion {
            Motion::Stay => view,
            Motion::Back => view.back(self.flow),
            // The way is chosen by what the chat is now.
            Motion::Go(route) => view.go(self.flow, route.screen(self.flow, &self.chat)),
        };
        match &step.request {
            None => view,
            Some(Request::Generate { work, cost, then }) => {
                let then = then.clone().unwrap_or(before);
                self.generate(work, *cost, then, &view.top.screen, said);
                view
            }
            Some(Request::Call(screen, work)) => {
                let arguments = self.arguments(work);
                self.call(view.go(self.flow, screen), screen, work.lane, arguments, said)
            }
            Some(Request::Buy(product)) => {
                self.offer(product);
                view
            }
        }
    }

    /// Sets variables; the empty value takes a variable's value away.
    pub(super) fn set<'s>(&mut self, values: impl IntoIterator<Item = &'s (String, String)>) {
        for (variable, value) in values {
            if value.is_empty() {
                self.chat.vars.remove(variable);
            } else {
                self.chat.vars.insert(variable.clone(), value.clone());
            }
        }
    }

    fn generate(&mut self, work: &Work, cost: i64, then: String, screen: &str, said: Option<&str>) {
        let id = self.next_key();
        self.book(EntryKind::Reserved, -cost, &id);
        self.chat.busy = Some(Generation { id, cost, screen: screen.to_owned(), then: then.clone() });
        self.order(work.lane, Wanted::Generation { then }, self.arguments(work), said);
    }

    /// Asks a worker of `lane` for `name`, which `view` is to show.
    pub(super) fn call(
        &mut self,
        mut view: View,
        name: &str,
        lane: Lane,
        arguments: Arguments,
        said: Option<&str>,
    ) -> View {
        view.top.wait_for(self.next_key());
        let wanted = Wanted::Call { name: name.to_owned(), screen: view.top.screen.clone() };
        self.order(lane, wanted, arguments, said);
        view
    }

    fn arguments(&self, work: &Work) -> Arguments {
        let texts = work.texts.iter().map(|(name, message)| (name.clone(), self.flow.label(&self.chat, message)));
        work.arguments.clone().into_iter().chain(texts).collect()
    }

    fn order(&mut self, lane: Lane, wanted: Wanted, arguments: Arguments, said: Option<&str>) {
        let urgency = if self.flow.priority().is_of(&self.chat) { Urgency::Priority } else { Urgency::Usual };
        let order = Order {
            wanted,
            arguments,
            text: said.filter(|text| !text.is_empty()).map(str::to_owned),
            vars: self.chat.vars.clone(),
            locale: Some(self.flow.spoken(&self.chat).to_owned()),
        };
        self.jobs.push(Job::Order { lane, urgency, order });
    }

    fn offer(&mut self, name: &str) {
        let Some(product) = self.flow.product(name) else { return };
        let message = format!("product-{name}");
        let text = |id: &str, max_chars| shorten(&self.flow.label(&self.chat, id), max_chars);
        let invoice = Invoice {
            title: text(&message, TITLE_MAX_CHARS),
            description: text(&format!("{message}.description"), DESCRIPTION_MAX_CHARS),
            payload: name.to_owned(),
            stars: product.stars,
        };
        self.send(Content { message: Message::Invoice(invoice), reservation: None });
    }

    /// The chat no longer waits for its generation, whose job goes, and gets back what it took.
    fn give_up(&mut self, view: View) -> View {
        let Some(generation) = self.chat.busy.take() else { return view };
        self.book(EntryKind::Returned, generation.cost, &generation.id);
        let view = view.released(self.flow, &generation, &generation.then);
        self.books.cancelled = Some(generation.id);
        view
    }

    /// The key that the next job gets.
    fn next_key(&self) -> String {
        task_key(self.chat.version, self.jobs.len())
    }

    /// What `step` gives up is over, and what that gives back counts.
    fn meets(&self, Step { requires, cancel, .. }: &Step) -> Result<(), Interrupt> {
        requires.selected.iter().try_for_each(|variable| self.selected(variable))?;
        if requires.idle && self.chat.busy.is_some() && !cancel {
            return Err(Interrupt::GenerationBusy);
        }
        let back = self.chat.busy.as_ref().filter(|_| *cancel).map_or(0, |generation| generation.cost);
        if self.chat.balance.saturating_add(back) < requires.balance {
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
        self.jobs.push(Job::Screen(place));
        self.keep()
    }

    /// Shows there once more what is desired, under the revision it has; where nothing is, the start screen.
    pub(super) fn redraw(mut self, place: Place) -> Change {
        if self.chat.desired.is_none() {
            let start = View::start(self.flow);
            return self.show(start, place);
        }
        self.jobs.push(Job::Screen(place));
        self.keep()
    }

    /// Shows nothing because of it.
    pub(super) fn keep(self) -> Change {
        Change { chat: self.chat, jobs: self.jobs, books: self.books }
    }
}

//! Pure: no I/O, no clock. What a worker was asked for has an end: made, not made, or made and never seen.

use super::draft::Draft;
use crate::flow::books::{EntryKind, Memory, Role, Turn};
use crate::flow::callback::{Callback, OPEN};
use crate::flow::chat::{Chat, Generation, Version, View};
use crate::flow::content::{Content, Message, Reservation};
use crate::flow::decision::{Change, Decision, Place};
use crate::flow::definition::Flow;
use crate::flow::event::Event;
use crate::flow::order::{Order, Wanted};
use crate::flow::output::{self, CONTENTS_MAX, OfferedAction, OfferedButton, Output, Piece};
use crate::flow::render::Notice;
use crate::telegram::answer::Answer;
use crate::telegram::keyboard::{ButtonAction, InlineKeyboard};
use crate::telegram::text::{CAPTION_MAX_CHARS, TEXT_MAX_CHARS, shorten};

/// A worker has made it.
pub(in crate::flow) fn finished(
    flow: &Flow,
    chat: &Chat,
    event: &Event<'_>,
    (key, order): (&str, &Order),
    output: &Output,
) -> Decision {
    match (&order.wanted, waited(chat, key)) {
        (Wanted::Call { .. }, _) => called(flow, chat, event, key, Some(output)),
        (Wanted::Generation { .. }, Some(generation)) => made(flow, chat, event, generation, order, output),
        (Wanted::Generation { .. }, None) => Decision::default(),
    }
}

/// Nobody will make it.
pub(in crate::flow) fn failed(flow: &Flow, chat: &Chat, event: &Event<'_>, (key, order): (&str, &Order)) -> Decision {
    match (&order.wanted, waited(chat, key)) {
        (Wanted::Call { .. }, _) => called(flow, chat, event, key, None),
        (Wanted::Generation { .. }, Some(generation)) => missed(flow, chat, event, generation),
        (Wanted::Generation { .. }, None) => Decision::default(),
    }
}

/// It was made, and the user will never see it.
pub(in crate::flow) fn undelivered(flow: &Flow, chat: &Chat, event: &Event<'_>, reservation: &Reservation) -> Decision {
    // Whoever was erased is not made anew by what they once asked for.
    if chat.version == Version::default() {
        return Decision::default();
    }
    let mut draft = Draft::of(flow, chat, event);
    draft.book(EntryKind::Returned, reservation.cost, &reservation.generation);
    if chat.blocked || chat.banned {
        return decided(draft.keep());
    }
    draft.send(notice(flow, &draft.chat, Notice::Failed));
    let view = desired(flow, chat);
    decided(draft.show(view, Place::New))
}

/// The generation of that id, if the chat still waits for it.
fn waited<'c>(chat: &'c Chat, id: &str) -> Option<&'c Generation> {
    chat.busy.as_ref().filter(|generation| generation.id == id)
}

/// What was made goes to the user, below it the screen that follows.
fn made(
    flow: &Flow,
    chat: &Chat,
    event: &Event<'_>,
    generation: &Generation,
    order: &Order,
    output: &Output,
) -> Decision {
    let mut contents = contents(flow, output);
    let elsewhere = output.screen.as_deref().filter(|screen| flow.screen(screen).is_some());
    if chat.banned || contents.is_empty() && elsewhere.is_none() {
        return missed(flow, chat, event, generation);
    }
    let mut draft = Draft::of(flow, chat, event);
    draft.chat.busy = None;
    set(&mut draft, output);
    match contents.last_mut() {
        // Delivered is what was delivered whole: the last message carries it.
        Some(last) if generation.cost != 0 => {
            last.reservation = Some(Reservation { generation: generation.id.clone(), cost: generation.cost });
        }
        Some(_) => {}
        None => draft.book(EntryKind::Returned, generation.cost, &generation.id),
    }
    contents.into_iter().for_each(|content| draft.send(content));
    draft.books.memory = remembered(flow, order, output);
    let then = elsewhere.unwrap_or(&generation.then);
    let view = desired(flow, chat).released(flow, generation, then);
    decided(draft.show(view, Place::New))
}

/// Nothing was made: it costs nothing, and the user is told. A suspended one is sent nothing.
fn missed(flow: &Flow, chat: &Chat, event: &Event<'_>, generation: &Generation) -> Decision {
    let mut draft = Draft::of(flow, chat, event);
    draft.chat.busy = None;
    draft.book(EntryKind::Returned, generation.cost, &generation.id);
    if chat.banned {
        return decided(draft.keep());
    }
    draft.send(notice(flow, &draft.chat, Notice::Failed));
    let view = desired(flow, chat).released(flow, generation, &generation.then);
    decided(draft.show(view, Place::New))
}

/// The screen of a call, on top or on the way back, shows what a worker made of it, or that none did. What the worker sets
/// is set wherever the user is: it has done what it was asked for.
fn called(flow: &Flow, chat: &Chat, event: &Event<'_>, key: &str, output: Option<&Output>) -> Decision {
    if chat.version == Version::default() {
        return Decision::default();
    }
    let mut draft = Draft::of(flow, chat, event);
    output.into_iter().for_each(|output| set(&mut draft, output));
    let is_top = chat.desired.as_ref().is_some_and(|desired| desired.view.top.waits_for(key));
    if let Some(desired) = &mut draft.chat.desired {
        desired.view.called(key, output.and_then(|output| output.show.as_ref()));
    }
    if (&draft.chat.vars, &draft.chat.desired) == (&chat.vars, &chat.desired) {
        return Decision::default();
    }
    if is_top && !chat.banned {
        let view = desired(flow, &draft.chat);
        return decided(draft.show(view, Place::Shown));
    }
    decided(draft.keep())
}

fn decided(change: Change) -> Decision {
    Decision { change: Some(change), answer: Answer::EMPTY, note: None }
}

fn desired(flow: &Flow, chat: &Chat) -> View {
    chat.desired.as_ref().map_or_else(|| View::start(flow), |desired| desired.view.clone())
}

fn notice(flow: &Flow, chat: &Chat, notice: Notice) -> Content {
    Content { message: Message::Text { text: flow.notice(chat, notice), keyboard: None }, reservation: None }
}

/// Sets what the worker sets, as far as the flow allows it.
fn set(draft: &mut Draft<'_>, output: &Output) {
    let flow = draft.flow;
    let allowed = |(name, value): &(&String, &String)| {
        flow.variable(name).is_some_and(|variable| value.is_empty() || variable.allows(value))
    };
    let values: Vec<(String, String)> =
        output.set.iter().filter(allowed).map(|(name, value)| (name.clone(), value.clone())).collect();
    draft.set(&values);
}

fn contents(flow: &Flow, output: &Output) -> Vec<Content> {
    let messages = output.contents.iter().take(CONTENTS_MAX).flat_map(|piece| messages(flow, piece));
    messages.map(|message| Content { message, reservation: None }).collect()
}

/// The messages of `piece`, in which there is something to see. The buttons stand under the last of them.
fn messages(flow: &Flow, piece: &Piece) -> Vec<Message> {
    let photo = piece.photo.clone().filter(output::is_fetchable);
    let texts = |max_chars| piece.words.as_ref().map(|words| words.messages(max_chars)).unwrap_or_default();
    // Under a photo there is place for one short text.
    let (mut captions, mut texts) = match &photo {
        Some(_) => (texts(CAPTION_MAX_CHARS), texts(TEXT_MAX_CHARS)),
        None => (Vec::new(), texts(TEXT_MAX_CHARS)),
    };
    if captions.len() == 1 {
        texts.clear();
    } else {
        captions.clear();
    }
    let photo = photo.map(|photo| Message::Photo { photo, caption: captions.pop(), keyboard: None });
    let texts = texts.into_iter().map(|text| Message::Text { text, keyboard: None });
    let mut messages: Vec<Message> = photo.into_iter().chain(texts).collect();
    if let Some(Message::Text { keyboard, .. } | Message::Photo { keyboard, .. }) = messages.last_mut() {
        *keyboard = offered(flow, &piece.buttons);
    }
    messages
}

/// Buttons under content: they open screens below it, or links. What leads to a screen that is gone is not there.
fn offered(flow: &Flow, buttons: &[Vec<OfferedButton>]) -> Option<InlineKeyboard> {
    let inline_keyboard = output::rows(buttons, |_, action| match action {
        OfferedAction::Screen(screen) => {
            let screen = &flow.screen(screen)?.name;
            Some(ButtonAction::CallbackData(Callback { screen, button: OPEN, revision: None }.to_string()))
        }
        OfferedAction::Call(_) | OfferedAction::Url(_) => None,
    });
    (!inline_keyboard.is_empty()).then_some(InlineKeyboard { inline_keyboard })
}

/// What was said, where there was an answer in words. What stands under a photo is none.
fn remembered(flow: &Flow, order: &Order, output: &Output) -> Memory {
    let words = output.contents.iter().filter(|piece| piece.photo.is_none()).filter_map(|piece| piece.words.as_ref());
    let answer = words.map(|words| words.plain().into_owned()).collect::<Vec<_>>().join("\n\n");
    if flow.memory() == 0 || answer.trim().is_empty() {
        return Memory::Kept;
    }
    let turn = |role, text: &str| Turn { role, text: shorten(text, TEXT_MAX_CHARS) };
    let said = order.text.as_deref().map(|said| turn(Role::User, said));
    Memory::Continued {
        turns: said.into_iter().chain([turn(Role::Assistant, &answer)]).collect(),
        turns_max: flow.memory(),
    }
}

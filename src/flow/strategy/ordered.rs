//! Pure: no I/O, no clock. What a worker was asked for has an end: made, not made, or made and never seen.

use super::draft::Draft;
use crate::flow::books::{EntryKind, Memory, Role, Turn};
use crate::flow::callback::{Callback, OPEN};
use crate::flow::chat::{Chat, Generation, View};
use crate::flow::content::{Content, Message, Reservation};
use crate::flow::decision::{Decision, Place};
use crate::flow::definition::Flow;
use crate::flow::event::Event;
use crate::flow::order::{Order, Wanted};
use crate::flow::output::{Face, OfferedAction, OfferedButton, Output, Piece, Words};
use crate::flow::render::Notice;
use crate::telegram::answer::Answer;
use crate::telegram::keyboard::{ButtonAction, InlineButton, InlineKeyboard};
use crate::telegram::text::{CAPTION_MAX_CHARS, TEXT_MAX_CHARS, escape, plain, split};

/// A worker has made it.
pub(in crate::flow) fn finished(
    flow: &Flow,
    chat: &Chat,
    event: &Event<'_>,
    (key, order): (&str, &Order),
    output: &Output,
) -> Decision {
    match &order.wanted {
        Wanted::Call { screen, .. } => called(flow, chat, event, (key, screen), Some(output)),
        Wanted::Generation { then } => {
            // Given up meanwhile.
            let Some(generation) = chat.busy.as_ref().filter(|busy| busy.id == key) else { return Decision::default() };
            if chat.banned {
                return give_back(flow, chat, event, generation);
            }
            let mut draft = Draft::of(flow, chat, event);
            draft.chat.busy = None;
            set(&mut draft, output);
            let mut contents = contents(flow, output);
            let reservation = Reservation { generation: generation.id.clone(), cost: generation.cost };
            // Delivered is what was delivered whole: the last message carries it.
            if let Some(last) = contents.last_mut() {
                last.reservation = Some(reservation).filter(|reservation| reservation.cost != 0);
            }
            contents.into_iter().for_each(|content| draft.send(content));
            draft.books.memory = remembered(flow, order, output);
            let then = output.screen.as_deref().filter(|screen| flow.screen(screen).is_some()).unwrap_or(then);
            let view = follows(flow, chat, generation, then);
            decided(draft.show(view, Place::New))
        }
    }
}

/// Nobody will make it.
pub(in crate::flow) fn failed(flow: &Flow, chat: &Chat, event: &Event<'_>, (key, order): (&str, &Order)) -> Decision {
    match &order.wanted {
        Wanted::Call { screen, .. } => called(flow, chat, event, (key, screen), None),
        Wanted::Generation { then } => {
            let Some(generation) = chat.busy.as_ref().filter(|busy| busy.id == key) else { return Decision::default() };
            if chat.banned {
                return give_back(flow, chat, event, generation);
            }
            let mut draft = Draft::of(flow, chat, event);
            draft.chat.busy = None;
            draft.book(EntryKind::Returned, generation.cost, &generation.id);
            let text = flow.notice(&draft.chat, Notice::Failed);
            draft.send(Content { message: Message::Text { text, keyboard: None }, reservation: None });
            let view = follows(flow, chat, generation, then);
            decided(draft.show(view, Place::New))
        }
    }
}

/// It was made, and the user will never see it. Nothing is sent because of it.
pub(in crate::flow) fn undelivered(flow: &Flow, chat: &Chat, event: &Event<'_>, reservation: &Reservation) -> Decision {
    let mut draft = Draft::of(flow, chat, event);
    draft.book(EntryKind::Returned, reservation.cost, &reservation.generation);
    decided(draft.keep())
}

/// A suspended user is sent nothing and pays for nothing.
fn give_back(flow: &Flow, chat: &Chat, event: &Event<'_>, generation: &Generation) -> Decision {
    let mut draft = Draft::of(flow, chat, event);
    draft.chat.busy = None;
    draft.book(EntryKind::Returned, generation.cost, &generation.id);
    decided(draft.keep())
}

fn decided(change: crate::flow::decision::Change) -> Decision {
    Decision { change: Some(change), answer: Answer::EMPTY, note: None }
}

/// Who still waits on the waiting screen goes on to `then`; who went elsewhere stays there.
fn follows(flow: &Flow, chat: &Chat, generation: &Generation, then: &str) -> View {
    let view = chat.desired.as_ref().map_or_else(|| View::start(flow), |desired| desired.view.clone());
    if view.top.screen == generation.screen && flow.screen(then).is_some() { view.go(flow, then) } else { view }
}

/// The screen of a call, on top or on the way back, shows what a worker made of it, or that none did.
fn called(
    flow: &Flow,
    chat: &Chat,
    event: &Event<'_>,
    (key, screen): (&str, &str),
    output: Option<&Output>,
) -> Decision {
    let Some(mut view) = chat.desired.as_ref().map(|desired| desired.view.clone()) else { return Decision::default() };
    let face: Option<&Face> = output.and_then(|output| output.show.as_ref());
    let waits = |frame: &crate::flow::chat::Frame| frame.screen == screen && frame.waits_for(key);
    let is_top = waits(&view.top);
    let frames = view.stack.iter_mut().chain(std::iter::once(&mut view.top));
    let Some(frame) = frames.into_iter().find(|frame| waits(frame)) else { return Decision::default() };
    frame.shows(face);
    let mut draft = Draft::of(flow, chat, event);
    output.into_iter().for_each(|output| set(&mut draft, output));
    if is_top && !chat.banned {
        return decided(draft.show(view, Place::Shown));
    }
    if let Some(desired) = &mut draft.chat.desired {
        desired.view = view;
    }
    decided(draft.keep())
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

/// The messages of `output`. A plain text that is too long for one becomes several, the buttons under the last.
fn contents(flow: &Flow, output: &Output) -> Vec<Content> {
    let mut contents = Vec::new();
    for Piece { photo, words, buttons } in &output.contents {
        let max_chars = if photo.is_some() { CAPTION_MAX_CHARS } else { TEXT_MAX_CHARS };
        let mut texts = words.as_ref().map(|words| parts(words, max_chars)).unwrap_or_default().into_iter();
        let keyboard = keyboard(flow, buttons);
        let mut messages = Vec::new();
        if let Some(photo) = photo {
            messages.push(Message::Photo { photo: photo.clone(), caption: texts.next(), keyboard: None });
        }
        messages.extend(texts.map(|text| Message::Text { text, keyboard: None }));
        if let Some(Message::Text { keyboard: last, .. } | Message::Photo { keyboard: last, .. }) = messages.last_mut()
        {
            *last = keyboard;
        }
        contents.extend(messages.into_iter().map(|message| Content { message, reservation: None }));
    }
    contents
}

fn parts(words: &Words, max_chars: usize) -> Vec<String> {
    match words {
        Words::Text(text) => split(text, max_chars).into_iter().map(|part| escape(&part)).collect(),
        Words::Html(html) => vec![html.clone()],
    }
}

/// Buttons under content: they open screens below it, or links. What leads to a screen that is gone is not there.
fn keyboard(flow: &Flow, buttons: &[Vec<OfferedButton>]) -> Option<InlineKeyboard> {
    let button = |offered: &OfferedButton| {
        let action = match &offered.action {
            OfferedAction::Screen(screen) => {
                let screen = &flow.screen(screen)?.name;
                ButtonAction::CallbackData(Callback { screen, button: OPEN, revision: None }.to_string())
            }
            OfferedAction::Url(url) => ButtonAction::Url(url.clone()),
            OfferedAction::Call(_) => return None,
        };
        Some(InlineButton { text: offered.label.clone(), action })
    };
    let rows = buttons.iter().map(|row| row.iter().filter_map(button).collect::<Vec<_>>());
    let inline_keyboard: Vec<_> = rows.filter(|row| !row.is_empty()).collect();
    (!inline_keyboard.is_empty()).then_some(InlineKeyboard { inline_keyboard })
}

/// What was said, where somebody said something and was answered in words.
fn remembered(flow: &Flow, order: &Order, output: &Output) -> Memory {
    let words = output.contents.iter().filter_map(|piece| piece.words.as_ref());
    let answer = words.map(|words| match words {
        Words::Text(text) => text.clone(),
        Words::Html(html) => plain(html),
    });
    let answer = answer.collect::<Vec<_>>().join("\n\n");
    match &order.text {
        Some(said) if flow.memory() > 0 && !answer.is_empty() => Memory::Continued {
            turns: vec![Turn { role: Role::User, text: said.clone() }, Turn { role: Role::Assistant, text: answer }],
            turns_max: flow.memory(),
        },
        _ => Memory::Kept,
    }
}

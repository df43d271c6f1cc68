//! Pure: no I/O, no clock. Chats for which a text is made to be looked at.

use crate::flow::chat::{Chat, Desired, View};
use crate::flow::definition::{Flow, TYPED_VALUE_MAX_CHARS};
use std::collections::BTreeSet;

/// Amounts that between them have every plural form there is.
const AMOUNTS: [&str; 10] = ["0", "1", "2", "3", "5", "11", "21", "100", "1000000", "-1"];

/// Most chats that a text is made for with each value of one variable beside each of another.
const TOGETHER_MAX: usize = 256;

/// Chats in which the variables `named` have every value they can have, together if that is not too much.
/// In the first of them every variable has one.
pub(super) fn samples(flow: &Flow, locale: &str, named: &BTreeSet<&str>) -> Vec<Chat> {
    let first = chosen(flow, locale);
    let ranges: Vec<(&str, Vec<String>)> = named.iter().map(|name| (*name, range(flow, name))).collect();
    let together = ranges.iter().try_fold(1_usize, |count, (_, values)| count.checked_mul(values.len()));
    let mut chats = vec![first.clone()];
    if together.is_some_and(|count| count <= TOGETHER_MAX) {
        for (name, values) in &ranges {
            chats = chats.iter().flat_map(|chat| values.iter().map(|value| with(chat, name, value))).collect();
        }
        chats.insert(0, first);
    } else {
        for (name, values) in &ranges {
            chats.extend(values.iter().map(|value| with(&first, name, value)));
        }
    }
    chats
}

/// What a variable can be. That it is not set is the empty value.
fn range(flow: &Flow, name: &str) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match name {
        "balance" => words(&AMOUNTS),
        "busy" => words(&["", "yes"]),
        "locale" => flow.locales().map(str::to_owned).collect(),
        // The letter that takes most to write.
        _ => match flow.variable(name).filter(|variable| !variable.values.is_empty()) {
            None => vec![String::new(), "<".repeat(TYPED_VALUE_MAX_CHARS)],
            Some(variable) => [String::new()].into_iter().chain(variable.values.iter().cloned()).collect(),
        },
    }
}

fn with(chat: &Chat, name: &str, value: &str) -> Chat {
    let mut chat = chat.clone();
    match name {
        "balance" => chat.balance = value.parse().unwrap_or_default(),
        "busy" => chat.busy = (!value.is_empty()).then(|| value.to_owned()),
        "locale" => chat.locale = Some(value.to_owned()),
        "start" => {
            let arguments = chat.desired.as_mut().map(|desired| &mut desired.view.top.arguments);
            arguments.into_iter().for_each(|arguments| drop(arguments.insert(name.to_owned(), value.to_owned())));
        }
        _ => drop(chat.vars.insert(name.to_owned(), value.to_owned())),
    }
    chat
}

/// A chat in which every variable has a value.
fn chosen(flow: &Flow, locale: &str) -> Chat {
    let chat = Chat {
        locale: Some(locale.to_owned()),
        desired: Some(Desired { view: View::start(flow), revision: Default::default() }),
        balance: flow.free_balance,
        ..Chat::default()
    };
    let names = flow.variables.keys().map(String::as_str).chain(["start"]);
    names.fold(chat, |chat, name| match range(flow, name).get(1) {
        Some(value) => with(&chat, name, value),
        None => chat,
    })
}

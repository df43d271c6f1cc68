//! Pure: no I/O, no clock. Every text of a flow, made in every locale, in each of its branches, before a user sees it.

mod samples;

use super::definition::{Flow, Request, Sources};
use super::render::{Form, Notice, RESERVED};
use super::source::Definition;
use super::strategy::{DESCRIPTION_MAX_CHARS, TITLE_MAX_CHARS};
use super::texts::{Locale, Unwritten, place};
use crate::problem::{Problem, Problems, nearest};
use crate::telegram::markup;
use crate::telegram::method::CALLBACK_ANSWER_MAX_CHARS;
use crate::telegram::text::{MARKED_MAX_BYTES, TEXT_MAX_CHARS};
use samples::{Sample, Samples, samples};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Longest description of a command (Bot API, BotCommand).
const COMMAND_DESCRIPTION_MAX_CHARS: usize = 256;

/// A text that the flow needs, and how much of it may be seen.
struct Needed {
    id: String,
    what: String,
    form: Form,
    max_chars: usize,
}

/// Reports every text that is missing, refers to what is not there, is empty, too long or refused by Telegram.
pub(super) fn texts(flow: &Flow, sources: &Sources, definition: &Definition, problems: &mut Problems) {
    let needed = needed(flow);
    let used: BTreeSet<&str> = needed.iter().map(|needed| needed.id.as_str()).collect();
    for name in &definition.top.locales {
        let Some((name, text)) = sources.texts.iter().find(|(locale, _)| locale == name.get_ref()) else { continue };
        let Some(locale) = flow.texts.exactly(name) else { continue };
        let origin = format!("{}/{name}.ftl", sources.name);
        let mut report = |id: &str, problem: Problem| {
            // What is not there is to be added at the end.
            problems.push(problem.at(text, place(text, id).unwrap_or(text.len())));
        };
        let strangers =
            strangers(flow, locale, |id, problem| report(id, Problem { origin: origin.clone(), ..problem }));
        for needed in &needed {
            let Some(problem) = wrong(flow, locale, name, needed, &strangers) else { continue };
            let problem = Problem::new(&origin, problem);
            let near = unused(locale, &needed.id, &used);
            report(
                &needed.id,
                match near {
                    Some(near) => problem.help(format!("there is `{near}`, which flow.toml does not name")),
                    None => problem,
                },
            );
        }
    }
}

/// The text that `id` was most likely meant to be, where there is no such text: one that is not `used`.
fn unused<'l>(locale: &'l Locale, id: &str, used: &BTreeSet<&str>) -> Option<&'l str> {
    let texts = locale.uses().named().map(|(text, _)| text);
    if texts.clone().any(|text| text == id) {
        return None;
    }
    match id.split_once('.') {
        None => nearest(id, texts.filter(|text| !text.contains('.') && !used.contains(text))),
        Some((message, attribute)) => {
            let attributes = texts.filter(|text| !used.contains(text)).filter_map(|text| text.split_once('.'));
            nearest(attribute, attributes.filter(|(inside, _)| *inside == message).map(|(_, attribute)| attribute))
        }
    }
}

/// A text that several share is told once.
fn needed(flow: &Flow) -> Vec<Needed> {
    let (mut needed, mut known) = (Vec::new(), BTreeSet::new());
    let mut need = |id: &str, what: String, form: Form, max_chars: usize| {
        if known.insert((id.to_owned(), form == Form::Html, max_chars)) {
            needed.push(Needed { id: id.to_owned(), what, form, max_chars });
        }
    };
    for screen in flow.screens() {
        need(&screen.name, format!("the text of screen `{}`", screen.name), Form::Html, screen.text_max_chars());
        for button in screen.keyboard.iter().flatten() {
            let what = format!("the label of button `{}` on screen `{}`", button.name, screen.name);
            need(&button.label, what, Form::Plain, TEXT_MAX_CHARS);
        }
        if let Some(other) = &screen.other {
            need(other, format!("the `other` text of screen `{}`", screen.name), Form::Html, TEXT_MAX_CHARS);
        }
    }
    for name in flow.commands.keys() {
        let what = format!("the description of command `{name}`");
        need(&format!("command-{name}"), what, Form::Plain, COMMAND_DESCRIPTION_MAX_CHARS);
    }
    for name in flow.products.keys() {
        let id = format!("product-{name}");
        need(&id, format!("the title of product `{name}`"), Form::Plain, TITLE_MAX_CHARS);
        let what = format!("the description of product `{name}`");
        need(&format!("{id}.description"), what, Form::Plain, DESCRIPTION_MAX_CHARS);
    }
    for step in flow.steps() {
        let Some(Request::Generate { work, .. } | Request::Call(_, work)) = &step.request else { continue };
        for (argument, message) in &work.texts {
            need(message, format!("the argument `{argument}` for a worker"), Form::Plain, TEXT_MAX_CHARS);
        }
    }
    let generates = flow.steps().any(|step| matches!(step.request, Some(Request::Generate { .. })));
    let sells = flow.products().next().is_some();
    for notice in Notice::ALL {
        let max_chars = match notice {
            Notice::Failed if !generates => continue,
            Notice::NotSold | Notice::Unassigned if !sells => continue,
            Notice::Suspended | Notice::OldButton | Notice::NotSold => CALLBACK_ANSWER_MAX_CHARS,
            Notice::UnknownCommand | Notice::Failed | Notice::Unassigned | Notice::Error => TEXT_MAX_CHARS,
        };
        need(notice.id(), format!("the notice `{}`", notice.id()), Form::Html, max_chars);
    }
    needed
}

/// Reports the variables in texts that the flow does not have, and gives them.
fn strangers<'l>(flow: &Flow, locale: &'l Locale, mut report: impl FnMut(&str, Problem)) -> BTreeSet<&'l str> {
    let mut strangers = BTreeSet::new();
    for (id, variables) in locale.uses().named() {
        for variable in
            variables.iter().filter(|name| flow.variable(name).is_none() && !RESERVED.contains(&name.as_str()))
        {
            let known = flow.variables.keys().map(String::as_str).chain(RESERVED);
            let problem = Problem::new("", format!("the text `{id}` uses the unknown variable `${variable}`"));
            let help = match nearest(variable, known.clone()) {
                Some(near) => format!("did you mean `${near}`?"),
                None => format!("there is ${}", known.collect::<Vec<_>>().join(", $")),
            };
            report(id, problem.help(help));
            strangers.insert(variable.as_str());
        }
    }
    strangers
}

/// What is wrong with a text in `locale`, which is called `name`.
fn wrong(flow: &Flow, locale: &Locale, name: &str, needed: &Needed, strangers: &BTreeSet<&str>) -> Option<String> {
    let Samples { first, groups } = samples(flow, name, &locale.uses().dependence(&needed.id));
    let length = |sample| made(flow, locale, needed, strangers, sample).map(|text| text.chars().count());
    let longest = || {
        let usual = length(&first)?;
        // Elsewhere some variables have no value, and a text may be empty.
        if usual == 0 {
            return Err("shows nothing".to_owned());
        }
        groups.iter().try_fold(usual, |longest, group| {
            let most = group.iter().try_fold(usual, |most, sample| length(sample).map(|length| most.max(length)))?;
            Ok(longest + most - usual)
        })
    };
    let Needed { what, max_chars, .. } = needed;
    match longest() {
        Err(problem) => Some(format!("{what} {problem}")),
        Ok(longest) if longest > *max_chars => {
            Some(format!("{what} is up to {longest} characters long, more than {max_chars}"))
        }
        Ok(_) => None,
    }
}

/// What is seen of a text in `sample`.
fn made(
    flow: &Flow,
    locale: &Locale,
    needed: &Needed,
    strangers: &BTreeSet<&str>,
    sample: &Sample,
) -> Result<String, String> {
    let mut arguments = flow.arguments(&sample.chat, &sample.waiting, needed.form);
    strangers.iter().for_each(|stranger| arguments.set(Cow::Borrowed(*stranger), "x"));
    match locale.write(&needed.id, &arguments) {
        Ok(text) => seen(text, needed.form).map_err(|refused| format!("is refused by Telegram: {refused}")),
        Err(Unwritten::Missing) => Err(match needed.id.split_once('.') {
            None => format!("is missing: message `{}`", needed.id),
            Some((message, attribute)) => format!("is missing: attribute `.{attribute}` of message `{message}`"),
        }),
        Err(Unwritten::Broken(error)) => Err(format!("is broken: {error}")),
    }
}

/// What is left to see of a text.
fn seen(text: String, form: Form) -> Result<String, String> {
    if text.len() > MARKED_MAX_BYTES {
        return Err(format!("{} bytes with its markup are more than {MARKED_MAX_BYTES}", text.len()));
    }
    let formatted = match form {
        Form::Html => markup::parse(&text).map_err(|detail| refusal(&detail))?,
        Form::Plain => markup::Formatted::plain(&text),
    };
    Ok(markup::clean(&formatted).text)
}

/// What Telegram says of the markup, without the place in a text that nobody wrote as it is sent.
fn refusal(detail: &str) -> String {
    let words = match detail.split_once(" at byte offset ") {
        Some((before, after)) => {
            format!("{before}{}", after.trim_start_matches(|letter: char| letter.is_ascii_digit()))
        }
        None => detail.to_owned(),
    };
    if words.starts_with("Unsupported start tag \"\"") {
        format!("{words} (a `<` that begins no tag is written `&lt;`)")
    } else if words.starts_with("Unsupported start tag") {
        format!("{words} (it knows {})", markup::TAGS.join(", "))
    } else {
        words
    }
}

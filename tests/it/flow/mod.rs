//! The dialogue: how a flow is read, and what a chat lives through in it.

mod ann;
mod asked;
mod bought;
mod called;
mod companion;
mod definition;
mod generated;
mod language;
mod made;
mod mistakes;
mod properties;
mod readme;
mod rules;
mod shipped;
mod suspended;
mod walk;

use tapgate::flow::Flow;
use tapgate::flow::chat::{Chat, Waiting};
use tapgate::flow::definition::{Rendered, Sources};

/// A small flow in which every rule can be met.
const DEFINITION: &str = r#"
start = "home"
locales = ["en", "ru", "pt-BR"]
free_balance = 2

[variables.pet]
values = ["cat", "dog"]

[variables.note]

[interrupts]
not_selected = "pets"
insufficient_messages = "shop"
generation_busy = "busy"

[commands.start]
go = "home"

[commands.pets]
go = "pets"

[commands.note]
go = "pets"
argument = "note"

[commands.walk]
go = "walk"
requires = { selected = ["pet"] }

[screens.home]
keyboard = [
  [{ name = "pets", go = "pets" }],
  [{ name = "walk", go = "walk", requires = { selected = ["pet"], balance = 1, idle = true } }],
  [{ name = "site", url = "https://example.com/a?b=c" }, { name = "app", web_app = "https://example.com/app" }],
]

[screens.pets]
keyboard = [
  [{ name = "cat", set = { pet = "cat" } }, { name = "dog", set = { pet = "dog" }, back = true }],
  [{ name = "walk", go = "walk" }, { name = "back", back = true }],
  [{ name = "russian", locale = "ru" }],
]
[screens.pets.text]
set = { pet = "cat" }
go = "walk"

[screens.walk]
keyboard = [[{ name = "pets", go = "pets" }, { name = "home", go = "home" }, { name = "back", back = true }]]

[screens.shop]
[screens.busy]
keyboard = [[{ name = "back", back = true }]]
"#;

const TEXTS: &str = r#"
home = Home, { $balance ->
    [one] { $balance } walk
   *[other] { $balance } walks
  }. Came by { $start }.
    .pets = Pets
    .walk = Walk
    .site = Site
    .app = App
pets = Your pet: <b>{ $pet }</b>. Your note: { $note }
    .cat = Cat & co
    .dog = Dog
    .walk = Walk
    .back = Back
    .russian = Russian
walk = Walking { $pet }
    .pets = Pets
    .home = Home
    .back = Back
shop = Shop
busy = Busy
    .back = Back
command-start = Start
command-pets = Pets
command-note = Note
command-walk = Walk
notice-suspended = <b>Suspended</b> &amp; closed
notice-unknown-command = Unknown <i>command</i>
notice-old-button = Old button
error = Error
"#;

fn sources() -> Sources {
    let text = |mark: &str| TEXTS.replace("home = Home", &format!("home = {mark}"));
    let texts = vec![
        ("en".to_owned(), TEXTS.to_owned()),
        ("ru".to_owned(), text("Дом").replace("Unknown", "Неизвестная")),
        ("pt-BR".to_owned(), text("Casa")),
    ];
    Sources { name: "pets".to_owned(), definition: DEFINITION.to_owned(), texts, ..Sources::default() }
}

/// What `chat` is to show while nothing is known of a generation.
fn rendered(flow: &Flow, chat: &Chat) -> Rendered {
    flow.render(chat, &Waiting::default())
}

fn flow() -> Flow {
    Flow::parse(&sources()).unwrap_or_else(|problems| panic!("{problems}"))
}

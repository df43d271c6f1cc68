//! What the language can say beside going from screen to screen: conditions, cases, links, photos, products, requests.

use super::ann::Ann;
use tapgate::flow::Flow;
use tapgate::flow::chat::Version;
use tapgate::flow::decision::{Job, Note, Place};
use tapgate::flow::definition::{Photo, Picture, Product, Sources};
use tapgate::telegram::answer::Answer;
use tapgate::telegram::keyboard::ButtonAction;

pub const DEFINITION: &str = r#"
start = "home"
locales = ["en", "ru"]
free_balance = 3
memory = 4

[variables.pet]
values = ["cat", "dog"]

[variables.name]

[interrupts]
not_selected = "pets"
insufficient_messages = "shop"
generation_busy = "busy"

[products.ten]
stars = 50
messages = 10

[products.month]
stars = 200
premium_days = 30
thanks = "thanks"

[commands.start]
go = [
    { when = { pet = "dog", balance = 1 }, to = "kennel" },
    { to = "home" },
]

[commands.name]
go = "home"

[commands.draw]
empty = "pets"
go = "waiting"
generate = { lane = "image", cost = 2 }

[commands.cancel]
cancel = true
go = "home"

[commands.forget]
forget = true
go = "home"

[commands.news]
call = { name = "news" }

[commands.paysupport]
go = "help"

[links.dog]
set = { pet = "dog" }
go = "kennel"

[links.RU_2]
locale = "ru"

[links.free]
requires = { selected = ["pet"] }
go = "kennel"

[screens.home]
photo = { file = "home.png" }
other = "words-please"
keyboard = [
    [{ name = "pets", go = "pets" }],
    [{ name = "kennel", when = { pet = "dog" }, go = "kennel" }],
    [
        { name = "forget", when = { pet = true }, set = { pet = "" } },
        { name = "pick", when = { pet = false }, set = { pet = "cat" } },
        { name = "map", when = { locale = "ru" }, url = "http://example.com/map" },
        { name = "chat", when = { busy = false }, url = "tg://resolve?domain=example" },
    ],
]
[screens.home.text]
argument = "name"
go = [
    { when = { name = ["Ann", "Anna"] }, to = "kennel" },
    { when = { name = true, pet = ["cat", "dog"] }, to = "pets" },
    { to = "home" },
]

[screens.pets]
photo = { id = "AgACAgIAAxkDAAI" }
keyboard = [
    [{ name = "cat", set = { pet = "cat" }, back = true }],
    [{ name = "dog", set = { pet = "dog" }, go = [{ when = { pet = "dog" }, to = "kennel" }, { to = "home" }] }],
]

[screens.kennel]
photo = { url = "https://example.com/kennel.jpg" }
keyboard = [
    [{ name = "draw", requires = { selected = ["pet"] }, generate = { lane = "image", cost = 2, then = "pets", arguments = { style = "oil" } }, go = "waiting" }],
    [{ name = "news", call = { name = "news" } }, { name = "shop", go = "shop" }],
]
[screens.kennel.text]
generate = { lane = "text", cost = 1, texts = { system = "who" } }
go = "waiting"

[screens.waiting]
keyboard = [[{ name = "stop", cancel = true }, { name = "shop", go = "shop" }]]

[screens.news]
keyboard = [[{ name = "again", call = { name = "news", arguments = { fresh = "yes" } } }, { name = "shop", go = "shop" }]]
[screens.news.text]
call = { name = "news", lane = "text" }

[screens.shop]
keyboard = [
    [{ name = "ten", buy = "ten" }, { name = "month", when = { premium = false }, buy = "month" }],
    [{ name = "back", back = true }],
]

[screens.busy]
keyboard = [[{ name = "stop", cancel = true }, { name = "back", back = true }]]

[screens.thanks]
[screens.help]
"#;

pub const TEXTS: &str = r#"
home = Home of { $name }
    .pets = Pets
    .kennel = Kennel
    .forget = Forget
    .pick = Pick
    .map = Map
    .chat = Chat
pets = Pets
    .cat = Cat
    .dog = Dog
kennel = Kennel of { $pet }
    .draw = Draw
    .news = News
    .shop = Shop
shop = Shop
    .ten = Ten
    .back = Back
    .month = Month
busy = Busy
    .stop = Stop
    .back = Back
words-please = <b>Words</b>, please
product-ten = Ten messages
    .description = Ten more messages
command-start = Start
command-name = Name
notice-suspended = Suspended
notice-unknown-command = Unknown
notice-old-button = Old button
notice-failed = Not <b>made</b>
notice-not-sold = Not <b>sold</b>
notice-payment-unassigned = What <b>for</b>?
error = Error
waiting = Waiting for { $pet }, { $place ->
    [0] now
   *[other] number { $place }
  }: { $progress }
    .stop = Stop
    .shop = Shop
news = { $call ->
    [waiting] News come
    [failed] No news
   *[other] News
  }
    .again = Again
    .shop = Shop
thanks = Thanks, { $premium ->
    [yes] premium
   *[no] usual
  }: { $balance }
help = Help
who = You are a { $pet } & bark.
product-month = A month
    .description = A month ahead of others
command-draw = Draw
command-cancel = Cancel
command-forget = Forget
command-news = News
command-paysupport = Help with payments
"#;

pub const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

pub fn sources() -> Sources {
    let pictures = vec![Picture::new("home.png", PNG).into()];
    let texts = ["en", "ru"].map(|locale| (locale.to_owned(), TEXTS.to_owned())).into();
    Sources { name: "kennel".to_owned(), definition: DEFINITION.to_owned(), texts, pictures }
}

fn flow() -> Flow {
    Flow::parse(&sources()).unwrap_or_else(|problems| panic!("{problems}"))
}

#[track_caller]
fn started<'a>(flow: &'a Flow, command: &str) -> Ann<'a> {
    let mut ann = Ann::new(flow, "en");
    ann.says(command);
    ann
}

/// The payload of the button that says `label`.
#[track_caller]
fn payload(flow: &Flow, ann: &Ann<'_>, label: &str) -> String {
    let keyboard = super::rendered(flow, &ann.chat).keyboard.unwrap().inline_keyboard;
    let button = keyboard.into_iter().flatten().find(|button| button.text == label).expect("it is there");
    let ButtonAction::CallbackData(data) = button.action else { panic!("{label} opens something") };
    data
}

#[test]
fn a_button_is_there_when_its_condition_holds_and_a_row_without_buttons_is_not() {
    let flow = flow();
    let mut ann = started(&flow, "/start");
    let buttons =
        |ann: &Ann<'_>| ann.sees().lines().filter(|line| line.starts_with('[')).collect::<Vec<_>>().join("\n");
    assert_eq!(buttons(&ann), "[ Pets ]\n[ Pick ] [ Chat ]");
    ann.taps("Pick");
    assert_eq!(buttons(&ann), "[ Pets ]\n[ Forget ] [ Chat ]");
    ann.chat.vars.insert("pet".to_owned(), "dog".to_owned());
    (ann.chat.locale, ann.chat.busy) = (Some("ru".to_owned()), Some(Default::default()));
    assert_eq!(buttons(&ann), "[ Pets ]\n[ Kennel ]\n[ Forget ] [ Map ]");
    ann.chat.vars.insert("pet".to_owned(), "dragon".to_owned());
    assert_eq!(buttons(&ann), "[ Pets ]\n[ Pick ] [ Map ]", "a value that the flow no longer has is none");
}

#[test]
fn a_button_whose_condition_no_longer_holds_is_an_old_one() {
    let flow = flow();
    let mut ann = started(&flow, "/start");
    let decision = ann.presses(2, "home:kennel");
    assert_eq!((decision.note, ann.stands().as_str()), (Some(Note::OldButton), "home"));
    ann.taps("Pick");
    assert_eq!(ann.presses(2, "home:pick").note, Some(Note::OldButton));
    ann.taps("Forget");
    assert!(!ann.chat.vars.contains_key("pet"), "the empty value takes a value away");
}

#[test]
fn the_first_case_that_fits_chooses_the_screen_after_what_is_set_is_set() {
    let flow = flow();
    let mut ann = started(&flow, "/start");
    assert_eq!(ann.stands(), "home");
    ann.taps("Pets");
    ann.taps("Dog");
    assert_eq!(ann.stands(), "home > pets > kennel", "the case sees what the button has set");
    ann.says("/start");
    assert_eq!(ann.stands(), "home > kennel");
    ann.chat.balance = 0;
    ann.says("/start");
    assert_eq!(ann.stands(), "home");
    ann.says("Bob");
    assert_eq!(ann.stands(), "home > pets");
    ann.presses(2, "home:forget");
    ann.says("Bob");
    assert_eq!(ann.stands(), "home");
    ann.says("Anna");
    assert_eq!(ann.stands(), "home > kennel");
}

#[test]
fn a_text_is_kept_as_far_as_it_fits() {
    let flow = flow();
    let mut ann = started(&flow, "/start");
    ann.says("  Bob <3 ");
    assert!(ann.sees().contains("Home of Bob &lt;3\n"), "{}", ann.sees());
    ann.says(&"ж".repeat(100));
    assert_eq!(ann.chat.vars["name"], format!("{}…", "ж".repeat(63)));
    ann.says(" \n ");
    assert_eq!(ann.chat.vars["name"].chars().count(), 64, "nothing is not kept");
}

#[test]
fn a_deep_link_leads_to_its_screen_and_sets_what_it_sets() {
    let flow = flow();
    let ann = started(&flow, "/start dog");
    assert_eq!((ann.stands().as_str(), ann.chat.vars["pet"].as_str()), ("home > kennel", "dog"));
    let ann = started(&flow, "/start RU_2");
    assert_eq!((ann.stands().as_str(), ann.chat.locale.as_deref()), ("home", Some("ru")));
    let ann = started(&flow, "/start free");
    assert_eq!(ann.stands(), "home > pets", "what a link requires interrupts it");
    for other in ["/start DOG", "/start ru_2", "/start other", "/name dog"] {
        let ann = started(&flow, other);
        assert_eq!((ann.stands().as_str(), ann.chat.vars.len()), ("home", 0), "{other}");
    }
}

#[test]
fn what_is_no_text_gets_what_the_screen_says_to_that_or_the_screen_anew() {
    let flow = flow();
    let mut ann = started(&flow, "/start");
    let before = ann.chat.clone();
    let decision = ann.sends_a_sticker();
    assert_eq!((decision.change, decision.note, &ann.chat), (None, None, &before));
    assert_eq!(
        decision.answer.body(),
        r#"{"method":"sendMessage","chat_id":5,"text":"<b>Words</b>, please","parse_mode":"HTML"}"#
    );
    ann.taps("Pets");
    let decision = ann.sends_a_sticker();
    assert_eq!((decision.answer, ann.stands().as_str()), (Answer::EMPTY, "home > pets"));
    assert_eq!(decision.change.unwrap().jobs, [Job::Screen(Place::New)]);
    let mut boris = Ann::new(&flow, "ru");
    boris.sends_a_sticker();
    assert_eq!(boris.stands(), "home");
    boris.chat.banned = true;
    assert_eq!(boris.sends_a_sticker().note, Some(Note::Suspended));
}

#[test]
fn a_screen_has_its_photo() {
    let flow = flow();
    let mut ann = started(&flow, "/start");
    let photo = |ann: &Ann<'_>| super::rendered(&flow, &ann.chat).photo;
    assert_eq!(photo(&ann), Some(Photo::File(Picture::new("home.png", PNG).into())));
    ann.taps("Pets");
    assert_eq!(photo(&ann), Some(Photo::Id("AgACAgIAAxkDAAI".to_owned())));
    ann.taps("Dog");
    assert_eq!(photo(&ann), Some(Photo::Url("https://example.com/kennel.jpg".to_owned())));
    ann.taps("Shop");
    assert_eq!(photo(&ann), None);
}

#[test]
fn a_caption_that_is_too_long_for_a_photo_is_cut() {
    let mut sources = sources();
    sources.definition = sources.definition.replacen("[variables.name]", "[variables.name]\n[variables.more]", 1);
    for (_, text) in &mut sources.texts {
        *text = text.replace("Home of { $name }", &format!("{} {{ $more }}", "x".repeat(900)));
    }
    let flow = Flow::parse(&sources).unwrap();
    let mut ann = started(&flow, "/start");
    ann.chat.vars.insert("more".to_owned(), "<".repeat(4000));
    assert_eq!(tapgate::telegram::text::visible_chars(&super::rendered(&flow, &ann.chat).text), 1024);
}

#[test]
fn a_button_that_asks_carries_the_revision_it_was_drawn_with_and_works_only_while_that_is_current() {
    let flow = flow();
    let mut ann = started(&flow, "/start dog");
    let data = payload(&flow, &ann, "Draw");
    assert_eq!(data, "kennel:draw:1");
    assert_eq!(payload(&flow, &ann, "News"), "kennel:news:1");
    assert_eq!(payload(&flow, &ann, "Shop"), "kennel:shop", "what asks for nothing carries none");
    ann.chat.version = Version(40);
    ann.says("/start");
    assert_eq!(payload(&flow, &ann, "Draw"), "kennel:draw:15", "in base 36");
    for stale in [data.as_str(), "kennel:draw", "kennel:draw:16"] {
        let decision = ann.presses(2, stale);
        assert_eq!(decision.note, Some(Note::OldButton), "{stale}");
        assert_eq!(ann.chat.desired.as_ref().unwrap().revision.0, 41, "a redraw keeps the revision");
    }
}

#[test]
fn a_product_has_its_price_and_what_it_gives() {
    let flow = flow();
    assert_eq!(flow.product("ten"), Some(&Product { stars: 50, messages: 10, ..Product::default() }));
    let month = Product { stars: 200, premium_days: 30, thanks: Some("thanks".to_owned()), ..Product::default() };
    assert_eq!(flow.product("month"), Some(&month));
    assert_eq!(flow.product("eleven"), None);
}

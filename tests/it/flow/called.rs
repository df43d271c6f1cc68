//! A screen that a worker makes: it shows its own words until then, and stays a screen like any other.

use super::ann::Ann;
use super::language::{DEFINITION, sources};
use tapgate::flow::Flow;
use tapgate::flow::chat::{Arguments, Chat};
use tapgate::flow::decision::{Decision, Job, Note, Place};
use tapgate::flow::definition::{Lane, Photo, Sources};
use tapgate::flow::event::Happened;
use tapgate::flow::order::Wanted;
use tapgate::flow::output::{
    BUTTONS_MAX, FACE_MAX_BYTES, Face, OfferedAction, OfferedButton, OfferedCall, Output, Words,
};
use tapgate::flow::screen::{CALL, FACES_MAX_BYTES, SHOW};
use tapgate::telegram::keyboard::ButtonAction;

fn flow() -> Flow {
    Flow::parse(&sources()).unwrap_or_else(|problems| panic!("{problems}"))
}

/// She has asked for news.
fn asking(flow: &Flow) -> Ann<'_> {
    let mut ann = Ann::new(flow, "en");
    ann.says("/start dog");
    ann.taps("News");
    ann
}

fn button(label: &str, action: OfferedAction) -> OfferedButton {
    OfferedButton { label: label.to_owned(), action }
}

fn face(text: &str, buttons: Vec<Vec<OfferedButton>>) -> Face {
    Face { words: Words::Text(text.to_owned()), photo_url: None, buttons }
}

fn shows(face: Face) -> Output {
    Output { show: Some(face), ..Output::default() }
}

fn more(arguments: &[(&str, &str)]) -> OfferedAction {
    let arguments = arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    OfferedAction::Call(OfferedCall { name: "page".to_owned(), arguments })
}

fn argument<'c>(chat: &'c Chat, name: &str) -> Option<&'c str> {
    chat.desired.as_ref()?.view.top.arguments.get(name).map(String::as_str)
}

#[test]
fn a_call_is_free_and_its_screen_says_that_it_waits() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start dog");
    ann.chat.balance = 0;
    let decision = ann.taps("News");
    let asked = &ann.asked[0];
    assert_eq!(asked.order.wanted, Wanted::Call { name: "news".to_owned(), screen: "news".to_owned() });
    assert_eq!((asked.lane, asked.key.as_str(), argument(&ann.chat, CALL)), (Lane::Default, "2.0", Some("2.0")));
    assert_eq!((ann.chat.busy.as_ref(), ann.stands().as_str()), (None, "home > kennel > news"));
    assert!(ann.sees().starts_with("News come\n[ Again ] [ Shop ]"), "{}", ann.sees());
    assert!(matches!(decision.change.unwrap().jobs[1], Job::Screen(Place::Message(_))));
}

#[test]
fn what_the_worker_shows_replaces_text_and_photo_and_its_buttons_stand_above() {
    let flow = flow();
    let mut ann = asking(&flow);
    let photo_url = Some("https://example.com/a.jpg".to_owned());
    let buttons =
        vec![vec![button("More", more(&[])), button("Web", OfferedAction::Url("https://example.com/".to_owned()))]];
    let decision = ann.is_made(&shows(Face { photo_url: photo_url.clone(), ..face("1 < 2", buttons) }));
    assert_eq!(decision.change.unwrap().jobs, [Job::Screen(Place::Shown)]);
    assert_eq!(ann.sees(), "(Url(\"https://example.com/a.jpg\"))\n1 &lt; 2\n[ More ] [ Web ]\n[ Again ] [ Shop ]\n");
    assert_eq!(super::rendered(&flow, &ann.chat).photo, photo_url.map(Photo::Url));
    assert_eq!((argument(&ann.chat, CALL), ann.stands().as_str()), (None, "home > kennel > news"));
    ann.says("hello");
    assert_eq!(
        (ann.asked[0].lane, ann.asked[0].order.text.as_deref()),
        (Lane::Text, Some("hello")),
        "a text may ask, too"
    );
    assert!(ann.sees().starts_with("News come"));
}

#[test]
fn a_workers_button_goes_to_a_screen_or_asks_again_with_arguments_of_any_length() {
    let flow = flow();
    let mut ann = asking(&flow);
    let long = "long ".repeat(200);
    let buttons = || {
        vec![
            vec![button("Gone", OfferedAction::Screen("gone".to_owned()))],
            vec![button("Pets", OfferedAction::Screen("pets".to_owned())), button("More", more(&[("from", &long)]))],
        ]
    };
    ann.is_made(&shows(face("Page 1", buttons())));
    assert!(ann.sees().starts_with("Page 1\n[ Pets ] [ More ]\n[ Again ]"), "{}", ann.sees());
    ann.taps("More");
    let asked = &ann.asked[0];
    assert_eq!(asked.order.wanted, Wanted::Call { name: "page".to_owned(), screen: "news".to_owned() });
    assert_eq!((asked.order.arguments["from"].as_str(), asked.key.as_str()), (long.as_str(), "4.0"));
    assert!(ann.sees().starts_with("News come"));
    ann.is_made(&shows(face("Page 2", buttons())));
    ann.taps("Pets");
    assert_eq!(ann.stands(), "home > kennel > news > pets");
    ann.taps("Cat");
    assert_eq!(ann.stands(), "home > kennel > news");
    assert!(ann.sees().starts_with("Page 2"), "the way back leads to what the worker made: {}", ann.sees());
}

#[test]
fn who_made_the_screen_is_asked_again() {
    let from = "[{ name = \"news\", call = { name = \"news\" } }";
    let definition = DEFINITION.replacen("[screens.news]\nkeyboard", "[screens.news]\nother = \"busy\"\nkeyboard", 1);
    let definition = definition.replace("call = { name = \"news\"", "call = { lane = \"image\", name = \"news\"");
    assert!(DEFINITION.contains(from));
    let definition = definition.replacen(
        "lane = \"image\", name = \"news\", lane = \"text\"",
        "lane = \"image\", name = \"news\"",
        1,
    );
    let flow = Flow::parse(&Sources { definition, ..sources() }).unwrap_or_else(|problems| panic!("{problems}"));
    let mut ann = asking(&flow);
    assert_eq!(ann.asked[0].lane, Lane::Image);
    ann.is_made(&shows(face("Page 1", vec![vec![button("More", more(&[]))]])));
    ann.taps("More");
    assert_eq!(ann.asked[0].lane, Lane::Image);
}

#[test]
fn a_workers_button_works_only_under_the_revision_it_was_drawn_with() {
    let flow = flow();
    let mut ann = asking(&flow);
    ann.is_made(&shows(face("Page 1", vec![vec![button("More", more(&[]))]])));
    let keyboard = super::rendered(&flow, &ann.chat).keyboard.unwrap().inline_keyboard;
    assert_eq!(keyboard[0][0].action, ButtonAction::CallbackData("news:0:3".to_owned()));
    for old in ["news:0:2", "news:0", "news:1:3", "pets:0:3"] {
        assert_eq!(ann.presses(2, old).note, Some(Note::OldButton), "{old}");
    }
    assert_eq!((ann.asked.len(), ann.chat.desired.as_ref().unwrap().revision.0), (0, 3));
    ann.presses(2, "news:0:3");
    assert_eq!((ann.presses(2, "news:0:3").note, ann.asked.len()), (Some(Note::OldButton), 1), "it asks once");
}

#[test]
fn what_comes_while_the_user_is_elsewhere_waits_on_the_way_back() {
    let flow = flow();
    let mut ann = asking(&flow);
    ann.taps("Shop");
    let revision = ann.chat.desired.as_ref().unwrap().revision;
    let decision = ann.is_made(&shows(face("Old news", Vec::new())));
    assert_eq!((decision.change.unwrap().jobs.len(), ann.stands().as_str()), (0, "home > kennel > news > shop"));
    assert_eq!(ann.chat.desired.as_ref().unwrap().revision, revision, "nothing that is seen changes");
    ann.taps("Back");
    assert!(ann.sees().starts_with("Old news"), "{}", ann.sees());
}

#[test]
fn what_nobody_waits_for_any_more_changes_nothing_but_what_the_worker_sets() {
    let flow = flow();
    let mut ann = asking(&flow);
    ann.says("/start");
    let before = ann.chat.clone();
    assert_eq!(ann.is_made(&shows(face("Old news", Vec::new()))), Decision::default());
    assert_eq!(ann.chat, before);

    let mut ann = asking(&flow);
    ann.says("/start");
    let set = [("name".to_owned(), "Bob".to_owned())].into();
    let decision = ann.is_made(&Output { set, ..shows(face("Old news", Vec::new())) });
    assert_eq!((decision.change.unwrap().jobs.len(), ann.chat.vars["name"].as_str()), (0, "Bob"));
    ann.says("/news");
    ann.says("/news");
    assert_eq!(ann.asked.len(), 2);
    let first = ann.asked[0].key.clone();
    ann.is_made(&shows(face("Old news", Vec::new())));
    assert!(ann.sees().starts_with("News come"), "who asks twice waits for the second: {first}");
    ann.is_made(&shows(face("News!", Vec::new())));
    assert!(ann.sees().starts_with("News!"));
}

#[test]
fn a_call_that_failed_is_said_and_can_be_made_again() {
    let flow = flow();
    let light = face("x", Vec::new());
    let heavy = face(&"x".repeat(FACE_MAX_BYTES), Vec::new());
    for output in [None, Some(Output::default()), Some(shows(heavy))] {
        let mut ann = asking(&flow);
        match output {
            None => ann.is_not_made(),
            Some(output) => ann.is_made(&output),
        };
        assert!(ann.sees().starts_with("No news\n"), "{}", ann.sees());
        assert_eq!((ann.got.len(), ann.booked.len()), (0, 0));
        ann.taps("Again");
        assert!(ann.sees().starts_with("News come"));
        assert_eq!(ann.asked[0].order.arguments["fresh"], "yes");
        ann.is_made(&shows(light.clone()));
        assert!(ann.sees().starts_with("x\n"));
    }
}

#[test]
fn a_suspended_user_sees_nothing_of_it() {
    let flow = flow();
    let mut ann = asking(&flow);
    ann.chat.banned = true;
    let decision = ann.is_made(&shows(face("News!", Vec::new())));
    assert_eq!(decision.change.unwrap().jobs, []);
}

#[test]
fn a_worker_that_oversteps_telegrams_limits_is_cut_to_them() {
    let flow = flow();
    let mut ann = asking(&flow);
    let many = vec![vec![button(&"l".repeat(100), more(&[])); 3]; 20];
    ann.is_made(&shows(face(&"x".repeat(5000), many)));
    let rendered = super::rendered(&flow, &ann.chat);
    assert_eq!(rendered.text.chars().count(), 4096);
    let buttons: Vec<_> = rendered.keyboard.unwrap().inline_keyboard.concat();
    assert_eq!((buttons.len(), buttons[0].text.chars().count()), (BUTTONS_MAX + 2, 64));

    ann.taps("Again");
    let html = Words::Html(format!("<b>{}", "<i>x</i>".repeat(300)));
    let photo_url = Some("https://example.com/a.jpg".to_owned());
    ann.is_made(&shows(Face { words: html.clone(), photo_url, buttons: Vec::new() }));
    assert_eq!(super::rendered(&flow, &ann.chat).text, "x".repeat(300), "broken markup is plain text");

    ann.taps("Again");
    let photo_url = Some("https://example.com/a.jpg".to_owned());
    ann.is_made(&shows(Face { photo_url, ..face(&"x".repeat(4096), Vec::new()) }));
    assert_eq!(super::rendered(&flow, &ann.chat).text.chars().count(), 1024, "a photo has a caption");

    ann.taps("Again");
    ann.is_made(&shows(Face { photo_url: Some("no address".to_owned()), ..face(" ", Vec::new()) }));
    let rendered = super::rendered(&flow, &ann.chat);
    assert_eq!((rendered.text.as_str(), rendered.photo), ("…", None));
}

#[test]
fn what_workers_made_of_the_screens_on_the_way_back_does_not_fill_the_row() {
    let flow = flow();
    let mut ann = asking(&flow);
    let large = || face(&"x".repeat(FACE_MAX_BYTES - 100), Vec::new());
    ann.is_made(&shows(large()));
    let mut view = ann.chat.desired.clone().unwrap().view;
    for screen in ["one", "two", "three"] {
        let made = view.top.arguments[SHOW].clone();
        view = view.go(&flow, screen);
        view.top.arguments.insert(SHOW.to_owned(), made);
    }
    view = view.go(&flow, "shop");
    let bytes: usize = view.stack.iter().filter_map(|frame| frame.arguments.get(SHOW)).map(String::len).sum();
    assert!((FACE_MAX_BYTES..=FACES_MAX_BYTES).contains(&bytes), "{bytes}");
    let stands: Vec<_> = view.stack.iter().map(|frame| frame.arguments.contains_key(SHOW)).collect();
    assert_eq!(stands, [false, false, false, false, true, true], "the farthest lose theirs first");
    assert_eq!(view.stack[2].arguments[CALL], "failed");
}

#[test]
fn a_start_screen_can_be_made_by_a_worker() {
    let definition = DEFINITION.replacen(
        "[commands.news]\ncall = { name = \"news\" }",
        "[commands.news]\ncall = { name = \"home\" }",
        1,
    );
    let flow = Flow::parse(&Sources { definition, ..sources() }).unwrap();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/news");
    assert_eq!((ann.stands().as_str(), argument(&ann.chat, CALL)), ("home", Some("1.0")));
    ann.is_made(&shows(face("Today", Vec::new())));
    assert!(ann.sees().starts_with("Today\n[ Pets ]"), "{}", ann.sees());
    ann.taps("Pets");
    ann.taps("Cat");
    assert!(ann.sees().starts_with("Today\n"), "{}", ann.sees());
    ann.says("/start");
    assert!(ann.sees().contains("Home of"), "{}", ann.sees());
}

#[test]
fn whoever_comes_back_to_a_screen_that_nobody_makes_any_more_is_told_so() {
    let flow = flow();
    let mut ann = asking(&flow);
    let (shown, asked) = (ann.chat.shown.clone(), ann.asked[0].clone());
    // What the worker made is refused for good, so the chat is on what it shows: the screen that waits.
    ann.is_made(&shows(face("News!", Vec::new())));
    let revision = ann.chat.desired.as_ref().unwrap().revision;
    ann.chat.shown = shown.clone();
    ann.happens(Happened::Refused { revision });
    assert_eq!((argument(&ann.chat, CALL), ann.stands().as_str()), (Some("failed"), "home > kennel > news"));

    // So is one who presses a button of a screen that was left before.
    let mut ann = asking(&flow);
    ann.says("/start");
    ann.chat.shown = shown.clone();
    ann.presses(2, "news:shop");
    ann.taps("Back");
    assert!(ann.sees().starts_with("No news"), "{}", ann.sees());

    // While it is waited for on the way back, it still is.
    let mut ann = asking(&flow);
    ann.taps("Shop");
    let revision = ann.chat.desired.as_ref().unwrap().revision;
    ann.chat.shown = shown;
    ann.happens(Happened::Refused { revision });
    assert_eq!(argument(&ann.chat, CALL), Some(asked.key.as_str()));
    ann.is_made(&shows(face("News!", Vec::new())));
    assert!(ann.sees().starts_with("News!"));
}

#[test]
fn arguments_of_a_call_may_be_texts() {
    let from = "[commands.news]\ncall = { name = \"news\" }";
    let to = "[commands.news]\nset = { pet = \"cat\" }\ncall = { name = \"news\", arguments = { n = \"1\" }, texts = { who = \"who\" } }";
    let flow = Flow::parse(&Sources { definition: DEFINITION.replacen(from, to, 1), ..sources() }).unwrap();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/news today");
    let expected =
        [("n", "1"), ("who", "You are a cat & bark.")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(ann.asked[0].order.arguments, Arguments::from(expected));
    assert_eq!(ann.asked[0].order.text.as_deref(), Some("today"));
}

//! What was asked for is made, or not, or made and never seen.

use super::ann::{Ann, piece, writes};
use super::language::{DEFINITION, sources};
use std::borrow::Cow;
use tapgate::flow::Flow;
use tapgate::flow::books::{EntryKind, Role};
use tapgate::flow::content::{Message, PhotoSource, Reservation};
use tapgate::flow::decision::{Decision, Job, Place};
use tapgate::flow::definition::Sources;
use tapgate::flow::event::Happened;
use tapgate::flow::output::{
    CONTENTS_MAX, OfferedAction, OfferedButton, OfferedCall, Output, Piece, WORDS_MAX_CHARS, Words,
};
use tapgate::telegram::keyboard::ButtonAction;
use tapgate::telegram::text::visible_chars;

fn flow() -> Flow {
    Flow::parse(&sources()).unwrap_or_else(|problems| panic!("{problems}"))
}

/// She stands in the kennel and waits for an answer.
fn waiting(flow: &Flow) -> Ann<'_> {
    let mut ann = Ann::new(flow, "en");
    ann.says("/start dog");
    ann.says("Who is there?");
    ann
}

#[track_caller]
fn screen_job(decision: &Decision) -> Option<&Job> {
    decision.change.as_ref().expect("it changes the chat").jobs.iter().find(|job| matches!(job, Job::Screen(_)))
}

fn made(contents: Vec<Piece>) -> Output {
    Output { contents, ..Output::default() }
}

#[test]
fn a_result_goes_to_the_user_and_carries_what_was_taken_and_below_it_is_the_screen_that_follows() {
    let flow = flow();
    let mut ann = waiting(&flow);
    let decision =
        ann.is_made(&made(vec![piece(Words::Text("1 < 2".to_owned())), piece(Words::Html("<b>Woof</b>".to_owned()))]));
    assert_eq!(
        (ann.chat.busy.as_ref(), ann.chat.balance, ann.booked.len()),
        (None, 2, 0),
        "the ledger waits for delivery"
    );
    assert_eq!(ann.texts(), ["1 &lt; 2", "<b>Woof</b>"]);
    let reservation = Reservation { generation: "2.0".to_owned(), cost: 1 };
    let carried: Vec<_> = ann.got.iter().map(|content| content.reservation.clone()).collect();
    assert_eq!(carried, [None, Some(reservation)], "the last message alone");
    assert_eq!((screen_job(&decision), ann.stands().as_str()), (Some(&Job::Screen(Place::New)), "home > kennel"));
    assert_eq!(ann.chat.desired.as_ref().unwrap().revision.0, 3);
}

#[test]
fn whoever_went_elsewhere_stays_there_and_no_way_leads_back_to_where_it_was_waited_for() {
    let flow = flow();
    let mut ann = waiting(&flow);
    ann.taps("Shop");
    ann.is_made(&writes("Woof"));
    assert_eq!((ann.stands().as_str(), ann.texts()), ("home > kennel > shop", vec!["Woof"]));
    ann.taps("Back");
    assert_eq!(ann.stands(), "home > kennel");

    ann.says("Who is there?");
    ann.says("/name");
    ann.is_made(&writes("Woof"));
    assert_eq!(ann.stands(), "home");
}

#[test]
fn whoever_was_told_to_wait_goes_on() {
    let flow = flow();
    let mut ann = waiting(&flow);
    ann.says("/start dog");
    ann.says("Hello?");
    assert_eq!(ann.stands(), "home > kennel > busy");
    ann.is_made(&writes("Woof"));
    assert_eq!(ann.stands(), "home > kennel");
}

#[test]
fn the_worker_may_lead_elsewhere_and_set_what_the_flow_allows() {
    let flow = flow();
    let mut ann = waiting(&flow);
    let set = [("pet", "cat"), ("name", "Bob"), ("gone", "x")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    ann.is_made(&Output { screen: Some("help".to_owned()), set: set.into(), ..writes("Meow") });
    assert_eq!((ann.stands().as_str(), ann.chat.vars.len()), ("home > kennel > help", 2));
    assert_eq!((ann.chat.vars["pet"].as_str(), ann.chat.vars["name"].as_str()), ("cat", "Bob"));

    ann.says("/start dog");
    ann.says("Who is there?");
    let set = [("pet".to_owned(), "cow".to_owned()), ("name".to_owned(), String::new())];
    ann.is_made(&Output { screen: Some("gone".to_owned()), set: set.into(), ..writes("Moo") });
    assert_eq!(
        (ann.stands().as_str(), ann.chat.vars.len()),
        ("home > kennel", 1),
        "a screen that is none is not gone to"
    );
    assert_eq!(ann.chat.vars["pet"], "dog", "a value that is none is not taken, the empty one takes a value away");
}

#[test]
fn a_screen_that_is_gone_when_the_result_comes_is_the_start_screen() {
    let flow = flow();
    let mut ann = waiting(&flow);
    ann.chat.busy.as_mut().unwrap().then = "gone".to_owned();
    ann.is_made(&writes("Woof"));
    assert_eq!(ann.stands(), "home");
}

#[test]
fn a_long_text_becomes_several_messages_with_the_buttons_and_the_reservation_on_the_last() {
    let flow = flow();
    let mut ann = waiting(&flow);
    let button = |label: &str, action| OfferedButton { label: label.to_owned(), action };
    let buttons = vec![
        vec![
            button("Pets", OfferedAction::Screen("pets".to_owned())),
            button("Gone", OfferedAction::Screen("gone".to_owned())),
            button("Ask", OfferedAction::Call(OfferedCall { name: "x".to_owned(), arguments: Default::default() })),
        ],
        vec![button("No link", OfferedAction::Url("nowhere".to_owned()))],
        vec![button(" \u{2000}", OfferedAction::Url("https://example.com/".to_owned()))],
    ];
    let text = format!("{}\n\n{}", "<".repeat(4000), "woof ".repeat(500));
    ann.is_made(&made(vec![Piece { buttons, ..piece(Words::Text(text)) }]));
    let texts = ann.texts();
    assert_eq!(texts.iter().map(|text| visible_chars(text)).collect::<Vec<_>>(), [4000, 2499]);
    assert_eq!(ann.got.iter().filter(|content| content.reservation.is_some()).count(), 1);
    let Message::Text { keyboard: None, .. } = &ann.got[0].message else { panic!("{:?}", ann.got[0]) };
    let Message::Text { keyboard: Some(keyboard), .. } = &ann.got[1].message else { panic!("{:?}", ann.got[1]) };
    let rows = keyboard.inline_keyboard.iter().map(|row| {
        let buttons = row.iter().map(|button| (button.text.as_str(), button.action.clone()));
        buttons.collect::<Vec<_>>()
    });
    let expected = [
        vec![("Pets", ButtonAction::CallbackData("pets:>".to_owned()))],
        vec![("…", ButtonAction::Url("https://example.com/".to_owned()))],
    ];
    assert_eq!(rows.collect::<Vec<_>>(), expected, "what leads nowhere is left out");
}

#[test]
fn a_button_under_content_opens_its_screen_below_and_content_stays() {
    let flow = flow();
    let mut ann = waiting(&flow);
    ann.is_made(&writes("Woof"));
    let decision = ann.presses(77, "pets:>");
    assert_eq!((screen_job(&decision), ann.stands().as_str()), (Some(&Job::Screen(Place::New)), "home > pets"));
    assert!(ann.presses(77, "gone:>").note.is_some());
    assert_eq!(ann.stands(), "home > pets");
}

#[test]
fn words_that_do_not_fit_below_a_photo_follow_it() {
    let flow = flow();
    let photo = || Some(PhotoSource::File("f1".to_owned()));
    let cases = [
        (Some(Words::Text("x".repeat(1024))), vec![Some(1024)]),
        (Some(Words::Text("x".repeat(1025))), vec![None, Some(1025)]),
        (Some(Words::Html(format!("<b>{}</b>", "x".repeat(1024)))), vec![Some(1024)]),
        (Some(Words::Text(" \n".to_owned())), vec![None]),
        (None, vec![None]),
    ];
    for (words, expected) in cases {
        let mut ann = waiting(&flow);
        ann.is_made(&made(vec![Piece { photo: photo(), words, buttons: Vec::new() }]));
        let seen = ann.got.iter().map(|content| match &content.message {
            Message::Photo { caption, .. } => caption.as_deref().map(visible_chars),
            Message::Text { text, .. } => Some(visible_chars(text)),
            Message::Invoice(_) => panic!("nothing is sold"),
        });
        assert_eq!(seen.collect::<Vec<_>>(), expected);
        assert!(matches!(ann.got[0].message, Message::Photo { .. }));
    }
}

#[test]
fn html_that_telegram_would_refuse_is_plain_text() {
    let flow = flow();
    let mut ann = waiting(&flow);
    let html = |html: &str| piece(Words::Html(html.to_owned()));
    let long = format!("<i>{}</i>", "x".repeat(5000));
    ann.is_made(&made(vec![html("<b>a</i> & b"), html("<br>c"), html(&long), html("<b>fine</b>"), html("<b> </b>")]));
    let texts = ann.texts();
    assert_eq!((texts[0], texts[1], texts[4]), ("a &amp; b", "c", "<b>fine</b>"));
    assert_eq!((texts[2].len(), texts[3].len(), texts.len()), (4096, 904, 5), "and what shows nothing is left out");
}

#[test]
fn an_output_is_never_more_messages_than_a_commit_takes() {
    let flow = flow();
    let mut ann = waiting(&flow);
    let endless = Words::Text("x\n\n".to_owned() + &"y".repeat(4094)).plain().repeat(100);
    let pieces = vec![piece(Words::Text(endless)); 3 * CONTENTS_MAX];
    ann.is_made(&made(pieces));
    assert!((CONTENTS_MAX..=255).contains(&ann.got.len()), "{}", ann.got.len());
    let letters: usize = ann.texts().iter().map(|text| text.chars().count()).sum();
    assert!(letters <= CONTENTS_MAX * WORDS_MAX_CHARS);
}

#[test]
fn where_nothing_was_made_nothing_is_paid_and_the_user_is_told() {
    let flow = flow();
    let nothing =
        [Output::default(), writes(" \u{200b}\n"), made(vec![Piece { words: None, ..writes("").contents[0].clone() }])];
    for output in nothing {
        let mut ann = waiting(&flow);
        ann.is_made(&output);
        assert_eq!((ann.booked.as_slice(), ann.texts()), (&[(EntryKind::Returned, 1)][..], vec!["Not <b>made</b>"]));
        assert_eq!((ann.chat.busy.as_ref(), ann.stands().as_str()), (None, "home > kennel"));
    }
    let mut ann = waiting(&flow);
    ann.is_made(&Output { screen: Some("help".to_owned()), ..Output::default() });
    assert_eq!((ann.booked.as_slice(), ann.got.len()), (&[(EntryKind::Returned, 1)][..], 0));
    assert_eq!(ann.stands(), "home > kennel > help", "who leads elsewhere says why there");
}

#[test]
fn what_failed_costs_nothing_and_the_user_is_told() {
    let flow = flow();
    let mut ann = waiting(&flow);
    let decision = ann.is_not_made();
    assert_eq!((ann.chat.busy.as_ref(), ann.chat.balance), (None, 3));
    assert_eq!((ann.booked.as_slice(), ann.texts()), (&[(EntryKind::Returned, 1)][..], vec!["Not <b>made</b>"]));
    assert_eq!((screen_job(&decision), ann.stands().as_str()), (Some(&Job::Screen(Place::New)), "home > kennel"));
    assert_eq!(ann.remembered.len(), 0);
}

#[test]
fn what_comes_after_it_was_given_up_changes_nothing() {
    let flow = flow();
    let mut ann = waiting(&flow);
    let late = ann.asked[0].clone();
    ann.taps("Stop");
    ann.says("And now?");
    let before = ann.chat.clone();
    let (key, order) = (late.key.as_str(), &late.order);
    let output = Cow::Owned(writes("Woof"));
    let finished = ann.happens(Happened::Finished { key: key.into(), order: Cow::Borrowed(order), output });
    let failed = ann.happens(Happened::Failed { key: key.into(), order: Cow::Borrowed(order) });
    assert_eq!((finished, failed, ann.chat), (Decision::default(), Decision::default(), before));
}

#[test]
fn what_was_never_seen_is_given_back_and_the_user_is_told_if_they_can_be() {
    let flow = flow();
    let mut ann = waiting(&flow);
    ann.is_made(&writes("Woof"));
    let reservation = ann.got[0].reservation.clone().unwrap();
    ann.got.clear();
    let undelivered = || Happened::Undelivered(reservation.clone());
    let decision = ann.happens(undelivered());
    assert_eq!((ann.booked.as_slice(), ann.chat.balance), (&[(EntryKind::Returned, 1)][..], 3));
    assert_eq!((ann.texts(), screen_job(&decision)), (vec!["Not <b>made</b>"], Some(&Job::Screen(Place::New))));
    for (banned, blocked) in [(true, false), (false, true)] {
        (ann.chat.banned, ann.chat.blocked) = (banned, blocked);
        let decision = ann.happens(undelivered());
        assert_eq!((ann.booked.as_slice(), decision.change.unwrap().jobs.len()), (&[(EntryKind::Returned, 1)][..], 0));
    }
    let mut erased = Ann::new(&flow, "en");
    assert_eq!(erased.happens(undelivered()), Decision::default(), "who was erased is not made anew");
}

#[test]
fn whoever_is_suspended_meanwhile_gets_back_what_was_taken_and_nothing_is_sent() {
    let flow = flow();
    for is_made in [true, false] {
        let mut ann = waiting(&flow);
        ann.chat.banned = true;
        let decision = if is_made { ann.is_made(&writes("Woof")) } else { ann.is_not_made() };
        assert_eq!((ann.chat.busy.as_ref(), ann.booked.as_slice()), (None, &[(EntryKind::Returned, 1)][..]));
        assert_eq!(decision.change.unwrap().jobs, []);
    }
}

#[test]
fn what_was_said_is_remembered_as_far_as_the_flow_says_until_it_is_forgotten() {
    let flow = flow();
    let mut ann = waiting(&flow);
    ann.chat.balance = 100;
    ann.is_made(&made(vec![
        piece(Words::Html("<b>It</b> is &lt;me&gt;".to_owned())),
        piece(Words::Text("Woof".to_owned())),
    ]));
    let turns = |ann: &Ann<'_>| ann.remembered.iter().map(|turn| (turn.role, turn.text.clone())).collect::<Vec<_>>();
    let expected = [(Role::User, "Who is there?".to_owned()), (Role::Assistant, "It is <me>\n\nWoof".to_owned())];
    assert_eq!(turns(&ann), expected);
    for question in ["And now?", "And then?"] {
        ann.says(question);
        ann.is_made(&writes(&"x".repeat(5000)));
    }
    assert_eq!(ann.remembered.len(), 4);
    assert_eq!((ann.remembered[0].text.as_str(), ann.remembered[1].text.chars().count()), ("And now?", 4096));
    ann.taps("Draw");
    ann.is_made(&made(vec![Piece {
        photo: Some(PhotoSource::File("f".to_owned())),
        ..piece(Words::Text("A dog".to_owned()))
    }]));
    assert_eq!(ann.remembered[3].text.chars().count(), 4096, "what stands below a picture was not said");
    ann.says("/forget");
    assert_eq!((ann.remembered.len(), ann.stands().as_str()), (0, "home"));

    let silent = Sources { definition: DEFINITION.replacen("memory = 4", "memory = 0", 1), ..sources() };
    let silent = Flow::parse(&silent).unwrap();
    let mut ann = waiting(&silent);
    ann.is_made(&writes("Woof"));
    assert_eq!(ann.remembered.len(), 0);
}

#[test]
fn what_costs_nothing_is_made_all_the_same_and_leaves_no_line_in_the_ledger() {
    let free = DEFINITION.replacen("generate = { lane = \"text\", cost = 1", "generate = { lane = \"text\"", 1);
    let flow = Flow::parse(&Sources { definition: free, ..sources() }).unwrap();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start dog");
    ann.chat.balance = 0;
    ann.says("Who is there?");
    assert_eq!((ann.booked.len(), ann.chat.busy.is_some()), (0, true));
    ann.is_made(&writes("Woof"));
    assert_eq!((ann.booked.len(), ann.got[0].reservation.as_ref()), (0, None));
}

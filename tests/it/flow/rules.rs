//! What each event leads to, rule by rule.

use super::ann::Ann;
use super::flow;
use tapgate::flow::chat::{Arguments, Desired, Frame, Revision, Version, View};
use tapgate::flow::decision::{Decision, Job, Note, Place};
use tapgate::telegram::answer::Answer;
use tapgate::telegram::id::MessageId;

const PRESS_ANSWERED: &str = r#"{"method":"answerCallbackQuery","callback_query_id":"q"}"#;

#[track_caller]
fn places(decision: &Decision, expected: &[Place]) {
    let jobs = &decision.change.as_ref().expect("it changes the chat").jobs;
    assert_eq!(*jobs, expected.iter().copied().map(Job::Screen).collect::<Vec<_>>());
}

fn revision(ann: &Ann<'_>) -> i64 {
    ann.chat.desired.as_ref().expect("something is desired").revision.0
}

#[test]
fn a_new_chat_learns_its_locale_gets_its_balance_and_the_start_screen() {
    let flow = flow();
    for (language, locale) in
        [("en", "en"), ("ru", "ru"), ("RU", "ru"), ("pt-br", "pt-BR"), ("pt", "pt-BR"), ("en-GB", "en"), ("xx", "en")]
    {
        let mut ann = Ann::new(&flow, language);
        let decision = ann.says("/start");
        places(&decision, &[Place::New]);
        assert_eq!((decision.answer, decision.note), (Answer::EMPTY, None));
        assert_eq!(ann.chat.locale.as_deref(), Some(locale), "{language}");
        assert_eq!((ann.chat.balance, ann.stands().as_str(), revision(&ann)), (2, "home", 1));
    }
}

#[test]
fn a_text_to_a_chat_that_shows_nothing_leads_to_the_start_screen() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    places(&ann.says("hello"), &[Place::New]);
    assert_eq!(ann.stands(), "home");
}

#[test]
fn start_clears_the_stack_and_keeps_the_parameter_of_its_link() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    ann.taps("Pets");
    ann.says("/start friend_7-x");
    assert_eq!(ann.stands(), "home");
    let argument = Arguments::from([("start".to_owned(), "friend_7-x".to_owned())]);
    assert_eq!(ann.chat.desired.as_ref().unwrap().view.top.arguments, argument);
    assert!(ann.sees().contains("Came by friend_7-x."));
    for typed in ["/start two words", "/start <b>", &format!("/start {}", "x".repeat(65)), "/start"] {
        ann.says(typed);
        assert!(ann.chat.desired.as_ref().unwrap().view.top.arguments.is_empty(), "{typed}");
    }
}

#[test]
fn a_command_is_judged_on_the_start_screen() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    places(&ann.says("/pets"), &[Place::New]);
    assert_eq!(ann.stands(), "home > pets");
    ann.taps("Walk");
    ann.says("/PETS@some_bot");
    assert_eq!(ann.stands(), "home > pets");
}

#[test]
fn a_command_may_keep_what_follows_it_in_a_variable() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/note buy <milk>");
    assert!(ann.sees().contains("Your note: buy &lt;milk&gt;"), "{}", ann.sees());
    ann.says(&format!("/note {}", "x".repeat(65)));
    ann.says("/note");
    assert_eq!(ann.chat.vars["note"], "buy <milk>");
}

#[test]
fn an_unknown_command_is_answered_and_changes_nothing() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "ru");
    let decision = ann.says("/nope");
    assert_eq!(decision.change, None);
    assert_eq!(decision.note, Some(Note::UnknownCommand));
    assert_eq!(
        decision.answer.body(),
        r#"{"method":"sendMessage","chat_id":5,"text":"Неизвестная <i>command</i>","parse_mode":"HTML"}"#
    );
}

#[test]
fn a_press_edits_its_message_and_is_answered() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    let decision = ann.presses(44, "home:pets");
    places(&decision, &[Place::Message(MessageId(44))]);
    assert_eq!((decision.answer.body(), decision.note), (PRESS_ANSWERED, None));
    assert_eq!((ann.stands().as_str(), revision(&ann)), ("home > pets", 2));
    places(&ann.presses(0, "pets:walk"), &[Place::Shown]);
}

#[test]
fn one_goes_and_comes_back_and_going_to_a_screen_of_the_stack_leads_back_to_it() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    for (label, stands) in [
        ("Pets", "home > pets"),
        ("Walk", "home > pets > walk"),
        ("Pets", "home > pets"),
        ("Walk", "home > pets > walk"),
        ("Back", "home > pets"),
        ("Back", "home"),
        ("Pets", "home > pets"),
        ("Walk", "home > pets > walk"),
        ("Home", "home"),
    ] {
        ann.taps(label);
        assert_eq!(ann.stands(), stands, "after {label}");
    }
}

#[test]
fn a_variable_is_set_and_the_screen_shown_anew() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/pets");
    places(&ann.taps("Cat & co"), &[Place::Message(ann.chat.shown.as_ref().unwrap().message_id)]);
    assert_eq!((ann.stands().as_str(), revision(&ann)), ("home > pets", 2));
    assert!(ann.sees().contains("Your pet: <b>cat</b>"));
    ann.taps("Dog");
    assert_eq!((ann.stands().as_str(), ann.chat.vars["pet"].as_str()), ("home", "dog"));
}

#[test]
fn a_locale_is_chosen() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/pets");
    ann.taps("Russian");
    assert_eq!((ann.chat.locale.as_deref(), ann.stands().as_str()), (Some("ru"), "home > pets"));
    ann.says("/start");
    assert!(ann.sees().starts_with("Дом"));
}

#[test]
fn what_a_step_requires_interrupts_it() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    ann.taps("Walk");
    assert_eq!(ann.stands(), "home > pets", "nothing is selected");
    ann.taps("Dog");
    ann.chat.balance = 0;
    ann.taps("Walk");
    assert_eq!(ann.stands(), "home > shop", "the balance is too low");
    ann.says("/start");
    ann.chat.balance = 1;
    ann.chat.busy = Some(Default::default());
    ann.taps("Walk");
    assert_eq!(ann.stands(), "home > busy", "a generation is under way");
    ann.taps("Back");
    ann.chat.busy = None;
    ann.taps("Walk");
    assert_eq!(ann.stands(), "home > walk");
    ann.chat.vars.insert("pet".to_owned(), "dragon".to_owned());
    ann.says("/walk");
    assert_eq!(ann.stands(), "home > pets", "a value that the flow no longer has is none");
}

#[test]
fn a_text_does_what_its_screen_says() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/pets");
    places(&ann.says("a cat"), &[Place::New]);
    assert_eq!((ann.stands().as_str(), ann.chat.vars["pet"].as_str()), ("home > pets > walk", "cat"));
    let before = revision(&ann);
    places(&ann.says("hello"), &[Place::New]);
    assert_eq!((ann.stands().as_str(), revision(&ann)), ("home > pets > walk", before + 1));
}

#[test]
fn a_press_is_judged_on_the_screen_it_was_made_on() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    ann.taps("Pets");
    ann.taps("Walk");
    ann.says("/start");
    ann.presses(3, "pets:walk");
    assert_eq!(ann.stands(), "home > pets > walk", "neither desired nor shown: the start screen lies below");
    ann.chat.desired = None;
    ann.presses(3, "walk:back");
    assert_eq!(ann.stands(), "home > pets", "not desired, but shown: its stack");
}

#[test]
fn a_desired_screen_goes_before_a_shown_one() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/pets");
    let frame = |screen: &str| Frame { screen: screen.to_owned(), arguments: Arguments::new() };
    let view = View { top: frame("pets"), stack: vec![frame("home"), frame("shop")] };
    ann.chat.desired = Some(Desired { view, revision: Revision(1) });
    ann.taps("Back");
    assert_eq!(ann.stands(), "home > shop");
}

#[test]
fn an_old_button_gets_a_notice_and_the_current_screen_under_its_revision() {
    let flow = flow();
    for data in ["home:gone", "gone:pets", "home:site", "home", "", "💥", "home:pets:zz:zz"] {
        let mut ann = Ann::new(&flow, "en");
        ann.says("/pets");
        let decision = ann.presses(44, data);
        places(&decision, &[Place::Message(MessageId(44))]);
        assert_eq!(decision.note, Some(Note::OldButton), "{data}");
        assert_eq!(
            decision.answer.body(),
            r#"{"method":"answerCallbackQuery","callback_query_id":"q","text":"Old button"}"#
        );
        assert_eq!((ann.stands().as_str(), revision(&ann), ann.chat.version), ("home > pets", 1, Version(2)));
    }
}

#[test]
fn an_old_button_of_a_chat_that_shows_nothing_leads_to_the_start_screen() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    places(&ann.presses(44, "gone:gone"), &[Place::Message(MessageId(44))]);
    assert_eq!((ann.stands().as_str(), revision(&ann), ann.chat.balance), ("home", 1, 2));
}

#[test]
fn a_screen_that_the_flow_no_longer_has_is_the_start_screen_to_the_user() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/pets");
    let view = View { top: Frame { screen: "gone".to_owned(), arguments: Arguments::new() }, stack: Vec::new() };
    ann.chat.desired = Some(Desired { view, revision: Revision(1) });
    assert!(ann.sees().starts_with("Home"));
    ann.presses(44, "gone:gone");
    assert_eq!(ann.stands(), "gone", "an old button leaves what another flow may still know");
    ann.says("hello");
    assert_eq!(ann.stands(), "home");
}

#[test]
fn the_way_back_is_bounded() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/pets");
    let stack = (0..40).map(|n| Frame { screen: format!("old-{n}"), arguments: Arguments::new() }).collect();
    ann.chat.desired.as_mut().unwrap().view.stack = stack;
    ann.taps("Walk");
    assert_eq!(ann.chat.desired.as_ref().unwrap().view.stack.len(), tapgate::flow::screen::STACK_MAX);
    ann.taps("Back");
    ann.taps("Back");
    assert_eq!(ann.stands(), "home", "screens that are gone are skipped");
}

#[test]
fn membership_is_recorded_and_sends_nothing() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "ru");
    places(&ann.membership("member"), &[]);
    assert!(!ann.chat.blocked && ann.chat.version == Version(1), "a chat that did not exist is stored");
    assert_eq!((ann.chat.balance, ann.chat.locale.as_deref(), ann.stands().as_str()), (2, Some("ru"), "nowhere"));
    assert_eq!(ann.membership("member").change, None);
    places(&ann.membership("kicked"), &[]);
    assert!(ann.chat.blocked);
    assert_eq!(ann.membership("kicked"), Decision::default());
    ann.says("/nope");
    assert!(ann.chat.blocked, "what changes nothing changes this neither");
    ann.chat.balance = 1;
    ann.says("/start");
    assert!(!ann.chat.blocked && ann.chat.balance == 1, "the free balance is given once");
}

//! What a worker is asked for: one change takes the cost, makes the chat busy, queues the job and shows where to wait.

use super::ann::{Ann, writes};
use super::language::{DEFINITION, sources};
use tapgate::flow::Flow;
use tapgate::flow::books::EntryKind;
use tapgate::flow::chat::{Arguments, Generation};
use tapgate::flow::content::{Content, Message};
use tapgate::flow::decision::{Decision, Job, Note, Place, Urgency};
use tapgate::flow::definition::{Lane, Sources};
use tapgate::flow::order::{Order, Wanted};
use tapgate::telegram::id::MessageId;

fn flow() -> Flow {
    Flow::parse(&sources()).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The flow with a definition that says `to` for `from`.
fn changed(from: &str, to: &str) -> Flow {
    assert!(DEFINITION.contains(from), "{from}");
    let sources = Sources { definition: DEFINITION.replacen(from, to, 1), ..sources() };
    Flow::parse(&sources).unwrap_or_else(|problems| panic!("{problems}"))
}

/// She stands in the kennel.
fn ann(flow: &Flow) -> Ann<'_> {
    let mut ann = Ann::new(flow, "en");
    ann.says("/start dog");
    ann
}

fn jobs(decision: &Decision) -> &[Job] {
    &decision.change.as_ref().expect("it changes the chat").jobs
}

#[test]
fn a_text_that_asks_takes_its_cost_makes_the_chat_busy_and_shows_where_to_wait_in_one_change() {
    let flow = flow();
    let mut ann = ann(&flow);
    let decision = ann.says("Who is <there>?");
    let order = Order {
        wanted: Wanted::Generation { then: "kennel".to_owned() },
        arguments: Arguments::from([("system".to_owned(), "You are a dog & bark.".to_owned())]),
        text: Some("Who is <there>?".to_owned()),
        vars: [("pet".to_owned(), "dog".to_owned())].into(),
        locale: Some("en".to_owned()),
    };
    let expected = [Job::Order { lane: Lane::Text, urgency: Urgency::Usual, order }, Job::Screen(Place::New)];
    assert_eq!(jobs(&decision), expected);
    let busy =
        |id: &str| Generation { id: id.to_owned(), cost: 1, screen: "waiting".to_owned(), then: "kennel".to_owned() };
    assert_eq!((ann.chat.busy.clone(), ann.chat.balance), (Some(busy("2.0")), 2));
    assert_eq!(
        (ann.booked.as_slice(), ann.stands().as_str()),
        (&[(EntryKind::Reserved, -1)][..], "home > kennel > waiting")
    );
    assert_eq!(decision.change.unwrap().books.entries[0].reference, "2.0", "the ledger names the generation");
    assert!(ann.sees().starts_with("Waiting for dog, now"), "{}", ann.sees());
    ann.waiting.place = 3;
    ann.waiting.progress = "So <far>".to_owned();
    assert!(ann.sees().starts_with("Waiting for dog, number 3: So &lt;far&gt;"), "{}", ann.sees());
}

#[test]
fn a_button_that_asks_edits_its_message_and_tells_no_text() {
    let flow = flow();
    let mut ann = ann(&flow);
    let message = ann.chat.shown.as_ref().unwrap().message_id;
    let decision = ann.taps("Draw");
    let [Job::Order { lane: Lane::Image, order, .. }, Job::Screen(place)] = jobs(&decision) else {
        panic!("{decision:?}")
    };
    assert_eq!((*place, order.text.as_deref()), (Place::Message(message), None));
    assert_eq!(
        (order.arguments["style"].as_str(), &order.wanted),
        ("oil", &Wanted::Generation { then: "pets".to_owned() })
    );
    assert_eq!((ann.chat.balance, ann.chat.busy.as_ref().unwrap().then.as_str()), (1, "pets"));
}

#[test]
fn a_press_that_comes_as_another_update_pays_once() {
    let flow = flow();
    let mut ann = ann(&flow);
    let data = "kennel:draw:1";
    ann.presses(2, data);
    let decision = ann.presses(2, data);
    assert_eq!((decision.note, ann.booked.len(), ann.asked.len()), (Some(Note::OldButton), 0, 1));
    assert_eq!((ann.chat.balance, ann.stands().as_str()), (1, "home > kennel > waiting"));
    assert_eq!(jobs(&decision), [Job::Screen(Place::Message(MessageId(2)))]);
}

#[test]
fn a_command_asks_for_what_follows_it_and_leads_elsewhere_if_nothing_does() {
    let flow = flow();
    let mut ann = ann(&flow);
    ann.says("/draw");
    assert_eq!((ann.stands().as_str(), ann.asked.len(), ann.chat.balance), ("home > pets", 0, 3));
    ann.says("/draw a cat  in the rain");
    assert_eq!((ann.stands().as_str(), ann.chat.balance), ("home > waiting", 1));
    let order = &ann.asked[0].order;
    assert_eq!(order.text.as_deref(), Some("a cat  in the rain"));
    assert_eq!(order.wanted, Wanted::Generation { then: "home".to_owned() }, "a command is judged on the start screen");
}

#[test]
fn each_interrupt_stands_against_it_and_nothing_is_taken() {
    let flow =
        changed("generate = { lane = \"text\"", "requires = { selected = [\"pet\"] }\ngenerate = { lane = \"text\"");
    let mut ann = ann(&flow);
    let refused = |ann: &mut Ann<'_>, stands: &str| {
        let (before, asked) = (ann.chat.balance, ann.asked.len());
        ann.says("Hello?");
        assert_eq!((ann.stands().as_str(), ann.chat.balance, ann.asked.len()), (stands, before, asked));
    };
    ann.chat.vars.clear();
    refused(&mut ann, "home > kennel > pets");
    ann.says("/start dog");
    ann.chat.balance = 0;
    refused(&mut ann, "home > kennel > shop");
    ann.says("/start dog");
    ann.chat.balance = 9;
    ann.says("Who is there?");
    ann.says("/start dog");
    refused(&mut ann, "home > kennel > busy");
    assert_eq!(ann.chat.balance, 8);
}

#[test]
fn the_flow_says_who_goes_first() {
    let (paid, premium) = (flow(), changed("memory = 4", "memory = 4\npriority = \"premium\""));
    for (flow, expected) in [(&paid, Urgency::Priority), (&premium, Urgency::Usual)] {
        let mut ann = ann(flow);
        ann.chat.paid = true;
        ann.says("Hello");
        assert_eq!(ann.asked[0].urgency, expected);
    }
    for flow in [&paid, &premium] {
        let mut ann = ann(flow);
        (ann.chat.premium_until, ann.now) = (Some(tapgate::clock::Timestamp::from_unix_seconds(10)), ann.now);
        ann.says("Hello");
        assert_eq!(ann.asked[0].urgency, Urgency::Priority);
        ann.is_made(&writes("Hello"));
        ann.now = tapgate::clock::Timestamp::from_unix_seconds(10);
        ann.says("Hello");
        assert_eq!((ann.asked[0].urgency, ann.chat.premium_until), (Urgency::Usual, None), "it has lapsed");
    }
}

#[test]
fn what_is_given_up_is_over_costs_nothing_and_leads_back_to_where_it_was_asked_for() {
    let flow = flow();
    let mut ann = ann(&flow);
    ann.says("Who is there?");
    let decision = ann.taps("Stop");
    assert_eq!((ann.chat.busy.as_ref(), ann.chat.balance, ann.asked.len()), (None, 3, 0));
    assert_eq!((ann.booked.as_slice(), ann.stands().as_str()), (&[(EntryKind::Returned, 1)][..], "home > kennel"));
    assert_eq!(decision.change.unwrap().books.cancelled.as_deref(), Some("2.0"));

    ann.says("Who is there?");
    ann.says("/cancel");
    assert_eq!((ann.chat.balance, ann.stands().as_str(), ann.chat.busy.as_ref()), (3, "home", None));
    let decision = ann.says("/cancel");
    assert_eq!(
        (decision.change.unwrap().books.is_empty(), ann.stands().as_str()),
        (true, "home"),
        "nothing is under way"
    );
}

#[test]
fn a_second_tap_on_stop_leads_nowhere() {
    let flow = flow();
    let mut ann = ann(&flow);
    ann.says("Who is there?");
    let (before, message) = (ann.chat.shown.clone(), ann.chat.shown.as_ref().unwrap().message_id);
    ann.presses(message.0, "waiting:stop");
    // What it led to is not seen yet.
    ann.chat.shown = before;
    let decision = ann.presses(message.0, "waiting:stop");
    assert_eq!((decision.note, ann.stands().as_str()), (Some(Note::OldButton), "home > kennel"));
}

#[test]
fn what_is_given_up_elsewhere_leaves_no_way_back_to_where_it_was_waited_for() {
    let flow = flow();
    let mut ann = ann(&flow);
    ann.says("Who is there?");
    ann.taps("Shop");
    assert_eq!(ann.stands(), "home > kennel > waiting > shop");
    ann.says("/start dog");
    ann.says("Hello?");
    assert_eq!(ann.stands(), "home > kennel > busy");
    ann.taps("Stop");
    assert_eq!((ann.stands().as_str(), ann.chat.balance), ("home > kennel", 3), "nor to the screen that says so");

    ann.says("Who is there?");
    let waiting = ann.chat.desired.clone().unwrap().view;
    ann.chat.desired.as_mut().unwrap().view = waiting.go(&flow, "busy");
    ann.taps("Back");
    assert_eq!(ann.stands(), "home > kennel > waiting", "as long as it is under way, one comes back to it");
}

#[test]
fn one_step_gives_up_and_asks_anew() {
    let flow = changed(
        "[screens.waiting]\n",
        "[screens.waiting]\ntext = { cancel = true, generate = { lane = \"text\", cost = 3 }, go = \"waiting\" }\n",
    );
    let mut ann = ann(&flow);
    ann.says("Who is there?");
    let decision = ann.says("Rather: where?");
    assert_eq!(ann.booked, [(EntryKind::Returned, 1), (EntryKind::Reserved, -3)], "what comes back can be spent");
    assert_eq!(
        (ann.asked.len(), ann.asked[0].key.as_str(), ann.chat.busy.as_ref().unwrap().id.as_str()),
        (1, "3.0", "3.0")
    );
    assert_eq!(decision.change.unwrap().books.cancelled.as_deref(), Some("2.0"));
    ann.says("Or how?");
    assert_eq!((ann.chat.balance, ann.asked[0].key.as_str()), (0, "4.0"));
}

#[test]
fn what_a_step_requires_stands_before_all_it_does() {
    let flow = changed(
        "cancel = true\ngo = \"home\"",
        "cancel = true\nforget = true\nrequires = { selected = [\"pet\"] }\ngo = \"home\"",
    );
    let mut ann = ann(&flow);
    ann.says("Who is there?");
    ann.chat.vars.clear();
    let decision = ann.says("/cancel");
    assert_eq!((ann.stands().as_str(), ann.chat.busy.is_some(), ann.asked.len()), ("home > pets", true, 1));
    assert!(decision.change.unwrap().books.is_empty());
}

#[test]
fn a_text_while_waiting_shows_where_to_wait_below_it() {
    let flow = flow();
    let mut ann = ann(&flow);
    ann.says("Who is there?");
    let decision = ann.says("Hello?");
    assert_eq!(jobs(&decision), [Job::Screen(Place::New)]);
    assert_eq!((ann.stands().as_str(), ann.asked.len()), ("home > kennel > waiting", 1));
    ann.says("/name");
    assert_eq!((ann.stands().as_str(), ann.chat.busy.is_some()), ("home", true), "one may go elsewhere meanwhile");
}

#[test]
fn what_is_offered_is_an_invoice_beside_its_screen() {
    let flow = flow();
    let mut ann = ann(&flow);
    ann.taps("Shop");
    let shop = ann.chat.shown.clone().unwrap();
    let decision = ann.taps("Ten");
    let [Job::Content(Content { message: Message::Invoice(invoice), reservation: None }), Job::Screen(place)] =
        jobs(&decision)
    else {
        panic!("{decision:?}")
    };
    let said = (invoice.title.as_str(), invoice.description.as_str(), invoice.payload.as_str(), invoice.stars);
    assert_eq!(said, ("Ten messages", "Ten more messages", "ten", 50));
    assert_eq!(*place, Place::Message(shop.message_id));
    let again = ann.presses(shop.message_id.0, &format!("shop:ten:{}", shop.revision.0));
    assert_eq!((again.note, ann.got.len()), (Some(Note::OldButton), 1), "one press, one invoice");
}

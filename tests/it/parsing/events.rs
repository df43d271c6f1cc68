//! What an update means to the server.

use std::borrow::Cow;
use tapgate::flow::event::{Event, Happened, Purchase, Reading, read};
use tapgate::telegram::id::{ChatId, MessageId};
use tapgate::telegram::update::{DeliveryQueue, parse};

const ANN: &str = r#"{"id":5,"is_bot":false,"first_name":"Ann","language_code":"ru"}"#;
const PRIVATE: &str = r#"{"id":5,"first_name":"Ann","type":"private"}"#;
const GROUP: &str = r#"{"id":-100,"title":"G","type":"supergroup"}"#;

fn message(from: &str, chat: &str, content: &str) -> String {
    format!(r#"{{"update_id":1,"message":{{"message_id":7,"from":{from},"chat":{chat},"date":1{content}}}}}"#)
}

fn press(message: &str, data: &str) -> String {
    format!(r#"{{"update_id":1,"callback_query":{{"id":"q","from":{ANN}{message},"chat_instance":"1"{data}}}}}"#)
}

fn membership(chat: &str, from: &str, status: &str) -> String {
    format!(
        r#"{{"update_id":1,"my_chat_member":{{"chat":{chat},"from":{from},"date":1,"old_chat_member":{{}},"new_chat_member":{{"status":"{status}"}}}}}}"#
    )
}

#[track_caller]
fn reads(body: &str, expected: Reading<'_>) {
    assert_eq!(read(parse(body.as_bytes()).unwrap(), Some("Companion_Bot")), expected, "{body}");
}

fn happens(queue: DeliveryQueue, happened: Happened<'_>) -> Reading<'_> {
    Reading::Event(queue, Event { chat: ChatId(5), language: Some("ru".into()), happened })
}

#[track_caller]
fn reads_text(text: &str, expected: Happened<'_>) {
    let body = message(ANN, PRIVATE, &format!(r#","text":{}"#, serde_json::to_string(text).unwrap()));
    reads(&body, happens(DeliveryQueue::Messages, expected));
}

fn command<'a>(name: &'a str, argument: &'a str) -> Happened<'a> {
    Happened::Command { name: name.into(), argument: argument.into() }
}

#[test]
fn commands_are_told_from_texts() {
    reads_text("/start", command("start", ""));
    reads_text("/start  ref_42 ", command("start", "ref_42"));
    reads_text("/start\nref", command("start", "ref"));
    reads_text("/START", command("start", ""));
    reads_text("/help@companion_bot now", command("help", "now"));
    for text in ["/help@other_bot", "/", "/ start", "/usr/bin", "/при", "/a-b", "start", " /start", "/@companion_bot"]
    {
        reads_text(text, Happened::Text(text.into()));
    }
}

#[test]
fn without_a_known_username_every_bot_in_a_command_is_ours() {
    let body = message(ANN, PRIVATE, r#","text":"/help@other_bot""#);
    let reading = read(parse(body.as_bytes()).unwrap(), None);
    assert_eq!(reading, happens(DeliveryQueue::Messages, command("help", "")));
}

#[test]
fn a_caption_is_the_text_of_anything_else_and_never_a_command() {
    let body = message(ANN, PRIVATE, r#","photo":[],"caption":"/start""#);
    reads(&body, happens(DeliveryQueue::Messages, Happened::Text("/start".into())));
}

#[test]
fn whatever_else_a_user_sends_is_told_from_what_telegram_says_about_the_chat() {
    for thing in
        ["photo\":[]", "sticker\":{}", "animation\":{},\"document\":{}", "venue\":{},\"location\":{}", "voice\":1"]
    {
        let body = message(ANN, PRIVATE, &format!(",\"{thing}"));
        reads(&body, happens(DeliveryQueue::Messages, Happened::Other));
    }
}

#[test]
fn what_says_nothing_or_contradicts_itself_does_nothing() {
    let text = r#","text":"hi""#;
    for body in [
        message(ANN, PRIVATE, ""),
        message(ANN, PRIVATE, r#","pinned_message":{}"#),
        message("null", PRIVATE, text),
        message(r#"{"id":5,"is_bot":true}"#, PRIVATE, text),
        message(r#"{"id":6,"is_bot":false}"#, PRIVATE, text),
        membership(PRIVATE, r#"{"id":6,"is_bot":false}"#, "kicked"),
        membership(PRIVATE, ANN, "creator"),
        membership(PRIVATE, ANN, "status_of_the_future"),
        r#"{"update_id":1,"edited_message":{}}"#.to_owned(),
    ] {
        reads(&body, Reading::Nothing);
    }
}

#[test]
fn groups_and_channels_are_not_private() {
    reads(&message(ANN, GROUP, r#","text":"/start""#), Reading::NotPrivate);
    reads(&message(ANN, r#"{"id":5,"type":"chat_of_the_future"}"#, ""), Reading::NotPrivate);
    reads(&membership(GROUP, ANN, "kicked"), Reading::NotPrivate);
}

#[test]
fn payments_belong_to_the_payer_wherever_they_arrive() {
    const BOT: &str = r#"{"id":42,"is_bot":true}"#;
    let purchase = r#""currency":"XTR","total_amount":50,"invoice_payload":"ten""#;
    let notice = |kind: &str| format!(r#","{kind}":{{{purchase},"telegram_payment_charge_id":"c","extra":1}}"#);
    let bought = || Purchase { currency: "XTR".into(), total_amount: 50, payload: "ten".into() };
    let (paid, refunded) = (notice("successful_payment"), notice("refunded_payment"));
    let paying = || Happened::Paid { charge: "c".into(), purchase: bought() };
    let refunding = || Happened::Refunded { charge: "c".into(), purchase: bought(), payment: None };
    for chat in [PRIVATE, GROUP] {
        reads(&message(ANN, chat, &paid), happens(DeliveryQueue::Messages, paying()));
        reads(&message(ANN, chat, &refunded), happens(DeliveryQueue::Messages, refunding()));
    }
    // Of a refund in their own chat it is the bot that tells; elsewhere nobody knows whose it was.
    let told_by_the_bot = Event { chat: ChatId(5), language: None, happened: refunding() };
    reads(&message(BOT, PRIVATE, &refunded), Reading::Event(DeliveryQueue::Messages, told_by_the_bot));
    reads(&message(BOT, GROUP, &refunded), Reading::Nothing);
    reads(
        &format!(r#"{{"update_id":1,"pre_checkout_query":{{"id":"q","from":{ANN},{purchase}}}}}"#),
        happens(DeliveryQueue::Checkouts, Happened::Checkout { query: "q".into(), purchase: bought() }),
    );
}

fn pressed(message: Option<i64>, data: Option<&str>) -> Reading<'_> {
    let (message, data) = (message.map(MessageId), data.map(Cow::Borrowed));
    happens(DeliveryQueue::Presses, Happened::Press { query: "q".into(), message, data })
}

#[test]
fn a_press_in_a_private_chat_names_its_message_and_data() {
    let under = |id| format!(r#","message":{{"message_id":{id},"chat":{PRIVATE},"date":0}}"#);
    reads(&press(&under(7), r#","data":"a:b""#), pressed(Some(7), Some("a:b")));
    reads(&press(&under(7), r#","game_short_name":"g""#), pressed(Some(7), None));
    reads(&press(&under(0), r#","data":"a:b""#), pressed(None, Some("a:b")));
}

#[test]
fn a_press_elsewhere_is_only_to_be_answered() {
    for message in [
        String::new(),
        r#","inline_message_id":"x""#.to_owned(),
        format!(r#","message":{{"message_id":7,"chat":{GROUP},"date":1}}"#),
        r#","message":{"message_id":7,"chat":{"id":6,"type":"private"},"date":1}"#.to_owned(),
    ] {
        reads(&press(&message, r#","data":"a:b""#), Reading::ForeignPress { query: "q".into() });
    }
}

#[test]
fn membership_says_whether_the_bot_is_blocked() {
    for (status, blocked) in [("kicked", true), ("member", false)] {
        let happened = Happened::Membership { blocked };
        reads(&membership(PRIVATE, ANN, status), happens(DeliveryQueue::Membership, happened));
    }
}

//! A suspended user is told so; nothing else happens.

use super::ann::Ann;
use super::flow;
use tapgate::flow::decision::Note;

#[test]
fn a_message_of_a_suspended_user_gets_the_notice() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    ann.chat.banned = true;
    for text in ["/start", "/nope", "hello"] {
        let decision = ann.says(text);
        assert_eq!((decision.change, decision.note), (None, Some(Note::Suspended)));
        assert_eq!(
            decision.answer.body(),
            r#"{"method":"sendMessage","chat_id":5,"text":"<b>Suspended</b> &amp; closed","parse_mode":"HTML"}"#
        );
    }
}

#[test]
fn a_press_of_a_suspended_user_gets_the_notice_as_an_alert() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    ann.chat.banned = true;
    for data in ["home:pets", "gone:gone"] {
        let decision = ann.presses(2, data);
        assert_eq!((decision.change, decision.note), (None, Some(Note::Suspended)));
        assert_eq!(
            decision.answer.body(),
            r#"{"method":"answerCallbackQuery","callback_query_id":"q","text":"Suspended & closed","show_alert":true}"#
        );
    }
}

#[test]
fn membership_of_a_suspended_user_is_still_recorded() {
    let flow = flow();
    let mut ann = Ann::new(&flow, "en");
    ann.says("/start");
    ann.chat.banned = true;
    let decision = ann.membership("kicked");
    assert!(decision.change.is_some() && ann.chat.blocked && ann.chat.banned);
}

//! What Telegram refuses: what is done about each of its words, what the user's row says then, and what is counted.

use super::{first_button, on_both_profiles, sees_a_screen, starts};
use crate::harness::bot_api::Reply;
use crate::harness::deployment::Deployment;
use crate::harness::patience;
use crate::harness::telegram::{Bot, User};
use std::time::Duration;

on_both_profiles!(
    what_telegram_refuses_of_an_edit_is_sent_anew_or_is_no_refusal,
    what_telegram_refuses_to_send_is_taken_back,
    what_telegram_does_not_delete_stays_and_nothing_else_changes,
    a_first_screen_that_is_refused_leaves_the_user_at_the_start,
    whatever_says_that_the_token_is_not_taken_holds_its_bot,
    a_bot_whose_token_is_refused_waits_with_all_it_has_and_no_other_bot_does,
    a_chat_gets_three_messages_at_once_and_then_one_a_second,
);

/// How an edit goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    /// It is as good as done.
    Done,
    /// The screen is sent in a new message.
    Anew,
    /// Once more, without markup.
    Plain,
}

/// telegram.md's words that an edit can meet.
const EDITS: &[(&str, Edit)] = &[
    (
        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as \
         a current content and reply markup of the message",
        Edit::Done,
    ),
    ("Bad Request: message to edit not found", Edit::Anew),
    ("Bad Request: message can't be edited", Edit::Anew),
    ("Bad Request: there is no text in the message to edit", Edit::Anew),
    ("Bad Request: inline keyboard expected", Edit::Anew),
    ("Bad Request: MESSAGE_ID_INVALID", Edit::Anew),
    ("Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 0", Edit::Plain),
    ("Bad Request: can't parse entities: Unclosed start tag at byte offset 7", Edit::Plain),
    ("Bad Request: can't parse entities: Unexpected end tag at byte offset 7", Edit::Plain),
    (
        "Bad Request: can't parse entities: Unmatched end tag at byte offset 7, expected \"</b>\", found \"</i>\"",
        Edit::Plain,
    ),
    ("Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\"", Edit::Plain),
];

async fn what_telegram_refuses_of_an_edit_is_sent_anew_or_is_no_refusal(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    for (words, goes_on) in EDITS {
        let ann = User::named("Ann");
        let screen = starts(&deployment, &server, &bot, &ann).await;
        let of_ann = |method: &str| {
            let calls = deployment.bot_api.calls_of(method).into_iter();
            calls.filter(|call| call.chat() == Some(ann.id)).collect::<Vec<_>>()
        };
        deployment.bot_api.answer_next("editMessageText", Reply::refused(400, words));
        server.telegram(&bot).posts(&ann.taps(&first_button(&screen), screen.id)).await;
        let chat = settled(&deployment, &bot, &ann).await;

        let (edits, sends) = (of_ann("editMessageText"), of_ann("sendMessage"));
        let expected = match goes_on {
            Edit::Done => (1, 1),
            Edit::Anew => (1, 2),
            Edit::Plain => (2, 1),
        };
        assert_eq!((edits.len(), sends.len()), expected, "{words}");
        assert_eq!(chat["shown"]["revision"], chat["desired"]["revision"], "{words}");
        if *goes_on == Edit::Plain {
            assert_eq!(edits[1].text("parse_mode"), "", "{words}");
        }
    }
    let rows = |edit: Edit| EDITS.iter().filter(|(_, goes_on)| *goes_on == edit).count() as f64;
    let edits = async |result: &str| {
        let labels = format!("method=\"editMessageText\",result=\"{result}\"");
        server.metric("tapgate_outbound_calls_total", &labels).await
    };
    assert_eq!(edits("not_modified").await, rows(Edit::Done));
    assert_eq!(edits("refused").await, rows(Edit::Anew) + rows(Edit::Plain));
    assert_eq!(server.metric("tapgate_notes_total", "note=\"markup_refused\"").await, rows(Edit::Plain));
}

/// What can be said of a new message, and whether it says that the user cannot be reached at all. What is said of groups,
/// of replies and of parameters that every call has is not among it: a sender writes to private chats alone. Of photos
/// see [`super::photos`], of markup, 429 and 5xx [`super::sender`].
const SENDS: &[(u16, &str, bool)] = &[
    (400, "Bad Request: message text is empty", false),
    (400, "Bad Request: text must be non-empty", false),
    (400, "Bad Request: message is too long", false),
    (400, "Bad Request: text is too long", false),
    (400, "Bad Request: group chat was upgraded to a supergroup chat", false),
    (400, "Bad Request: message thread not found", false),
    (400, "Bad Request: BUTTON_DATA_INVALID", false),
    (400, "Bad Request: BUTTON_URL_INVALID", false),
    (400, "Bad Request: text buttons are unallowed in the inline keyboard", false),
    (400, "Bad Request: can't parse reply keyboard markup JSON object", false),
    (400, "Bad Request: object expected as reply markup", false),
    (400, "Bad Request: reply markup is too long", false),
    (400, "Bad Request: not enough rights to send text messages to the chat", false),
    (400, "Bad Request: have no write access to the chat", false),
    (413, "Request Entity Too Large", false),
    (400, "Bad Request: chat not found", true),
    (400, "Bad Request: PEER_ID_INVALID", true),
    (403, "Forbidden: bot was blocked by the user", true),
    (403, "Forbidden: user is deactivated", true),
    (403, "Forbidden: bot can't initiate conversation with a user", true),
    (403, "Forbidden: the bot can't send messages to the bot", true),
];

async fn what_telegram_refuses_to_send_is_taken_back(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    for (code, words, unreachable) in SENDS {
        let ann = User::named("Ann");
        let screen = starts(&deployment, &server, &bot, &ann).await;
        server.telegram(&bot).posts(&ann.taps(&first_button(&screen), screen.id)).await;
        let before = settled(&deployment, &bot, &ann).await;

        deployment.bot_api.answer_next("sendMessage", Reply::refused(*code, words));
        server.telegram(&bot).posts(&ann.says("/start")).await;
        let after = settled(&deployment, &bot, &ann).await;
        assert_ne!(before["desired"]["screen"], "welcome");
        assert_eq!(after["desired"], before["desired"], "{words}: what was never seen is taken back");
        assert_eq!(after["shown"], before["shown"], "{words}");
        let marked = "SELECT coalesce(unreachable_revision, 0) FROM chats WHERE chat_id = ";
        let marked = super::numbers(&deployment, &format!("{marked}{}", ann.id)).await;
        assert_eq!(marked[0] > 0, *unreachable, "{words}");

        // Whatever was refused, the next thing the user does is answered as ever.
        server.telegram(&bot).posts(&ann.says("/start")).await;
        let next = settled(&deployment, &bot, &ann).await;
        assert_eq!(next["shown"]["screen"], "welcome", "{words}");
    }
    assert_eq!(server.metric("tapgate_notes_total", "note=\"migrated\"").await, 1.0);
    let refused = "method=\"sendMessage\",result=\"refused\"";
    assert_eq!(server.metric("tapgate_outbound_calls_total", refused).await, SENDS.len() as f64);
}

/// What can be said of a message that is to go.
const DELETES: &[&str] = &[
    "Bad Request: message to delete not found",
    "Bad Request: message can't be deleted",
    "Bad Request: message can't be deleted for everyone",
];

async fn what_telegram_does_not_delete_stays_and_nothing_else_changes(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    for words in DELETES {
        let ann = User::named("Ann");
        let old = starts(&deployment, &server, &bot, &ann).await;
        deployment.bot_api.answer_next("deleteMessage", Reply::refused(400, words));
        server.telegram(&bot).posts(&ann.says("/start")).await;
        let chat = settled(&deployment, &bot, &ann).await;
        let there: Vec<_> = deployment.bot_api.messages(ann.id).iter().map(|message| message.id).collect();
        assert_eq!(there.len(), 2, "{words}");
        assert_eq!((there[0], chat["shown"]["message_id"].as_i64()), (old.id, Some(there[1])), "{words}");
        assert_eq!(chat["shown"]["revision"], chat["desired"]["revision"], "{words}");
    }
    let refused = "method=\"deleteMessage\",result=\"refused\"";
    assert_eq!(server.metric("tapgate_outbound_calls_total", refused).await, DELETES.len() as f64, "each once");
}

async fn a_first_screen_that_is_refused_leaves_the_user_at_the_start(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let refused = Reply::refused(403, "Forbidden: bot can't initiate conversation with a user");
    deployment.bot_api.answer_next("sendMessage", refused);
    server.telegram(&bot).posts(&ann.says("/settings")).await;
    let chat = patience::until("the screen is taken back", async || {
        let chat = deployment.chat(&bot, ann.id).await;
        (chat["desired"]["screen"] == "welcome").then_some(chat)
    })
    .await;
    assert_eq!(chat["shown"], serde_json::Value::Null);
    starts(&deployment, &server, &bot, &ann).await;
}

/// What can be said of the bot itself, or, by a Bot API server that is older than this program, of the method.
const TOKENS: &[(u16, &str)] = &[
    (401, "Unauthorized"),
    (401, "Unauthorized: invalid token specified"),
    (404, "Not Found"),
    (404, "Not Found: method not found"),
];

async fn whatever_says_that_the_token_is_not_taken_holds_its_bot(deployment: Deployment) {
    let mut bots = Vec::new();
    for (number, (code, words)) in TOKENS.iter().enumerate() {
        let (name, ann) = (format!("bot{number}"), User::named("Ann"));
        bots.push((deployment.adds_bot(&name).await, name, ann, Reply::refused(*code, words)));
    }
    let server = deployment.serves().await;
    let replies: Vec<_> = bots.iter().map(|(bot, _, _, reply)| (bot.id.to_string(), reply.clone())).collect();
    deployment
        .bot_api
        .answer_when(move |call| replies.iter().find(|(bot, _)| *bot == call.bot).map(|(_, reply)| reply.clone()));
    let refused = async |name: &str, expected: f64| {
        patience::until("the alarm is as it should be", async || {
            let raised = server.metric("tapgate_token_refused", &format!("bot=\"{name}\"")).await;
            (raised == expected).then_some(())
        })
        .await;
    };
    for (bot, _, ann, _) in &bots {
        server.telegram(bot).posts(&ann.says("/start")).await;
    }
    for (bot, name, _, _) in &bots {
        refused(name, 1.0).await;
        let left = format!("SELECT count(*) FROM jobs WHERE bot_id = {}", bot.id);
        assert_eq!(super::numbers(&deployment, &left).await, [1], "nothing is taken back");
    }
    deployment.bot_api.answer_as_usual();
    for (_, name, ann, _) in &bots {
        sees_a_screen(&deployment, ann).await;
        refused(name, 0.0).await;
    }
}

async fn a_bot_whose_token_is_refused_waits_with_all_it_has_and_no_other_bot_does(deployment: Deployment) {
    let (revoked, well) = (deployment.adds_bot("revoked").await, deployment.adds_bot("well").await);
    let server = deployment.serves().await;
    let id = revoked.id.to_string();
    deployment.bot_api.answer_when(move |call| (call.bot == id).then(|| Reply::refused(401, "Unauthorized")));
    let users: Vec<_> = (0..20).map(|_| User::named("Ann")).collect();
    for user in &users {
        server.telegram(&revoked).posts(&user.says("/start")).await;
    }
    patience::until("the alarm is raised", async || {
        (server.metric("tapgate_token_refused", "bot=\"revoked\"").await == 1.0).then_some(())
    })
    .await;
    starts(&deployment, &server, &well, &User::named("Bob")).await;
    let asked = deployment.bot_api.calls().iter().filter(|call| call.bot == revoked.id.to_string()).count();
    // Those that were under way together, then one a wait: 1, 2, 4 s…
    assert!(asked <= users.len() + 8, "{asked} calls: nobody is asked over and over");
    let left = format!("SELECT count(*) FROM jobs WHERE bot_id = {}", revoked.id);
    assert_eq!(super::numbers(&deployment, &left).await, [20], "nothing is refused");

    deployment.bot_api.answer_as_usual();
    for user in &users {
        sees_a_screen(&deployment, user).await;
    }
    patience::until("the alarm is over", async || {
        (server.metric("tapgate_token_refused", "bot=\"revoked\"").await == 0.0).then_some(())
    })
    .await;
}

async fn a_chat_gets_three_messages_at_once_and_then_one_a_second(deployment: Deployment) {
    let bot = deployment.adds_bot("shop").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let screen = starts(&deployment, &server, &bot, &ann).await;
    let mut edits = 0;
    let mut taps = async |wanted: usize| {
        while edits < wanted {
            server.telegram(&bot).posts(&ann.taps(&first_button(&screen), screen.id)).await;
            edits = deployment.bot_api.calls_of("editMessageText").len();
        }
    };
    taps(5).await;
    let edits = deployment.bot_api.calls_of("editMessageText");
    let first = deployment.bot_api.calls_of("sendMessage")[0].at;
    // The first three messages are free; each further one waits for the second after the one before it.
    assert!(edits[4].at - first >= Duration::from_secs(3), "{:?}", edits[4].at - first);
    let chat = settled(&deployment, &bot, &ann).await;
    assert_eq!(chat["shown"]["revision"], chat["desired"]["revision"], "the newest was shown");
}

/// The user's row once no job of theirs is left.
async fn settled(deployment: &Deployment, bot: &Bot, user: &User) -> serde_json::Value {
    let left = format!("SELECT count(*) FROM jobs WHERE chat_id = {}", user.id);
    patience::until("nothing is queued any more", async || {
        (super::numbers(deployment, &left).await == [0]).then_some(())
    })
    .await;
    deployment.chat(bot, user.id).await
}

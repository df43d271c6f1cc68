//! Screens with a photo: uploaded once, known by its id from then on, and changed into a text and back.

use super::{starts, writes_flow};
use crate::harness::bot_api::{Message, Reply};
use crate::harness::deployment::Deployment;
use crate::harness::server::Server;
use crate::harness::telegram::{Bot, User};

const FLOW: &str = r#"
start = "home"
locales = ["en"]

[commands.start]
go = "home"

[screens.home]
photo = { file = "home.png" }
keyboard = [[{ name = "far", go = "far" }, { name = "text", go = "text" }]]

[screens.far]
photo = { url = "https://example.com/far.jpg" }
keyboard = [[{ name = "home", go = "home" }]]

[screens.text]
keyboard = [[{ name = "home", go = "home" }]]
"#;

const TEXTS: &str = "\
home = <b>Home</b>
    .far = Far
    .text = Text
far = Far away
    .home = Home
text = Nothing but words
    .home = Home
command-start = Start
notice-suspended = Suspended
notice-unknown-command = Unknown
notice-old-button = Old
error = Error
";

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

/// A server with a bot whose flow has photos, and Ann, who sees the start screen.
async fn ann_sees_home(deployment: &mut Deployment) -> (Server, Bot, User, Message) {
    writes_flow(deployment, &[("flow.toml", FLOW.as_bytes()), ("en.ftl", TEXTS.as_bytes()), ("home.png", PNG)]);
    let bot = deployment.adds_bot("photos").await;
    let server = deployment.serves().await;
    let ann = User::named("Ann");
    let home = starts(deployment, &server, &bot, &ann).await;
    (server, bot, ann, home)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_uploaded_once_and_known_by_its_id_from_then_on() {
    let mut deployment = Deployment::embedded();
    let (server, bot, ann, home) = ann_sees_home(&mut deployment).await;
    let telegram = server.telegram(&bot);
    let first = &deployment.bot_api.calls_of("sendPhoto")[0];
    assert_eq!((first.text("photo"), first.text("parse_mode")), ("attach://photo", "HTML"));
    assert_eq!((home.photo.as_deref(), home.text.as_str()), (Some("attach://photo"), "<b>Home</b>"));

    telegram.posts(&ann.taps(&home.button("Far"), home.id)).await;
    let far = deployment.bot_api.wait_for_text(ann.id, "Far away").await;
    assert_eq!((far.id, far.photo.as_deref()), (home.id, Some("https://example.com/far.jpg")), "it is edited in place");
    telegram.posts(&ann.taps(&far.button("Home"), far.id)).await;
    deployment.bot_api.wait_for(2, "editMessageMedia").await;
    let again = deployment.bot_api.wait_for_text(ann.id, "Home").await;
    assert_eq!((again.id, again.photo), (home.id, Some(format!("large-of-{}", bot.id))));

    let boris = User::named("Boris");
    let seen = starts(&deployment, &server, &bot, &boris).await;
    assert_eq!(seen.photo, Some(format!("large-of-{}", bot.id)));
    assert!(deployment.bot_api.calls_of("sendMessage").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_takes_the_place_of_a_photo_and_a_photo_that_of_a_text() {
    let mut deployment = Deployment::embedded();
    let (server, bot, ann, home) = ann_sees_home(&mut deployment).await;
    let telegram = server.telegram(&bot);
    let refusal = "Bad Request: there is no text in the message to edit";
    deployment.bot_api.answer_next("editMessageText", Reply::refused(400, refusal));
    telegram.posts(&ann.taps(&home.button("Text"), home.id)).await;
    let only = deployment.bot_api.wait_until("the text alone", |api| match api.messages(ann.id).as_slice() {
        [only] if only.text == "Nothing but words" => Some(only.clone()),
        _ => None,
    });
    let text = only.await;
    assert!(text.id > home.id && text.photo.is_none());

    let refusal = "Bad Request: message can't be edited";
    deployment.bot_api.answer_next("editMessageMedia", Reply::refused(400, refusal));
    telegram.posts(&ann.taps(&text.button("Home"), text.id)).await;
    let only = deployment.bot_api.wait_until("the photo alone", |api| match api.messages(ann.id).as_slice() {
        [only] if only.photo.is_some() => Some(only.clone()),
        _ => None,
    });
    assert!(only.await.id > text.id);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_that_no_longer_holds_is_uploaded_anew_and_a_photo_that_is_none_is_left_out() {
    let mut deployment = Deployment::embedded();
    let (server, bot, ann, _) = ann_sees_home(&mut deployment).await;
    let telegram = server.telegram(&bot);
    let refusal = "Bad Request: wrong file identifier/HTTP URL specified";
    deployment.bot_api.answer_next("sendPhoto", Reply::refused(400, refusal));
    telegram.posts(&ann.says("/start")).await;
    let sent = deployment.bot_api.wait_for(3, "sendPhoto").await;
    assert_eq!(sent[1].text("photo"), format!("large-of-{}", bot.id));
    assert_eq!(sent[2].text("photo"), "attach://photo");
    deployment.bot_api.wait_for(1, "deleteMessage").await;

    deployment.bot_api.answer_when(move |call| {
        let is_photo = ["sendPhoto", "editMessageMedia"].contains(&&*call.method);
        is_photo.then(|| Reply::refused(400, "Bad Request: IMAGE_PROCESS_FAILED"))
    });
    telegram.posts(&ann.says("/start")).await;
    let words = deployment
        .bot_api
        .wait_until("the words alone", |api| api.messages(ann.id).into_iter().find(|message| message.photo.is_none()));
    assert_eq!(words.await.text, "<b>Home</b>");
}

/// What Telegram can say of a photo: the screen goes without it, and the flow's author is told.
const REFUSALS: &[(u16, &str)] = &[
    (400, "Bad Request: wrong file identifier/HTTP URL specified"),
    (400, "Bad Request: wrong file_id or the file is temporarily unavailable"),
    (400, "Bad Request: failed to get HTTP URL content"),
    (400, "Bad Request: wrong type of the web page content"),
    (400, "Bad Request: message caption is too long"),
    (400, "Bad Request: not enough rights to send photos to the chat"),
    (413, "Request Entity Too Large"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_telegram_refuses_of_a_photo_its_screen_goes_without_it() {
    let mut deployment = Deployment::embedded();
    let (server, bot, _, _) = ann_sees_home(&mut deployment).await;
    for (number, (code, words)) in REFUSALS.iter().enumerate() {
        let reply = Reply::refused(*code, words);
        deployment.bot_api.answer_when(move |call| (call.method == "sendPhoto").then(|| reply.clone()));
        let cyd = User::named("Cyd");
        let seen = starts(&deployment, &server, &bot, &cyd).await;
        assert_eq!((seen.text.as_str(), seen.photo), ("<b>Home</b>", None), "{words}");
        let photos = deployment.bot_api.calls_of("sendPhoto");
        let photos = photos.iter().filter(|call| call.chat() == Some(cyd.id)).map(|call| call.text("photo").to_owned());
        // An id that is remembered is forgotten with its first refusal, which may be of the id alone.
        let expected = if number == 0 { vec![format!("large-of-{}", bot.id)] } else { vec![] };
        assert_eq!(photos.collect::<Vec<_>>(), [expected, vec!["attach://photo".to_owned()]].concat(), "{words}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chat_that_is_not_there_is_not_told_from_its_photo() {
    let mut deployment = Deployment::embedded();
    let (server, bot, ann, _) = ann_sees_home(&mut deployment).await;
    let before = deployment.bot_api.calls().len();
    deployment.bot_api.answer_when(|_| Some(Reply::refused(400, "Bad Request: chat not found")));
    server.telegram(&bot).posts(&ann.says("/start")).await;
    let left =
        format!("SELECT unreachable_revision FROM chats WHERE chat_id = {} AND unreachable_revision > 0", ann.id);
    crate::harness::patience::until("the user is known not to be there", async || {
        (!super::numbers(&deployment, &left).await.is_empty()).then_some(())
    })
    .await;
    let calls: Vec<_> = deployment.bot_api.calls()[before..].iter().map(|call| call.method.clone()).collect();
    assert_eq!(calls, ["sendPhoto"], "once: neither the file anew nor the text");
}

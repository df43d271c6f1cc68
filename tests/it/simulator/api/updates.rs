//! What users do, as Telegram writes it: fields in their order, letters escaped, six decimals.

use super::Stand;
use tapgate::sandbox::world::{Impossible, Thing, World};
use tapgate::telegram::update::{Content, Kind, parse};

const ANN: &str = r#""from":{"id":7100000001,"is_bot":false,"first_name":"Ann","language_code":"en"},"chat":{"id":7100000001,"first_name":"Ann","type":"private"},"date":1780000000"#;

#[tokio::test]
async fn messages_are_written_field_by_field() {
    let stand = Stand::new();
    let said = stand.world.says(stand.ann, " /go Привет 😀 ").unwrap();
    assert_eq!(
        stand.last_update(),
        (
            "message",
            format!(
                r#"{{"message_id":{said},{ANN},"text":"/go \u041f\u0440\u0438\u0432\u0435\u0442 \ud83d\ude00","entities":[{{"offset":0,"length":3,"type":"bot_command"}}]}}"#
            )
        )
    );
    stand.world.edits(stand.ann, said, "x").unwrap();
    assert_eq!(
        stand.last_update(),
        ("edited_message", format!(r#"{{"message_id":{said},{ANN},"edit_date":1780000000,"text":"x"}}"#))
    );
    let place = stand.world.sends(stand.ann, Thing::Location).unwrap();
    assert_eq!(
        stand.last_update(),
        (
            "message",
            format!(r#"{{"message_id":{place},{ANN},"location":{{"latitude":48.858400,"longitude":2.294500}}}}"#)
        )
    );
    let followed = stand.world.follows(stand.ann, "ref_42").unwrap();
    assert!(stand.last_update().1.starts_with(&format!(r#"{{"message_id":{followed},{ANN},"text":"/start ref_42""#)));
    assert_eq!(stand.world.follows(stand.ann, "no spaces"), Err(Impossible::Unsayable));
}

#[tokio::test]
async fn a_message_in_the_group_says_where_it_was_written() {
    let stand = Stand::new();
    stand.world.says_in_group(stand.ann, "hello").unwrap();
    let (_, object) = stand.last_update();
    let chat = r#""chat":{"id":-4000000001,"title":"Sandbox","type":"group","all_members_are_administrators":false,"accepted_gift_types":{"unlimited_gifts":false,"limited_gifts":false,"unique_gifts":false,"premium_subscription":false,"gifts_from_channels":false}}"#;
    assert!(object.contains(chat), "{object}");
    assert_eq!(stand.pending().pop().unwrap().queue, stand.world.group().0);
}

#[tokio::test]
async fn blocking_and_unblocking_are_each_told_once() {
    let stand = Stand::new();
    stand.world.blocks(stand.ann).unwrap();
    stand.world.blocks(stand.ann).unwrap();
    assert_eq!(stand.pending().len(), 2, "the start, and one block");
    let bot = r#"{"id":4100000001,"is_bot":true,"first_name":"Helper","username":"helper_bot"}"#;
    let who = r#"{"chat":{"id":7100000001,"first_name":"Ann","type":"private"},"from":{"id":7100000001,"is_bot":false,"first_name":"Ann","language_code":"en"},"date":1780000000"#;
    let (member, kicked) = (
        format!(r#"{{"user":{bot},"status":"member"}}"#),
        format!(r#"{{"user":{bot},"status":"kicked","until_date":0}}"#),
    );
    assert_eq!(
        stand.last_update(),
        ("my_chat_member", format!(r#"{who},"old_chat_member":{member},"new_chat_member":{kicked}}}"#))
    );
    assert_eq!(stand.world.says(stand.ann, "x"), Err(Impossible::Blocked));
    stand.world.unblocks(stand.ann).unwrap();
    assert_eq!(
        stand.last_update(),
        ("my_chat_member", format!(r#"{who},"old_chat_member":{kicked},"new_chat_member":{member}}}"#))
    );
    assert_eq!(stand.pending().pop().unwrap().queue, stand.ann.0 + 5 * (1 << 33));
}

#[tokio::test]
async fn the_server_can_read_every_one_of_them() {
    let stand = Stand::new();
    stand.world.says_in_group(stand.ann, "hello").unwrap();
    for thing in [Thing::Photo("c"), Thing::Sticker, Thing::Voice, Thing::Location] {
        stand.world.sends(stand.ann, thing).unwrap();
    }
    stand.world.blocks(stand.ann).unwrap();
    for update in stand.pending() {
        let object = String::from_utf8(update.object.to_vec()).unwrap();
        assert!(object.is_ascii());
        let body = format!("{{\"update_id\":{},\n\"{}\":{object}}}", update.id, update.kind);
        let read = parse(body.as_bytes()).unwrap();
        assert!(matches!(read.kind(), Kind::Message | Kind::MyChatMember), "{body}");
        if let Content::Message(message) = read.content {
            assert_eq!(message.from.unwrap().id, stand.ann);
        }
    }
}

#[tokio::test]
async fn what_the_bot_does_not_want_to_know_is_not_made() {
    let stand = Stand::new();
    stand.call("setWebhook", &[("url", "http://127.0.0.1:9/"), ("allowed_updates", r#"["callback_query"]"#)]).await;
    let before = stand.pending().len();
    stand.world.says(stand.ann, "x").unwrap();
    assert_eq!(stand.pending().len(), before);
}

#[tokio::test]
async fn the_same_seed_makes_the_same_world() {
    let act = |world: &World| {
        let ben = world.add_user("Ben", None);
        world.says(ben, "/start").unwrap();
        world.sends(ben, Thing::Photo("")).unwrap();
    };
    let (one, other) = (Stand::new(), Stand::new());
    act(&one.world);
    act(&other.world);
    let told = |stand: &Stand| stand.pending().into_iter().map(|update| (update.id, update.object)).collect::<Vec<_>>();
    assert_eq!(told(&one), told(&other));
}

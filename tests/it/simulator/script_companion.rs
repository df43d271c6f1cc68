//! The companion as its users meet it on the wire: every screen and every button, in both languages.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use tapgate::flow::callback::Callback;
use tapgate::library::Library;
use tapgate::sandbox::Sandbox;
use tapgate::sandbox::options::{Earlier, Options};
use tapgate::sandbox::script::{BEGINNING, Script, run};
use tapgate::sandbox::wire::Entry;
use tapgate::storage::StorageUrl;
use tempfile::TempDir;

/// Each script with what comes of it.
const SCRIPTS: [(&str, &str); 3] = [
    ("in_english", include_str!("scripts/companion_en.script")),
    ("in_russian", include_str!("scripts/companion_ru.script")),
    ("busy_and_broke", include_str!("scripts/busy_and_broke.script")),
];

/// Makes four users who have chosen somebody to talk to.
const FOUR_USERS: &str = "\
user boris ru \"Борис\"
user carl en \"Carl\"
user dora ru \"Дора\"
ann: /start
ann: [Talk]
ann: [Luna]
boris: /start
boris: [Поговорить]
boris: [Макс]
carl: /start
carl: [Talk]
carl: [Iris]
dora: /start
dora: [Поговорить]
dora: [Луна]
";

/// What was pressed: the language of the client, the screen, the button.
type Pressed = BTreeSet<(String, String, String)>;

/// Runs a script on the database `file`; gives its transcript and adds what was pressed.
async fn play(text: &str, file: &Path, pressed: &mut Pressed) -> String {
    let script = Script::parse("test.script", text).unwrap_or_else(|problems| panic!("{problems}"));
    let database_url = Some(StorageUrl::Sqlite(file.to_owned()));
    let sandbox =
        Sandbox::start(Options { database_url, earlier: Earlier::Kept, from: Some(BEGINNING), ..Options::default() })
            .await
            .unwrap();
    let mut transcript = String::new();
    let passed = run(&script, &sandbox, &mut |piece| transcript.push_str(piece)).await;
    if let Err(problem) = passed {
        panic!("{transcript}\n{problem}");
    }
    for row in sandbox.wire.rows().iter().filter(|row| matches!(row.entry, Entry::Delivery(_))) {
        let request = row.request.text();
        let body = request.split_once("\r\n\r\n").map_or(&*request, |(_, body)| body);
        let update: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {request}"));
        let query = &update["callback_query"];
        if let Some(callback) = query["data"].as_str().and_then(Callback::parse) {
            let language = query["from"]["language_code"].as_str().unwrap().to_owned();
            pressed.insert((language, callback.screen.to_owned(), callback.button.to_owned()));
        }
    }
    sandbox.stop().await;
    transcript
}

#[tokio::test(flavor = "multi_thread")]
async fn every_screen_and_every_button_is_walked_in_both_languages() {
    let flow = Library::open(None).unwrap().get("companion").unwrap();
    let (mut pressed, mut nothing) = (Pressed::new(), Pressed::new());
    let mut transcripts = String::new();
    for (name, script) in SCRIPTS {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("sandbox.db");
        if name == "busy_and_broke" {
            play(FOUR_USERS, &file, &mut nothing).await;
            make_broke(&file);
        }
        let transcript = play(script, &file, &mut pressed).await;
        insta::assert_snapshot!(name, transcript);
        transcripts.push_str(&transcript);
    }

    let mut expected = Pressed::new();
    for language in flow.locales() {
        for screen in flow.screens() {
            for button in screen.keyboard.iter().flatten() {
                expected.insert((language.to_owned(), screen.name.clone(), button.name.clone()));
            }
        }
    }
    let missing: Vec<_> = expected.difference(&pressed).collect();
    assert!(missing.is_empty(), "never pressed: {missing:#?}");
}

/// The first two users have nothing left; nobody has a message of this world.
fn make_broke(file: &Path) {
    let rows = rusqlite::Connection::open(file).unwrap();
    assert_eq!(rows.execute("UPDATE chats SET shown = NULL", []).unwrap(), 4);
    let first = "SELECT chat_id FROM chats ORDER BY rowid LIMIT 2";
    assert_eq!(rows.execute(&format!("UPDATE chats SET balance = 0 WHERE chat_id IN ({first})"), []).unwrap(), 2);
}

//! `botctl sandbox --script`: what it prints, and how it says what is wrong.

use crate::harness::server::{Environment, botctl};
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// What `botctl sandbox` came to.
pub struct Ran {
    pub code: i32,
    pub printed: String,
    pub said: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let code = output.status.code().expect("it ends by itself");
        Self { code, printed: text(output.stdout), said: text(output.stderr) }
    }
}

/// Runs `botctl sandbox` with these arguments.
pub async fn sandbox(arguments: &[&str]) -> Ran {
    let arguments: Vec<&str> = ["sandbox"].into_iter().chain(arguments.iter().copied()).collect();
    let command = botctl(&Environment::new(), &arguments);
    tokio::process::Command::from(command).kill_on_drop(true).output().await.expect("botctl starts").into()
}

/// Runs the script `text`, which is called `test.script`.
pub async fn plays(text: &str, more: &[&str]) -> Ran {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("test.script");
    std::fs::write(&file, text).unwrap();
    let mut ran = plays_file(&file, more).await;
    ran.said = ran.said.replace(&format!("{}/", folder.path().display()), "");
    ran
}

/// Runs the script in `file`, with nobody who does the jobs of the lanes.
pub async fn plays_file(file: &Path, more: &[&str]) -> Ran {
    let file = file.display().to_string();
    let arguments: Vec<&str> = ["--script", &file, "--no-demo"].into_iter().chain(more.iter().copied()).collect();
    sandbox(&arguments).await
}

/// The transcript of `text`, which has to run to its end.
pub async fn transcript(text: &str, more: &[&str]) -> String {
    let ran = plays(text, more).await;
    assert_eq!(ran.code, 0, "{}{}", ran.printed, ran.said);
    ran.printed
}

#[tokio::test]
async fn the_demo_worker_has_answered_before_the_next_line_of_a_script() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("talk.script");
    let text =
        "ann: /start\nann: [Choose a companion]\nann: [Luna]\nann: Hello\nann sees \"is listening\"\nann: /cancel\n";
    std::fs::write(&file, text).unwrap();
    let ran = sandbox(&["--script", file.to_str().unwrap()]).await;
    assert_eq!(ran.code, 0, "{}{}", ran.printed, ran.said);
    assert!(ran.printed.contains("[demo]"), "{}", ran.printed);
}

#[tokio::test]
async fn a_transcript_says_who_did_what_and_what_everybody_saw() {
    let text = "\
# Two users, who do not see each other.
user boris ru \"Борис\"
ann: /start
ann sees \"Hello!\"
nothing for boris
boris: /start
boris sees [⚙️ Настройки]
boris does not see \"Hello\"
ann: [Settings]
ann presses \"forged\"
ann gets \"no longer there\"
ann in the group: hello
nothing for ann
ann blocks the bot
wait 2h 30m
";
    insta::assert_snapshot!(transcript(text, &[]).await);
}

#[tokio::test]
async fn an_expectation_that_does_not_hold_ends_the_script_and_says_line_expected_and_seen() {
    let wrong = [
        "ann sees \"Goodbye\"",
        "ann sees [Buy]",
        "ann does not see \"Hello\"",
        "ann gets \"Sold\"",
        "nothing for ann",
        "ann: [Setings]",
        "ann pays",
    ];
    let mut said = String::new();
    for line in wrong {
        let ran = plays(&format!("ann: /start\n  {line}\nann: /menu\n"), &[]).await;
        assert_eq!(ran.code, 1, "{line}: {}", ran.printed);
        assert!(ran.printed.starts_with("ann: /start\n  ann sees:\n    Hello!"), "{}", ran.printed);
        assert!(ran.printed.ends_with(&format!("✗ line 2: {line}\n")), "{}", ran.printed);
        said.push_str(&ran.said);
    }
    insta::assert_snapshot!(said);
}

#[tokio::test]
async fn a_script_with_mistakes_is_not_run_and_all_of_them_are_told() {
    let ran = plays("ann: /start\nanm: hi\nwait for it\nann: [Buy\n", &[]).await;
    assert_eq!((ran.code, ran.printed.as_str()), (1, ""));
    insta::assert_snapshot!(ran.said, @r"
    error: test.script:2:1: there is nobody called `anm` (did you mean `ann`?)
    error: test.script:3:6: `for it` is no length of time (such as 30s, 5m, 1h 30m)
    error: test.script:4:6: `]` is missing
    ");
    let ran = plays_file(Path::new("/nonexistent/my.script"), &[]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.said.starts_with("error: the script /nonexistent/my.script cannot be read"), "{}", ran.said);
}

#[tokio::test]
async fn the_same_seed_has_the_same_transcript_and_what_users_see_hangs_on_no_seed() {
    let text = "\
user boris ru \"Борис\"
ann: /start
boris: привет
fault twice 3 times
ann: [Settings]
boris: [О боте] 3 times
fault lose-answer always
ann: [Back]
no faults
wait 10m
ann: [About]
";
    let first = transcript(text, &["--seed", "7"]).await;
    for seed in ["7", "7", "8"] {
        assert_eq!(transcript(text, &["--seed", seed]).await, first);
    }
}

#[tokio::test]
async fn the_example_of_the_readme_runs() {
    let readme = include_str!("../../../README.md");
    let (_, after) = readme.split_once("<!-- script:").expect("the README marks its example");
    let (_, after) = after.split_once("```text\n").unwrap();
    let (script, after) = after.split_once("```").unwrap();
    let (_, after) = after.split_once("```text\n").unwrap();
    let (printed, _) = after.split_once("```").unwrap();
    assert_eq!(transcript(script, &[]).await, printed);
}

/// The world around it is new each time, so nobody of an earlier one is there.
#[tokio::test]
async fn a_database_that_an_earlier_sandbox_used_makes_no_difference() {
    let folder = TempDir::new().unwrap();
    let database = format!("sqlite://{}", folder.path().join("sandbox.db").display());
    let text = "ann: /start\nann: [Settings]\nann: [Русский]\nann sees [Назад]\n";
    let first = transcript(text, &["--database-url", &database]).await;
    assert_eq!(transcript(text, &["--database-url", &database]).await, first);
}

#[tokio::test]
async fn a_flow_of_ones_own_is_what_the_script_meets() {
    let folder = TempDir::new().unwrap();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/flows/companion");
    for file in ["flow.toml", "en.ftl", "ru.ftl"] {
        let text = std::fs::read_to_string(shipped.join(file)).unwrap();
        std::fs::write(folder.path().join(file), text.replace("<b>Hello!</b>", "<b>Ahoy!</b>")).unwrap();
    }
    let flow = folder.path().display().to_string();
    let printed = transcript("ann: /start\nann sees \"Ahoy!\"\n", &["--flow", &flow]).await;
    assert!(printed.ends_with("\nwhat was expected is so\n"), "{printed}");

    std::fs::write(folder.path().join("en.ftl"), "welcome = Ahoy!\n").unwrap();
    let ran = plays("ann: /start\n", &["--flow", &flow]).await;
    assert_eq!((ran.code, ran.printed.as_str()), (1, ""));
    assert!(ran.said.contains("/en.ftl"), "{}", ran.said);
}

//! The command line as operators use it: the real program, real stores, a Bot API on the wire.

/// Makes of each case a test on each profile.
macro_rules! on_both_profiles {
    ($($case:ident)*) => {
        mod embedded {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    super::$case(crate::harness::deployment::Deployment::embedded()).await;
                }
            )*
        }
        mod cluster {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    if let Some(deployment) = crate::harness::deployment::Deployment::cluster().await {
                        super::$case(deployment).await;
                    }
                }
            )*
        }
    };
}

mod bots;
mod changes;
mod chats;
mod check;
mod dead;
mod errors;
mod forgetting;
mod help;
mod jobs;
mod operation;
mod program;
mod rotation;
mod settings;
mod stores;
mod webhooks;

use crate::harness::bot_api::BotApi;
use crate::harness::deployment::Deployment;
use assert_cmd::Command;
use std::path::Path;
use tempfile::TempDir;

/// An operator with an empty folder and nothing in the environment but where the database and Telegram are.
struct Operator {
    folder: TempDir,
    api: BotApi,
    database_url: String,
}

/// What a command prints, read; it must succeed.
async fn reads(deployment: &Deployment, arguments: &[&str]) -> serde_json::Value {
    let printed = deployment.botctl(arguments).await;
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {printed}"))
}

/// How a command ends, whatever it is.
async fn ends(deployment: &Deployment, arguments: &[&str]) -> Ended {
    Ended::from(deployment.tries_botctl(arguments).await)
}

/// How a command ended.
#[derive(Debug)]
struct Ended {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Operator {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database_url = format!("sqlite://{}", folder.path().join("bots.db").display());
        Self { folder, api: BotApi::start(), database_url }
    }

    fn on(database_url: &str) -> Self {
        Self { database_url: database_url.to_owned(), ..Self::new() }
    }

    /// One who has a bot already.
    fn with_bot() -> Self {
        let operator = Self::new();
        operator.adds("main", 123_456);
        operator
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn adds(&self, name: &str, id: i64) {
        let token = format!("{id}:AA-token_{name}");
        self.runs(&["bot", "add", "--name", name, "--token", &token, "--secret", "s3cret_-", "--offline"]);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_botctl"));
        command.args(arguments).current_dir(self.path()).env_clear();
        command.env("DATABASE_URL", &self.database_url).env("TAPGATE_TELEGRAM_API_URL", self.api.url());
        command
    }

    fn tries(&self, arguments: &[&str]) -> Ended {
        Ended::of(&mut self.command(arguments))
    }

    /// What it prints; it must succeed.
    fn runs(&self, arguments: &[&str]) -> String {
        let ended = self.tries(arguments);
        assert_eq!(ended.code, 0, "{arguments:?}: {ended:?}");
        ended.stdout
    }

    fn reads(&self, arguments: &[&str]) -> serde_json::Value {
        let printed = self.runs(arguments);
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {printed}"))
    }

    /// The one error line; it must fail with `code` and print nothing.
    fn fails(&self, code: i32, arguments: &[&str]) -> String {
        self.tries(arguments).failed(code)
    }
}

impl Ended {
    fn of(command: &mut Command) -> Self {
        Self::from(command.output().unwrap())
    }

    fn from(output: std::process::Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    fn failed(self, code: i32) -> String {
        assert_eq!(self.stdout, "", "{self:?}");
        self.complained(code)
    }

    /// The one error line, whatever was printed before it.
    fn complained(&self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        let line = self.stderr.strip_suffix('\n').expect("a line ends").to_owned();
        assert!(line.starts_with("error: ") && !line.contains('\n'), "{line}");
        line
    }
}

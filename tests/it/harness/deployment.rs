//! A whole installation for one test: stores, a Bot API, and the environment that its processes share.

use super::bot_api::BotApi;
use super::postgres::Database;
use super::redis::Redis;
use super::server::{Environment, Server, botctl};
use super::telegram::Bot;
use super::{patience, ports, services};
use std::process::Output;
use tempfile::TempDir;

/// One installation. Its processes end first, then its stores.
pub struct Deployment {
    /// The Bot API that its processes call.
    pub bot_api: BotApi,
    /// Its own Redis, if it has one.
    pub redis: Option<Redis>,
    /// Its own database, in the cluster profile.
    pub database: Option<Database>,
    environment: Environment,
    folder: TempDir,
}

impl Deployment {
    /// SQLite alone.
    pub fn embedded() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bot_api = BotApi::start();
        let environment = Environment::from(
            [
                ("DATABASE_URL", format!("sqlite://{}", folder.path().join("tapgate.db").display())),
                ("TAPGATE_TELEGRAM_API_URL", bot_api.url()),
                ("TAPGATE_TRUSTED_PROXIES", "127.0.0.1".to_owned()),
                ("TAPGATE_LOG", "info".to_owned()),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        Self { bot_api, redis: None, database: None, environment, folder }
    }

    /// PostgreSQL, migrated, and the shared Redis; none (and a recorded skip) where one is missing.
    pub async fn cluster() -> Option<Self> {
        let redis = services::redis_url()?;
        Self::with_database(redis).await
    }

    /// PostgreSQL, migrated, and a Redis of its own.
    pub async fn cluster_with_own_redis() -> Option<Self> {
        let redis = Redis::start().await?;
        let mut deployment = Self::with_database(redis.url()).await?;
        deployment.redis = Some(redis);
        Some(deployment)
    }

    async fn with_database(redis_url: String) -> Option<Self> {
        let database = Database::create().await?;
        let mut deployment = Self::embedded();
        deployment.set("DATABASE_URL", database.url());
        deployment.set("REDIS_URL", &redis_url);
        deployment.database = Some(database);
        deployment.botctl(&["migrate"]).await;
        Some(deployment)
    }

    /// Tells all processes that start from now on.
    pub fn set(&mut self, name: &str, value: &str) {
        self.environment.insert(name.to_owned(), value.to_owned());
    }

    /// Gives all processes that start from now on this settings file.
    pub fn configure(&mut self, settings: &str) {
        let file = self.folder().join("tapgate.toml");
        std::fs::write(&file, settings).unwrap();
        self.set("TAPGATE_CONFIG", file.to_str().unwrap());
    }

    /// The folder that belongs to it.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// What its processes are told.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Runs `botctl` and gives what came, whatever it was.
    pub async fn tries_botctl(&self, arguments: &[&str]) -> Output {
        let command = tokio::process::Command::from(botctl(&self.environment, arguments)).kill_on_drop(true).output();
        command.await.expect("botctl starts")
    }

    /// Runs `botctl`, which must succeed, and gives what it printed.
    pub async fn botctl(&self, arguments: &[&str]) -> String {
        let output = self.tries_botctl(arguments).await;
        let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "botctl {arguments:?}: {}\n{printed}{said}", output.status);
        printed.into_owned()
    }

    /// Adds a bot.
    pub async fn adds_bot(&self, name: &str) -> Bot {
        let bot = Bot::new(name);
        let arguments =
            ["bot", "add", "--name", name, "--token", &bot.token, "--secret", &bot.secret, "--offline", "--json"];
        self.botctl(&arguments).await;
        bot
    }

    /// Runs a statement in the store, behind the servers' backs.
    pub async fn executes(&self, statement: &str) {
        if let Some(database) = &self.database {
            let statement = sqlx::AssertSqlSafe(statement.to_owned());
            sqlx::query(statement).execute(&mut database.connect().await).await.unwrap();
            return;
        }
        let file = rusqlite::Connection::open(self.folder().join("tapgate.db")).unwrap();
        file.busy_timeout(patience::LIMIT).unwrap();
        file.execute(statement, []).unwrap();
    }

    /// What `botctl chat show --json` says of a user's chat.
    pub async fn chat(&self, bot: &Bot, user: i64) -> serde_json::Value {
        let user = user.to_string();
        let shown = self.botctl(&["chat", "show", "--bot", &bot.name, "--chat", &user, "--json"]).await;
        serde_json::from_str(&shown).expect("chat show prints JSON")
    }

    /// Starts a server on free ports and waits until it is ready.
    pub async fn serves(&self) -> Server {
        self.serves_with(&[]).await
    }

    /// The same, with more in its environment: `[("FAILPOINTS", "after_commit=panic")]`.
    pub async fn serves_with(&self, more: &[(&str, &str)]) -> Server {
        Server::start(&self.server_environment(more), &[]).await
    }

    /// What such a server is told.
    pub fn server_environment(&self, more: &[(&str, &str)]) -> Environment {
        let mut environment = self.environment.clone();
        environment.insert("TAPGATE_LISTEN".to_owned(), ports::free().to_string());
        environment.insert("TAPGATE_OPS_LISTEN".to_owned(), ports::free().to_string());
        environment.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        environment
    }
}

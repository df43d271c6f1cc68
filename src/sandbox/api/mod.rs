//! The Bot API server: one call in, one answer out, as Telegram would word it.
//! Never laxer than Telegram.

use crate::shutdown::Tasks;
use crate::telegram::id::BotId;
use crate::webhook::listener::Listener;

/// The simulated Bot API for the bots of the sandbox. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Api {}

/// What came with a call: text by name, files by field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    values: Vec<(String, String)>,
    files: Vec<(String, File)>,
}

/// An uploaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// As the client called it.
    pub name: String,
    /// What it holds.
    pub bytes: bytes::Bytes,
}

impl Parameters {
    /// Adds `value` under `name`; of several with one name, the first counts.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.values.push((name.into(), value.into()));
        self
    }

    /// Adds a file.
    #[must_use]
    pub fn with_file(mut self, field: impl Into<String>, file: File) -> Self {
        self.files.push((field.into(), file));
        self
    }
}

/// What a call is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status, which is `error_code` where it fails.
    pub status: u16,
    /// The JSON object.
    pub body: String,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<u32>,
}

#[expect(unused_variables, clippy::todo, clippy::unused_async, reason = "signatures first")]
impl Api {
    /// Runs `method` for `bot`. A wait for a flood limit that Telegram would sleep off is slept off here, at most 8 s.
    pub async fn call(&self, bot: BotId, method: &str, parameters: Parameters) -> Answer {
        todo!()
    }

    /// Serves `/bot<token>/<method>` on `listener` until `tasks` stop.
    pub fn serve(&self, listener: Listener, tasks: &Tasks) {
        todo!()
    }
}

//! The Bot API server: one call in, one answer out, as Telegram would word it.
//! Never laxer than Telegram.

use super::parameters::Parameters;
use crate::shutdown::Tasks;
use crate::telegram::id::BotId;
use crate::webhook::listener::Listener;

/// The simulated Bot API for the bots of the sandbox. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Api {}

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

//! The bot that the world turns around.

use crate::telegram::id::BotId;

/// Who the bot is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bot {
    /// Its user id, the number before the colon of its token.
    pub id: BotId,
    /// Its name.
    pub first_name: String,
    /// Its name without `@`.
    pub username: String,
}

//! The bots in memory: loaded before the listener opens, refreshed in the background, the last good list kept.
//! No request reads them from the database.

use crate::bot::Bot;
use std::sync::Arc;

/// A bot with what the edge needs of it, computed once.
#[derive(Debug)]
pub struct Known {
    /// The bot.
    pub bot: Bot,
    /// Its name as a metric label; `all` where there are too many bots for a label each.
    pub label: Arc<str>,
}

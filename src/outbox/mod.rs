//! The sender: the loop that empties `outbound` into the Bot API. Never writes a column of the handler.

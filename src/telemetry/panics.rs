//! What a panic says: where it was, and nothing of its message, which may quote a user's text or a secret.

use std::panic;

/// Replaces the usual report, which prints the message, for the whole process.
pub fn say_only_where() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "a panic at {place}: this is a fault of the program, please report it");
    }));
}

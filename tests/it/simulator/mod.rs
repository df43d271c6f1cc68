//! The sandbox's Telegram, held against what is known of the real one.

mod api;
mod deliver;

//! Telegram in a box: a simulated Bot API and webhook sender that speak real HTTP to the real server.
//! Never stands in for a type of ours: it fakes the wire alone.

pub mod api;
pub mod world;

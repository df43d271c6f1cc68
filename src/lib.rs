//! Tapgate: the server behind a Telegram bot's webhook URL.
//!
//! # The story of an update
//! Telegram posts it to [`webhook`]: the layers refuse strangers and repeats, the handler reads it ([`telegram`]),
//! loads the chat ([`storage`]), lets the pure core decide ([`flow`]), commits once and answers. What the commit queued,
//! [`outbox`] sends through [`bot_api`] and settles. A row is the only conversation of the two.
//!
//! # Who may name whom
//! | module | owns | may name |
//! |---|---|---|
//! | [`telegram`] | the words of the Bot API; pure | nothing of ours |
//! | [`flow`] | the dialogue and its decisions; pure | `telegram` |
//! | [`storage`] | rows and the ways to change them | `flow`, `telegram` |
//! | [`dedup`] | claims and recorded answers | `telegram` |
//! | [`webhook`] | the public edge | all above, never `bot_api` or `outbox` |
//! | [`bot_api`] | calls to Telegram | `telegram` |
//! | [`outbox`] | the sender | all above, never `webhook` |
//! | [`ops`] | metrics and health | all above |
//! | [`sandbox`] | a Telegram to try it all against | everything, and only `cli` names it |
//! | [`cli`] | the commands | everything |

pub mod app;
pub mod bot;
pub mod bot_api;
pub mod cli;
pub mod clock;
pub mod config;
pub mod dedup;
pub mod flow;
pub mod library;
pub mod ops;
pub mod outbox;
pub mod problem;
pub mod roster;
pub mod sandbox;
pub mod secret;
pub mod shutdown;
pub mod storage;
pub mod telegram;
pub mod telemetry;
pub mod webhook;

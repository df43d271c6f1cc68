//! Tapgate: the server behind a Telegram bot's webhook URL.
//!
//! # The story of an update
//! Telegram posts it to [`webhook`]: the layers refuse strangers and repeats, the handler reads it ([`telegram`]),
//! loads the chat ([`storage`]), lets the pure core decide ([`flow`]), commits once and answers. What the commit queued,
//! [`outbox`] sends through [`bot_api`] and settles. A row is the only conversation of the two. What takes longer waits in
//! the [`lanes`] for a [`worker`], whose result is an event like any other ([`ending`]).
//!
//! # Who may name whom
//! A test reads this table and holds every module to it.
//!
//! | module | owns | may name |
//! |---|---|---|
//! | [`clock`] | what time it is | nothing of ours |
//! | [`secret`] | what must not be shown; chance | nothing of ours |
//! | [`problem`] | mistakes of people, said so that they can mend them | nothing of ours |
//! | [`shutdown`] | tasks, and stopping them | nothing of ours |
//! | [`telegram`] | the words of the Bot API; pure | nothing of ours |
//! | [`bot`] | what is known of a bot | `clock`, `secret`, `telegram` |
//! | [`flow`] | the dialogue and its decisions; pure | `telegram`, `clock`, `problem` |
//! | [`library`] | the flows there are | `flow`, `problem`, `shutdown` |
//! | [`telemetry`] | log lines and metrics | `clock`, `config`, `problem`, `storage`, `telegram`: their labels and settings |
//! | [`config`] | the settings, checked | `problem`, `secret`, `storage`, `telemetry` |
//! | [`storage`] | rows and the ways to change them | `bot`, `clock`, `flow`, `secret`, `shutdown`, `telegram`, `telemetry` |
//! | [`roster`] | the bots in memory | `bot`, `clock`, `secret`, `shutdown`, `storage`, `telegram`, `telemetry` |
//! | [`dedup`] | claims and recorded answers | `secret`, `shutdown`, `telegram`, `telemetry` |
//! | [`bot_api`] | calls to Telegram | `secret`, `telegram`, `telemetry` |
//! | [`worker`] | the worker's half of the lanes | `secret`, `shutdown`, `telegram`, `telemetry` |
//! | [`ending`] | events that end a job | `clock`, `flow`, `storage` |
//! | [`lanes`] | the lanes of workers | `clock`, `config`, `ending`, `flow`, `library`, `roster`, `shutdown`, `storage`, `telegram`, `telemetry`, `worker`: its words |
//! | [`webhook`] | the public edge | all above, never `bot_api` |
//! | [`outbox`] | the sender | all above, never `webhook` |
//! | [`ops`] | metrics and health | all above |
//! | [`sandbox`] | a Telegram to try it all against | everything, and only `cli` names it |
//! | [`app`] | the running process, put together | all above |
//! | [`cli`] | the commands | everything |

pub mod app;
pub mod bot;
pub mod bot_api;
pub mod cli;
pub mod clock;
pub mod config;
pub mod dedup;
pub mod ending;
pub mod flow;
pub mod lanes;
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
pub mod worker;

pub use worker::Worker;

//! Every integration test, in one binary: modules by area, names that are sentences about behaviour.
//! What a test needs of the world around the server (stores, nginx, Telegram) is in `harness`.
#![allow(missing_docs, unreachable_pub, reason = "a test binary has no public face")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "the bans guard the server; a test owns its process"
)]

#[path = "../examples/worker.rs"]
mod backwards;
mod bot_api;
mod command;
mod config;
#[path = "../examples/counter.rs"]
mod counter;
mod documents;
mod edge;
mod flow;
mod harness;
mod house;
mod lanes;
mod nginx;
mod ops;
mod page;
mod parsing;
mod path;
mod shipped;
mod simulator;
mod storage;
mod world;

//! The sandbox's webhook sender against a scripted webhook, on a clock that moves only when told to.

mod answers;
mod connections;
mod faults;
mod inline;
mod queues;
mod requests;
mod retries;
mod stage;
pub(super) mod webhook;

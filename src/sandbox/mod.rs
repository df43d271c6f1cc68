//! Telegram in a box: the users, the Bot API and the webhook sender of a Telegram that exists nowhere else, so that the
//! real server can be met by everything the real one would do to it. It fakes the wire and never a type of ours: it and
//! the server speak HTTP.
//!
//! # The story of a press
//! A user of the [`world`] presses a button. The press is an update in [`updates`], which [`deliver`] posts to the webhook
//! as Telegram would, by the simulated [`clock`], unless one of the [`faults`] has other plans. What the bot has to say to
//! it arrives at the [`api`], in the answer or as a call of its own, and changes the world. What went over the wire is a
//! row in [`wire`].

pub mod api;
mod bot;
pub mod clock;
mod composition;
pub mod deliver;
pub mod faults;
mod fields;
mod json;
pub mod load;
mod markup;
pub mod options;
mod page;
pub mod parameters;
mod reload;
pub mod rest;
pub mod script;
pub mod seed;
pub mod updates;
pub mod wire;
pub mod world;

pub use composition::{Addresses, Sandbox};
pub use page::Sample;
pub use reload::Report;

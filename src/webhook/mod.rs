//! The public edge: one request of Telegram in, one answer out. Order is by price: what costs nothing stands first,
//! and nothing before the dedup gate touches a store. Never calls the Bot API.

pub mod listener;
mod stack;

mod delivery;
mod failure;
pub mod handler;
pub mod layers;
mod response;

pub use delivery::{Addressed, Client, Delivery, Peer, Reply, Route};
pub use response::Body;
pub use stack::{Edge, stack};

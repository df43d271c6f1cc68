//! The public edge: one request of Telegram in, one answer out. Order is by price: what costs nothing stands first,
//! and nothing before the dedup gate touches a store. Never calls the Bot API.

mod delivery;
pub mod layers;

pub use delivery::{Delivery, Peer, Reply, Route};

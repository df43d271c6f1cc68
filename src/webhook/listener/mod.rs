//! Listening and serving: sockets, connections, draining. It serves any HTTP service, so the ops listener uses it too.

mod connection;
mod serve;
mod socket;

pub use serve::{Keeping, serve};
pub use socket::Listener;

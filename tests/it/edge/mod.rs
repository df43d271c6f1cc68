//! The public edge over real sockets, with a tiny service where the handler stands.

mod client;
mod stand;

mod admission;
mod dedup;
mod listener;
mod processes;
mod redis_faults;
mod refusals;

//! Bodies as Telegram posts them, and bodies that it never would.

mod arbitrary;
mod bodies;
mod events;
pub mod recorded;

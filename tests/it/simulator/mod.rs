//! The sandbox's Telegram, held against what is known of the real one.

mod api;
mod deliver;
mod load;
pub mod script;
mod script_companion;
mod script_faults;

//! Pure: no I/O, no clock. A bot's dialogue as data, and the one function that moves it.

pub mod chat;
mod decide;
pub mod decision;
pub mod definition;
pub mod event;

pub use decide::decide;
pub use definition::Flow;

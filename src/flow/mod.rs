//! Pure: no I/O, no clock. A bot's dialogue as data, and the one function that moves it.
//!
//! Written by a person: [`definition`], read by `source`, made sound by `check` and `proof`, worded by `texts`.
//! Or written in Rust, as another [`Dialogue`].
//! Lived by a [`chat`]: an [`event`] is [`decide`]d by its `strategy` into a [`decision`]; what is desired is `render`ed.

pub mod books;
pub mod callback;
pub mod chat;
mod check;
pub mod content;
mod decide;
pub mod decision;
pub mod definition;
mod dialogue;
pub mod event;
pub mod interrupt;
mod menu;
pub mod order;
pub mod output;
mod proof;
mod render;
pub mod screen;
mod source;
mod strategy;
mod texts;

pub use decide::decide;
pub use definition::Flow;
pub use dialogue::Dialogue;
pub use render::Notice;

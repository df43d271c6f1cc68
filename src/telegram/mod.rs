//! Pure: no I/O, no clock. The words of the Bot API that the server reads and writes.

pub mod answer;
pub mod content;
mod decode;
pub mod id;
pub mod keyboard;
pub mod link;
pub mod markup;
pub mod menu;
pub mod method;
pub mod response;
pub mod text;
pub mod update;
pub mod webhook;

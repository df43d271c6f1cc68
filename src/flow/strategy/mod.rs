//! Pure: no I/O, no clock. One strategy for each kind of event, and the draft of a chat that they share.

pub(super) mod command;
mod draft;
pub(super) mod membership;
mod notice;
pub(super) mod ordered;
pub(super) mod other;
pub(super) mod payment;
pub(super) mod press;
pub(super) mod refused;
pub(super) mod suspended;
pub(super) mod text;

pub(super) use command::is_link_parameter;
pub(super) use draft::{DESCRIPTION_MAX_CHARS, TITLE_MAX_CHARS};

//! The simulated Bot API and its world: each answer word for word, each update byte for byte.

mod chats;
mod clients;
mod edits;
mod faults;
mod floods;
mod http;
mod keyboards;
mod menus;
mod payments;
mod photos;
mod polling;
mod presses;
mod roundtrip;
mod stand;
mod texts;
mod updates;
mod webhooks;

use stand::{NOT_MODIFIED, Stand};

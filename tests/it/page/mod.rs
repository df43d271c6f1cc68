//! The sandbox's page in a real Chromium: what a newcomer does in the first minutes, and what strangers cannot.

mod breaking;
mod flows;
mod playing;
mod strangers;
mod talking;
mod visit;

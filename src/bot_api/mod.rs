//! The outbound client: one HTTP client for the process. Never logs or returns a URL, which would hold the token.

mod client;
mod error;
mod methods;

pub use client::{Client, NoClient};
pub use error::{Cause, Error};
pub use methods::Sent;

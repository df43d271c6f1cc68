//! Statuses, problems and the document of the API.

/// A picture that Telegram takes.
pub fn png() -> Vec<u8> {
    include_bytes!("../../../src/worker/demo.png").to_vec()
}

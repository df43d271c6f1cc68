//! Pure: no I/O, no clock. The photo of a screen.

use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;

/// Largest photo that can be uploaded (Bot API, sendPhoto).
pub const PHOTO_MAX_BYTES: usize = 10 * 1024 * 1024;

/// Where a photo is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Photo {
    /// Telegram has it under this id.
    Id(String),
    /// Telegram fetches it there.
    Url(String),
    /// It lies in the flow's folder.
    File(Arc<Picture>),
}

/// A picture in the folder of a flow.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// The name of its file.
    pub name: String,
    /// The file.
    pub content: Bytes,
    /// By which it is known again.
    pub digest: [u8; 32],
}

impl Picture {
    /// The endings of files that are taken for pictures.
    pub const ENDINGS: [&str; 4] = [".jpg", ".jpeg", ".png", ".webp"];

    /// The picture in the file `name`.
    pub fn new(name: impl Into<String>, content: impl Into<Bytes>) -> Self {
        let content = content.into();
        let digest = Sha256::digest(&content).into();
        Self { name: name.into(), content, digest }
    }

    /// What is wrong with it, if Telegram would not take it for a photo.
    pub fn fault(&self) -> Option<String> {
        let begins = |bytes: &[u8]| self.content.starts_with(bytes);
        let is_webp = begins(b"RIFF") && self.content.get(8..12) == Some(b"WEBP");
        if self.content.len() > PHOTO_MAX_BYTES {
            Some(format!("{} bytes are more than Telegram takes for a photo, {PHOTO_MAX_BYTES}", self.content.len()))
        } else if !is_webp && !begins(b"\xff\xd8\xff") && !begins(b"\x89PNG\r\n\x1a\n") {
            Some("this is neither a JPEG, nor a PNG, nor a WebP picture".to_owned())
        } else {
            None
        }
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}, {} bytes)", self.name, self.content.len())
    }
}

//! Photos of screens: a file is uploaded once for each bot and known by Telegram's id from then on, as long as this
//! process lives. Never looks into a file.

use crate::flow::definition::Photo;
use crate::telegram::id::BotId;
use crate::telegram::method::ATTACHED_PHOTO;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The ids that Telegram gave to files, by bot and content: another bot's id would not do.
#[derive(Debug, Default)]
pub(super) struct Uploads(Mutex<HashMap<Key, String>>);

type Key = (BotId, [u8; 32]);

/// A photo as a call names it.
pub(super) struct Media {
    /// An id, a URL, or what stands for an upload.
    pub(super) name: String,
    /// The file, where it has to be uploaded.
    pub(super) upload: Option<Vec<u8>>,
    /// By which a file is remembered.
    key: Option<Key>,
}

impl Media {
    /// Whether it is a file that was uploaded earlier.
    pub(super) const fn is_remembered(&self) -> bool {
        self.key.is_some() && self.upload.is_none()
    }
}

impl Uploads {
    /// How `bot` names `photo`.
    pub(super) fn media(&self, bot: BotId, photo: &Photo) -> Media {
        match photo {
            Photo::Id(name) | Photo::Url(name) => Media { name: name.clone(), upload: None, key: None },
            Photo::File(picture) => {
                let key = (bot, picture.digest);
                match self.ids().get(&key) {
                    Some(id) => Media { name: id.clone(), upload: None, key: Some(key) },
                    None => {
                        let upload = Some(picture.content.to_vec());
                        Media { name: ATTACHED_PHOTO.to_owned(), upload, key: Some(key) }
                    }
                }
            }
        }
    }

    /// Telegram keeps what was uploaded as `media` under `id`.
    pub(super) fn remember(&self, media: &Media, id: Option<String>) {
        if let (Some(key), Some(id)) = (media.key, id) {
            self.ids().insert(key, id);
        }
    }

    /// Telegram no longer takes the id of `media`.
    pub(super) fn forget(&self, media: &Media) {
        if let Some(key) = media.key {
            self.ids().remove(&key);
        }
    }

    fn ids(&self) -> std::sync::MutexGuard<'_, HashMap<Key, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

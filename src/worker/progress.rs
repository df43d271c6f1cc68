//! What a worker's job says while it is done: how far it is, and pictures for its result.

use super::client::{Client, Error};
use super::completion::Photo;
use super::{Failure, Job};
use bytes::Bytes;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::debug;

/// How often the server is told at most how far a job is. Telegram takes one edit a second in a chat.
const INTERVAL: Duration = Duration::from_secs(1);

/// The way of a job to the server while it is done. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Progress(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    client: Client,
    job: Job,
    text: watch::Sender<String>,
}

/// A picture to be uploaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// `image/jpeg`, `image/png` or `image/webp`.
    pub content_type: &'static str,
    /// At most 10 MB of it.
    pub content: Bytes,
}

impl Progress {
    pub(super) fn of(client: Client, job: Job) -> Self {
        Self(Arc::new(Inner { client, job, text: watch::Sender::default() }))
    }

    /// All that there is so far, plain: the user sees it on the screen where they wait. Waits for nothing; at most once a
    /// second the server is told the last one.
    pub fn text(&self, text: impl Into<String>) {
        self.0.text.send_replace(text.into());
    }

    /// Uploads a picture for the result.
    ///
    /// # Errors
    /// If the server does not take it, or is not there.
    pub async fn upload(&self, image: &Image) -> Result<Photo, Failure> {
        match self.0.client.upload(&self.0.job, image).await {
            Ok(file) => Ok(Photo { file: Some(file), url: None }),
            Err(error @ (Error::Refused(_) | Error::Denied { .. })) => Err(Failure::for_good(error.to_string())),
            Err(error @ (Error::Lost | Error::Unavailable { .. })) => Err(Failure::retry(error.to_string())),
        }
    }

    /// Tells the server what is said, until it is dropped. While it is not there, the last text waits for it.
    pub(super) async fn keep_telling(&self) -> Infallible {
        let mut told = self.0.text.subscribe();
        // What was said before anybody listened counts as heard.
        if !told.borrow().is_empty() {
            told.mark_changed();
        }
        loop {
            if told.changed().await.is_err() {
                return std::future::pending().await;
            }
            let text = told.borrow_and_update().clone();
            if let Err(error) = self.0.client.progress(&self.0.job, &text).await {
                if let Error::Unavailable { .. } = error {
                    told.mark_changed();
                }
                debug!(job.id = self.0.job.id, error = &error as &dyn std::error::Error, "a progress was not taken");
            }
            sleep(INTERVAL).await;
        }
    }
}

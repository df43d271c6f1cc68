//! What is kept of bots, chats, jobs, payments and dead updates, and the only ways to change it.
//! Never decides anything: a commit says what is to be written, the row says whether it still may be.
//!
//! The contract is batch-shaped, because what costs is the round trip and not the row. [`Gathered`] forms the
//! batches from single calls; `postgres` and `sqlite` are its two backends, twin files with the same functions
//! in the same order.

mod books;
mod contract;
mod erasure;
mod error;
mod fence;
mod gather;
mod job;
mod json;
mod listing;
mod postgres;
mod sqlite;
mod store;
mod waiting;

pub use books::{LedgerLine, RecordedPayment};
pub use contract::*;
pub use erasure::{Forgotten, Holdings};
pub use error::Error;
pub use fence::{Fence, REMEMBERED_IDS};
pub use gather::{Gathered, Gathering, Settler};
pub use job::*;
pub use listing::{Letter, ListedFailure, ListedJob, ShownJob, Standing};
pub use store::{Added, Migrated, Storage, StorageUrl, Updated};
pub use waiting::{AHEAD_MAX, Redraw, Waiting};

//! Reads the flows anew when somebody saves one of their files. Never judges what is read: the library does.

use super::{Changed, Library};
use crate::problem::Problems;
use crate::shutdown::Tasks;
use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecursiveMode, Watcher};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout, timeout_at};

/// How long the folder has to be quiet: an editor saves in several steps, and half a file is no version.
const QUIET: Duration = Duration::from_millis(100);

/// How long is waited for that: a folder that is never quiet is read all the same.
const QUIET_WAIT_MAX: Duration = Duration::from_secs(2);

/// Watches the folder of `library` until the tasks are told to stop, and tells `told` what each new reading led to.
/// A reading that finds nothing new is told only when it ends a report of problems. Without a folder nothing is watched.
///
/// # Errors
/// If the folder cannot be watched.
pub fn watch(
    library: Arc<Library>,
    tasks: &Tasks,
    told: impl Fn(Result<Changed, Problems>) + Send + 'static,
) -> notify::Result<()> {
    let Some(folder) = library.folder() else { return Ok(()) };
    let saved = Arc::new(Notify::new());
    let waker = Arc::clone(&saved);
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        // What the system could not tell is also a reason to look.
        if event.map_or(true, |event| changes(&event.kind)) {
            waker.notify_one();
        }
    })?;
    watcher.watch(folder, RecursiveMode::Recursive)?;
    // What was saved since the library was read, and before it was watched, has told nobody.
    saved.notify_one();
    let stopping = tasks.clone();
    tasks.spawn(async move {
        let _watcher = watcher;
        let mut broken = false;
        loop {
            tokio::select! {
                () = saved.notified() => {}
                () = stopping.stopping() => return,
            }
            quiet(&saved).await;
            let reading = Arc::clone(&library);
            let Ok(result) = tokio::task::spawn_blocking(move || reading.reload()).await else { continue };
            let nothing_new = result.as_ref().is_ok_and(|Changed(names)| names.is_empty());
            if broken || !nothing_new {
                broken = result.is_err();
                told(result);
            }
        }
    });
    Ok(())
}

/// Whether an event may be a change: reading a file is none, and our own reading must not wake us.
fn changes(kind: &EventKind) -> bool {
    !kind.is_access() || matches!(kind, EventKind::Access(AccessKind::Close(AccessMode::Write)))
}

/// Waits until nothing was saved for [`QUIET`].
async fn quiet(saved: &Notify) {
    let end = Instant::now() + QUIET_WAIT_MAX;
    let _ = timeout_at(end, async { while timeout(QUIET, saved.notified()).await.is_ok() {} }).await;
}

//! Flows read anew while the server runs: on SIGHUP and, where that is wanted, when somebody saves one. A broken version
//! is refused and logged, and the old one goes on. Never touches what is under way: that keeps the flow it began with.

use super::signal::HangUp;
use crate::clock;
use crate::config;
use crate::library::{self, Changed, Library};
use crate::problem::Problems;
use crate::shutdown::Tasks;
use crate::telemetry::metrics::{self, Reload};
use anyhow::Context;
use std::sync::Arc;
use tracing::{error, info, warn};

/// Most flows that metrics tell apart; with more of them none is a label.
const LABELS_MAX: usize = 100;

/// Waits for reasons to read the flows of `library` anew, until `tasks` are told to stop.
pub(super) fn start(
    library: &Arc<Library>,
    mut hang_up: HangUp,
    settings: &config::Flows,
    tasks: &Tasks,
) -> anyhow::Result<()> {
    match library.folder() {
        Some(folder) if settings.watch => {
            let watched = Arc::clone(library);
            library::watch(Arc::clone(library), tasks, move |read| report(&watched, read))
                .with_context(|| format!("the flows folder {} cannot be watched", folder.display()))?;
        }
        None if settings.watch => warn!("flows.watch is on, but there is no flows_dir: nothing is watched"),
        _ => {}
    }
    let (library, group) = (Arc::clone(library), tasks.clone());
    tasks.spawn(async move {
        loop {
            tokio::select! {
                () = hang_up.received() => {}
                () = group.stopping() => return,
            }
            let reading = Arc::clone(&library);
            if let Ok(read) = tokio::task::spawn_blocking(move || reading.reload()).await {
                report(&library, read);
            }
        }
    });
    Ok(())
}

/// Says what a reading led to.
fn report(library: &Library, read: Result<Changed, Problems>) {
    match read {
        Ok(Changed(names)) if names.is_empty() => {
            info!("the flows were read anew: nothing has changed");
            metrics::flows_reloaded(Reload::Unchanged);
        }
        Ok(Changed(names)) => {
            for name in &names {
                match library.version(name) {
                    Some(version) => info!(flow = name, version = version.0, "flow {name} was read anew"),
                    None => warn!(flow = name, "flow {name} is gone: its bots' updates are answered 503"),
                }
            }
            record(library, &names);
            metrics::flows_reloaded(Reload::Taken);
        }
        Err(Problems(problems)) => {
            for problem in &problems {
                error!("{problem}");
            }
            error!(problems = problems.len(), "the flows on the disk are refused for that, the old ones go on");
            metrics::flows_reloaded(Reload::Refused);
        }
    }
}

/// Records which versions run at the start.
pub(super) fn record_all(library: &Library) {
    let names: Vec<String> = library.names().into_iter().filter(|name| library.version(name).is_some()).collect();
    record(library, &names);
}

/// Records which versions of the flows `names` run from now on.
fn record(library: &Library, names: &[String]) {
    if library.names().len() > LABELS_MAX {
        return;
    }
    for name in names {
        metrics::flow_loaded(name, library.version(name).map_or(0, |version| version.0), clock::now());
    }
}

//! Many callers at once, as one measurement.

use std::future::Future;
use std::time::Duration;
use tapgate::shutdown::Tasks;
use tapgate::storage::Gathering;
use tokio::time::Instant;

/// As `config/default.toml` has it.
pub const GATHERED: Gathering = Gathering { loaders: 1, committers: 2, batch_max: 64, waiting_max: 4096 };
/// One call at a time on each of as many connections as an ordinary pool has.
pub const SINGLE: Gathering = Gathering { loaders: 8, committers: 8, batch_max: 1, waiting_max: 4096 };

/// Both, with their names.
pub const BOTH: [(&str, Gathering); 2] = [("gathered", GATHERED), ("single", SINGLE)];

/// How long `callers` take together for `calls` calls; `call` is one caller that makes as many calls as it is told.
pub async fn time<F, C>(callers: Vec<C>, calls: u64, call: impl Fn(C, u64) -> F) -> Duration
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    let tasks = Tasks::new("callers");
    let count = callers.len() as u64;
    let started = Instant::now();
    let running: Vec<_> = (0..)
        .zip(callers)
        .map(|(place, caller)| tasks.spawn(call(caller, calls / count + u64::from(place < calls % count))))
        .collect();
    for caller in running {
        caller.await.expect("a caller does not panic");
    }
    started.elapsed()
}

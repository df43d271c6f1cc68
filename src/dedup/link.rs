//! One multiplexed connection to Redis, and its breaker: a request waits 50 ms for it at most, and not at all while
//! it is down. Whether Redis is back is found out by a task, never by a request.

use crate::shutdown::Tasks;
use crate::telemetry::degradation::Degradation;
use crate::telemetry::metrics::Dependency;
use arc_swap::ArcSwapOption;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, RedisError, RedisResult};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// How long Redis may take before the process goes on without it.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(50);
/// How many questions in a row may fail before it is not asked any more.
const MISSES_MAX: u32 = 5;
/// For how long it is not asked then, and how long apart the attempts to connect are.
const PAUSE: Duration = Duration::from_secs(1);
/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Questions that wait to be written, beyond which asking itself waits.
const PIPELINE: usize = 512;

/// The connection, up or down.
pub(super) struct Link {
    connection: ArcSwapOption<MultiplexedConnection>,
    misses: AtomicU32,
    losses: mpsc::Sender<Loss>,
    degradation: Degradation,
}

/// Why a connection was given up; once for each connection.
#[derive(Clone, Copy, Debug)]
enum Loss {
    /// It broke: there may be a new Redis already.
    Broken,
    /// It did not answer, several times in a row: it is left alone for a while.
    Silent,
}

impl Link {
    /// Tries to connect once, then goes on trying in `tasks`. `probe` is what a Redis must be able to answer to count
    /// as up: a version or a role that cannot do the work is as good as none.
    pub(super) async fn open(client: Client, probe: Cmd, tasks: &Tasks) -> Arc<Self> {
        let (losses, lost) = mpsc::channel(1);
        let link = Arc::new(Self {
            connection: ArcSwapOption::empty(),
            misses: AtomicU32::new(0),
            losses,
            degradation: Degradation::of(Dependency::Redis),
        });
        link.connect(&client, &probe).await;
        let (keeper, stopping) = (Arc::clone(&link), tasks.clone());
        tasks.spawn(async move {
            tokio::select! {
                () = stopping.stopping() => {}
                () = keeper.keep(client, probe, lost) => {}
            }
        });
        link
    }

    /// Whether it is down.
    pub(super) fn is_degraded(&self) -> bool {
        self.degradation.is_degraded()
    }

    /// The answer to `question`; none if there is none in time.
    pub(super) async fn ask<T>(
        &self,
        question: impl AsyncFnOnce(MultiplexedConnection) -> RedisResult<T>,
    ) -> Option<T> {
        let connection = self.connection.load_full()?;
        match timeout(ANSWER_TIMEOUT, question(MultiplexedConnection::clone(&connection))).await {
            Ok(Ok(answer)) => {
                // Read first: a store by every request would pass the cache line around.
                if self.misses.load(Ordering::Relaxed) > 0 {
                    self.misses.store(0, Ordering::Relaxed);
                }
                Some(answer)
            }
            Ok(Err(error)) if error.is_unrecoverable_error() => {
                self.give_up(&connection, Loss::Broken, &said(&error));
                None
            }
            Ok(Err(error)) => {
                self.missed(&connection, &said(&error));
                None
            }
            Err(_) => {
                self.missed(&connection, &"it does not answer in time");
                None
            }
        }
    }

    fn missed(&self, connection: &Arc<MultiplexedConnection>, reason: &dyn fmt::Display) {
        if self.misses.fetch_add(1, Ordering::Relaxed) + 1 >= MISSES_MAX {
            self.give_up(connection, Loss::Silent, reason);
        }
    }

    /// Of all who find the same connection lost, one gives it up.
    fn give_up(&self, connection: &Arc<MultiplexedConnection>, loss: Loss, reason: &dyn fmt::Display) {
        let before = self.connection.compare_and_swap(&Some(Arc::clone(connection)), None);
        if before.as_ref().is_some_and(|before| Arc::ptr_eq(before, connection)) {
            self.degradation.goes_on(reason);
            // There is room: the keeper took the last loss before it connected again.
            let _ = self.losses.try_send(loss);
        }
    }

    async fn keep(&self, client: Client, probe: Cmd, mut lost: mpsc::Receiver<Loss>) {
        loop {
            while self.connection.load().is_none() {
                sleep(PAUSE).await;
                self.connect(&client, &probe).await;
            }
            match lost.recv().await {
                Some(Loss::Broken) => self.connect(&client, &probe).await,
                Some(Loss::Silent) => {}
                None => return,
            }
        }
    }

    async fn connect(&self, client: &Client, probe: &Cmd) {
        // Requests have a time-out of their own; the driver's would only be a second timer.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(None)
            .set_pipeline_buffer_size(PIPELINE);
        let connecting = async {
            let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
            let _: Option<Vec<u8>> = probe.query_async(&mut connection).await?;
            RedisResult::Ok(connection)
        };
        match timeout(CONNECT_TIMEOUT, connecting).await {
            Ok(Ok(connection)) => {
                self.misses.store(0, Ordering::Relaxed);
                self.connection.store(Some(Arc::new(connection)));
                self.degradation.is_over();
            }
            Ok(Err(error)) => self.degradation.goes_on(&said(&error)),
            Err(_) => self.degradation.goes_on(&"it does not answer in time"),
        }
    }
}

/// What may be said of an error, in our own words: the server's may quote what was sent, a password included.
fn said(error: &RedisError) -> String {
    if error.is_connection_refusal() {
        return "connection refused".to_owned();
    }
    match error.code() {
        Some("ERR") => "it refuses the command (Redis 7 or newer is needed)".to_owned(),
        Some(code) => format!("it answers {code}"),
        None => error.category().to_owned(),
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("degraded", &self.is_degraded()).finish_non_exhaustive()
    }
}

//! Records answers behind the back of everybody: what came while one pipeline was on the wire is the next one.
//! Never waited for. What there is no room for is not recorded: its repeat goes to the fence.

use super::link::Link;
use super::{Effect, REMEMBERED_SECONDS};
use crate::shutdown::Tasks;
use redis::Pipeline;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Most answers that wait. At ten thousand updates a second, Redis may be slow for nearly half a second.
const WAITING_MAX: usize = 4096;
/// Most answers of one pipeline.
const PIPELINE_MAX: usize = 128;

/// Over the empty claim only: neither over an answer nor where the claim is gone.
const RECORD_OVER_CLAIM: &str = "if redis.call('GET', KEYS[1]) ~= '' then return end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])";

/// An answer to be recorded.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) key: String,
    pub(super) value: String,
    pub(super) effect: Effect,
}

/// Where answers are handed over. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Recorder(mpsc::Sender<Record>);

impl Recorder {
    /// Starts it in `tasks`. Told to stop, it records what it was given until then.
    pub(super) fn start(link: Arc<Link>, tasks: &Tasks) -> Self {
        let (sender, mut waiting) = mpsc::channel(WAITING_MAX);
        let group = tasks.clone();
        tasks.spawn(async move {
            let mut batch = Vec::with_capacity(PIPELINE_MAX);
            let mut stopping = pin!(group.stopping());
            loop {
                tokio::select! {
                    biased;
                    _ = waiting.recv_many(&mut batch, PIPELINE_MAX) => {}
                    () = &mut stopping, if !waiting.is_closed() => {
                        waiting.close();
                        continue;
                    }
                }
                if batch.is_empty() {
                    return;
                }
                let pipeline = pipeline(batch.drain(..));
                link.ask(async |mut redis| pipeline.query_async::<()>(&mut redis).await).await;
            }
        });
        Self(sender)
    }

    /// Hands an answer over.
    pub(super) fn record(&self, record: Record) {
        if self.0.try_send(record).is_err() {
            tracing::debug!("an answer was not recorded: too many wait, or the process is stopping");
        }
    }
}

fn pipeline(records: impl Iterator<Item = Record>) -> Pipeline {
    let mut pipeline = redis::pipe();
    for Record { key, value, effect } in records {
        match effect {
            Effect::Changed => pipeline.cmd("SET").arg(key).arg(value).arg("EX").arg(REMEMBERED_SECONDS).ignore(),
            Effect::Nothing => {
                let command = pipeline.cmd("EVAL").arg(RECORD_OVER_CLAIM).arg(1).arg(key).arg(value);
                command.arg(REMEMBERED_SECONDS).ignore()
            }
        };
    }
    pipeline
}

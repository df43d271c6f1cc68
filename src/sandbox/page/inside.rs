//! What there is to see inside: a row of the wire with its bodies, a chat with its jobs. It only reads.

use super::super::wire::RowId;
use super::Page;
use super::refusal::Refusal;
use super::rows::{Drawn, Owners, Source, drawn};
use crate::flow::chat::Chat;
use crate::storage::{Fence, Key, ListedFailure, ListedJob, Standing};
use crate::telegram::id::ChatId;
use crate::telegram::update::DeliveryQueue;
use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;

/// How many jobs and dead letters are listed.
const LISTED_MAX: usize = 50;

#[derive(Serialize)]
pub(super) struct Whole {
    row: Drawn,
    request: String,
    request_bytes: usize,
    response: String,
    response_bytes: usize,
}

pub(super) async fn wire(State(page): State<Page>, Path(id): Path<u64>) -> Result<Json<Whole>, Refusal> {
    let row = page.0.wire.row(RowId(id)).ok_or(Refusal::NotThere("such row any more"))?;
    Ok(Json(Whole {
        row: drawn(&row, Owners::default().chat(&row), Source::People),
        request: row.request.text().into_owned(),
        request_bytes: row.request.total_bytes,
        response: row.response.text().into_owned(),
        response_bytes: row.response.total_bytes,
    }))
}

#[derive(Serialize)]
pub(super) struct Inside {
    chat: Option<Chat>,
    fence: DrawnFence,
    jobs: Vec<DrawnJob>,
    failures: Vec<ListedFailure>,
}

#[derive(Default, Serialize)]
struct DrawnFence {
    ids: Vec<i64>,
    answers: Vec<DrawnAnswer>,
}

#[derive(Serialize)]
struct DrawnAnswer {
    queue: &'static str,
    update: i64,
    answer: String,
}

#[derive(Serialize)]
struct DrawnJob {
    id: i64,
    lane: &'static str,
    chat: i64,
    what: String,
    attempts: u32,
    stands: String,
}

pub(super) async fn state(State(page): State<Page>, Path(chat): Path<ChatId>) -> Result<Json<Inside>, Refusal> {
    let (storage, bot) = (&page.0.storage, page.0.bot);
    let stored = storage.load(&[Key { bot, chat }]).await?.pop().transpose()?.flatten();
    let jobs = storage.jobs(bot, LISTED_MAX).await?;
    let failures = storage.failures(bot, LISTED_MAX).await?;
    let (chat, fence) =
        stored.map_or((None, DrawnFence::default()), |stored| (Some(stored.chat), fence(&stored.fence)));
    Ok(Json(Inside { chat, fence, jobs: jobs.into_iter().map(job).collect(), failures }))
}

fn fence(fence: &Fence) -> DrawnFence {
    let queue = |queue| match queue {
        DeliveryQueue::Messages => "messages",
        DeliveryQueue::Presses => "presses",
        DeliveryQueue::Checkouts => "checkouts",
        DeliveryQueue::Membership => "membership",
    };
    DrawnFence {
        ids: fence.ids().map(|id| id.0).collect(),
        answers: fence
            .answers()
            .map(|(of, update, answer)| DrawnAnswer { queue: queue(of), update: update.0, answer: answer.to_owned() })
            .collect(),
    }
}

fn job(job: ListedJob) -> DrawnJob {
    let seconds = |left: std::time::Duration| format!("{:.1} s", left.as_secs_f64());
    DrawnJob {
        id: job.id.0,
        lane: job.lane.name(),
        chat: job.chat.0,
        what: job.place.map_or_else(|| "task".to_owned(), |place| format!("screen, {place}")),
        attempts: job.attempts,
        stands: match job.standing {
            Standing::Due => "due".to_owned(),
            Standing::Leased(left) => format!("leased, {} left", seconds(left)),
            Standing::Waits(left) => format!("again in {}", seconds(left)),
        },
    }
}

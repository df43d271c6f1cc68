//! The calls of workers whose body is JSON.

use super::Api;
use super::access::{Caller, Named};
use super::body::Json;
use super::document::{JobPath, LanePath, OfJobs, OfLanes};
use super::refusal::Refusal;
use crate::flow::books::{Role, Turn};
use crate::flow::order::Wanted;
use crate::lanes::{Given, GivenUp, Taken, checked};
use crate::storage::{JobId, Lane, LeaseToken};
use crate::telegram::text::shorten;
use crate::telemetry::metrics::{self, WorkOutcome};
use crate::worker::{self, Completion, GiveUp, Heartbeat, Job, Lease, Leased, REASON_MAX_CHARS, Report};
use axum::extract::State;
use axum::http::StatusCode;
use std::time::Duration;
use tracing::debug;

/// Take jobs
///
/// Gives out jobs that wait in a lane, each to one worker. Where there is none it waits for one, as long as it is told to.
/// Jobs of paying chats go first, bots take turns, and of a chat's jobs only the first is given out.
#[utoipa::path(
    post,
    path = "/v1/lanes/{lane}/lease",
    operation_id = "lease",
    params(("lane" = LanePath, Path, description = "The lane. `text` includes `text_priority`, `image` includes `image_priority`.")),
    request_body = Lease,
    responses((status = 200, description = "The jobs, which the worker holds from now on.", body = Leased), OfLanes)
)]
pub(super) async fn lease(
    State(api): State<Api>,
    caller: Caller,
    Named(lane): Named,
    Json(lease): Json<Lease>,
) -> Result<axum::Json<Leased>, Refusal> {
    let lane = Lane::OF_WORKERS.into_iter().find(|known| known.name() == lane);
    let lane = lane.ok_or(Refusal::NotFound("there is no such lane"))?;
    caller.may_take(lane)?;
    let Lease { worker, max, wait_seconds } = lease;
    if !(1..=worker::JOBS_MAX).contains(&max) {
        return Err(Refusal::field("max", format!("it is 1 to {}", worker::JOBS_MAX)));
    }
    if wait_seconds > worker::WAIT_MAX_SECONDS {
        return Err(Refusal::field("wait_seconds", format!("it is 0 to {}", worker::WAIT_MAX_SECONDS)));
    }
    if worker.chars().count() > worker::NAME_MAX_CHARS {
        return Err(Refusal::field("worker", format!("it has at most {} characters", worker::NAME_MAX_CHARS)));
    }
    let draining = &api.0.draining;
    if draining.is_stopping() {
        return Err(Refusal::NotNow("the server is stopping"));
    }
    let given = api.0.lanes.lease(lane, max, Duration::from_secs(wait_seconds), draining.stopping()).await?;
    let name = &caller.0.name;
    for Given { taken, .. } in &given {
        metrics::work(taken.job.lane, name, WorkOutcome::Leased);
        debug!(job.id = taken.job.id.0, lane = %taken.job.lane, name, worker, "a job was taken");
    }
    let lease_seconds = api.0.lanes.lease_time().as_secs();
    let jobs = given.into_iter().map(|given| written(given, lease_seconds)).collect();
    Ok(axum::Json(Leased { version: worker::VERSION, jobs }))
}

/// Hold a job for longer
///
/// Holds a job for `lease_seconds` from now on. A third of that is a good interval.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/heartbeat",
    operation_id = "heartbeat",
    params(("id" = JobPath, Path, description = "The job.")),
    request_body = Heartbeat,
    responses((status = 204, description = "It is held."), OfJobs)
)]
pub(super) async fn heartbeat(
    State(api): State<Api>,
    caller: Caller,
    Named(id): Named,
    Json(Heartbeat { lease }): Json<Heartbeat>,
) -> Result<StatusCode, Refusal> {
    let taken = held(&api, &caller, &id, &lease).await?;
    api.0.lanes.hold(&taken.job).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Say how far a job is
///
/// The user sees the text on the screen where they wait. Only the last one counts; more than one a second is of no use.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/progress",
    operation_id = "progress",
    params(("id" = JobPath, Path, description = "The job.")),
    request_body = Report,
    responses((status = 204, description = "It is shown as soon as Telegram allows."), OfJobs)
)]
pub(super) async fn progress(
    State(api): State<Api>,
    caller: Caller,
    Named(id): Named,
    Json(Report { lease, text }): Json<Report>,
) -> Result<StatusCode, Refusal> {
    let taken = held(&api, &caller, &id, &lease).await?;
    if text.contains('\0') {
        return Err(Refusal::field("text", "it holds the character U+0000"));
    }
    api.0.lanes.report(&taken, &text).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// End a job with what was made
///
/// The result is queued to the user in the same commit that ends the job.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/complete",
    operation_id = "complete",
    params(("id" = JobPath, Path, description = "The job.")),
    request_body = Completion,
    responses((status = 204, description = "It has ended."), OfJobs)
)]
pub(super) async fn complete(
    State(api): State<Api>,
    caller: Caller,
    Named(id): Named,
    Json(completion): Json<Completion>,
) -> Result<StatusCode, Refusal> {
    let taken = held(&api, &caller, &id, &completion.lease).await?;
    let output = checked(&completion, &taken.order.wanted).map_err(Refusal::Invalid)?;
    super::upload::are_kept(&api, &taken, &output).await?;
    api.0.lanes.finish(&taken, &output).await?;
    metrics::work(taken.job.lane, &caller.0.name, WorkOutcome::Completed);
    Ok(StatusCode::NO_CONTENT)
}

/// Give a job up
///
/// With `retry` it is given out again after a while, if it has an attempt left; else the user is told that it failed, and
/// gets back what it cost.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/fail",
    operation_id = "fail",
    params(("id" = JobPath, Path, description = "The job.")),
    request_body = GiveUp,
    responses((status = 204, description = "It has ended, or waits for another attempt."), OfJobs)
)]
pub(super) async fn fail(
    State(api): State<Api>,
    caller: Caller,
    Named(id): Named,
    Json(GiveUp { lease, reason, retry }): Json<GiveUp>,
) -> Result<StatusCode, Refusal> {
    let taken = held(&api, &caller, &id, &lease).await?;
    let given_up = if retry {
        api.0.lanes.retry(&taken).await?
    } else {
        api.0.lanes.give_up(&taken).await?;
        GivenUp::Failed
    };
    let outcome = match given_up {
        GivenUp::Retried => WorkOutcome::Retried,
        GivenUp::Failed => WorkOutcome::Failed,
    };
    // A worker's own words: they may say more than a log should keep, so they are in none that is not asked for.
    let (lane, reason) = (taken.job.lane, shorten(&reason, REASON_MAX_CHARS));
    debug!(job.id = taken.job.id.0, %lane, reason, "a worker gave a job up");
    metrics::work(lane, &caller.0.name, outcome);
    Ok(StatusCode::NO_CONTENT)
}

/// The job `id` that `caller` holds under `lease`.
pub(super) async fn held(api: &Api, caller: &Caller, id: &str, lease: &str) -> Result<Taken, Refusal> {
    let id = id.parse().ok().filter(|id| *id > 0).map(JobId).ok_or(Refusal::NotFound("there is no such job"))?;
    let token = LeaseToken::parse(lease).ok_or(Refusal::LeaseLost)?;
    match api.0.lanes.held(id, token).await {
        Ok(taken) => caller.may_take(taken.job.lane).map(|()| taken),
        Err(error) => Err(error.into()),
    }
}

/// A job as a worker is given it.
fn written(given: Given, lease_seconds: u64) -> Job {
    let Given { taken: Taken { job, order, bot }, dialog } = given;
    let (kind, name, screen) = match order.wanted {
        Wanted::Generation { then } => (worker::Kind::Generate, None, then),
        Wanted::Call { name, screen } => (worker::Kind::Call, Some(name), screen),
    };
    let turn = |Turn { role, text }| worker::Turn {
        role: match role {
            Role::User => worker::Role::User,
            Role::Assistant => worker::Role::Assistant,
        },
        text,
    };
    Job {
        id: job.id.0.to_string(),
        lease: job.token.to_string(),
        lease_seconds,
        lane: job.lane.name().to_owned(),
        attempt: job.attempts,
        key: job.name,
        kind,
        name,
        screen,
        arguments: order.arguments,
        text: order.text,
        vars: order.vars,
        locale: order.locale,
        bot: worker::Bot { id: bot.bot.id.0, name: bot.bot.name.clone(), username: bot.bot.username.clone() },
        chat: worker::Chat { id: job.key.chat.0 },
        dialog: dialog.into_iter().map(turn).collect(),
    }
}

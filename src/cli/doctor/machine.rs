//! What is not of one bot: settings, flows, stores, the server, the clock.

use super::Finding;
use crate::cli::context::{Context, Setup};
use crate::cli::{health, output, store};
use crate::config::{self, starred};
use crate::dedup::Claims;
use crate::library::Library;
use crate::shutdown::Tasks;
use crate::storage::{Lane, Storage, StorageUrl};
use std::time::{Duration, SystemTime};

/// A message that has waited longer than this is not just on its way.
const OUTBOUND_AGE_MAX: Duration = Duration::from_secs(60);
/// A clock that is further off than this makes logs, ages and expiries wrong.
const CLOCK_SKEW_MAX: Duration = Duration::from_secs(30);
const TIMEOUT: Duration = Duration::from_secs(5);

pub(super) fn settings_are_sound(context: &Context<'_>, findings: &mut Vec<Finding>) -> bool {
    match config::load(&context.sources).and_then(|config| config.check_for_serving()) {
        Ok(()) => {
            findings.push(Finding::well("settings", "sound"));
            true
        }
        Err(problems) => {
            let all = problems.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            findings.push(Finding::wrong("settings", all, "`botctl check` shows each with its place"));
            false
        }
    }
}

/// The flows, if all of them are sound.
pub(super) fn flows(setup: &Setup<'_>, findings: &mut Vec<Finding>) -> Option<Library> {
    match setup.library() {
        Ok(library) => {
            findings.push(Finding::well("flows", library.names().join(", ")));
            Some(library)
        }
        Err(_) => {
            let advice = "`botctl check` shows each mistake with its place";
            findings.push(Finding::wrong("flows", "not all of them are sound", advice));
            None
        }
    }
}

pub(super) async fn redis(setup: &Setup<'_>, findings: &mut Vec<Finding>) {
    let Some(url) = &setup.redis_url else {
        findings.push(Finding::well("redis", "none, as SQLite needs none"));
        return;
    };
    let tasks = Tasks::new("doctor");
    let place = starred(url.expose());
    findings.push(match Claims::open(url, &tasks).await {
        Ok(claims) if !claims.is_degraded() => Finding::well("redis", format!("{place} answers as Redis 7 does")),
        Ok(_) => Finding::wrong(
            "redis",
            format!("{place} does not answer as Redis 7 does"),
            "start it, or correct REDIS_URL. Until then repeats reach the database, and nothing is lost",
        ),
        Err(error) => Finding::wrong("redis", error.to_string(), "correct REDIS_URL"),
    });
    tasks.stop().await;
}

pub(super) async fn database(setup: &Setup<'_>, findings: &mut Vec<Finding>) -> Option<Storage> {
    if let StorageUrl::Sqlite(path) = &setup.database_url
        && !path.exists()
    {
        let said = format!("there is no file {}", path.display());
        findings.push(Finding::wrong("database", said, "`botctl bot add` makes it, or set DATABASE_URL"));
        return None;
    }
    let opened = async {
        let storage = Storage::open(&setup.database_url).await?;
        storage.check().await?;
        Ok::<_, crate::storage::Error>(storage)
    };
    match opened.await {
        Ok(storage) => {
            findings.push(Finding::well("database", "it answers, its schema fits, what it confirms stays on disk"));
            Some(storage)
        }
        Err(error) => {
            findings.push(Finding::wrong("database", output::with_causes(&error), store::unreachable(setup)));
            None
        }
    }
}

/// What waits, and what was given up.
pub(super) async fn work(storage: &Storage, findings: &mut Vec<Finding>) {
    match storage.depths().await {
        Ok(depths) => {
            let late = depths.iter().find(|depth| depth.lane == Lane::Outbound && depth.oldest > OUTBOUND_AGE_MAX);
            findings.push(match late {
                Some(depth) => Finding::wrong(
                    "jobs",
                    format!("{} wait in outbound, the oldest for {}", depth.depth, output::duration(depth.oldest)),
                    "`botctl jobs list --lane outbound`: does a server or a `botctl sender` run? Its log says what Telegram answers",
                ),
                None => {
                    let all: u64 = depths.iter().map(|depth| depth.depth).sum();
                    Finding::well("jobs", format!("{all} wait, none for long"))
                }
            });
        }
        Err(error) => findings.push(Finding::wrong("jobs", output::with_causes(&error), "see `database`")),
    }
}

pub(super) async fn server(setup: &Setup<'_>, findings: &mut Vec<Finding>) {
    let at = setup.ops_listen;
    findings.push(match health::page(at, "/health/ready").await {
        Ok((200, body)) if body.contains("\"degraded\"") => Finding::doubtful(
            "server",
            format!("ready, but goes around something: {body}"),
            "see `redis` and `database`",
        ),
        Ok((200, _)) => Finding::well("server", format!("the one at {at} is ready")),
        Ok((status, body)) => Finding::wrong("server", format!("not ready ({status}): {body}"), "its log says why"),
        Err(_) => Finding::wrong(
            "server",
            format!("none answers at {at}"),
            "start `botctl serve`, or give its TAPGATE_OPS_LISTEN",
        ),
    });
}

/// Against the Bot API's own.
pub(super) async fn clock(setup: &Setup<'_>, findings: &mut Vec<Finding>) {
    let Ok(client) =
        reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).timeout(TIMEOUT).build()
    else {
        return;
    };
    let url = setup.telegram_api_url.clone();
    let date = match client.get(url.clone()).send().await {
        Ok(response) => {
            response.headers().get("date").and_then(|date| httpdate::parse_http_date(date.to_str().ok()?).ok())
        }
        Err(error) => {
            let said = format!("{url} does not answer: {}", error.without_url());
            findings.push(Finding::wrong("bot api", said, "check the network and TAPGATE_TELEGRAM_API_URL"));
            return;
        }
    };
    findings.push(Finding::well("bot api", format!("{url} answers")));
    // A Bot API server of one's own may say no time.
    let Some(date) = date else { return };
    let now =
        SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(crate::clock::now().unix_millis()).unwrap_or(0));
    let off = now.duration_since(date).or_else(|_| date.duration_since(now)).unwrap_or_default();
    findings.push(if off > CLOCK_SKEW_MAX {
        let said = format!("this machine's clock is {} off", output::duration(off));
        Finding::wrong(
            "clock",
            said,
            "synchronise it (chrony, systemd-timesyncd): ages and expiries are computed from it",
        )
    } else {
        Finding::well("clock", "agrees with the Bot API's")
    });
}

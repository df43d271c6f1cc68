//! The whole server under load, from outside: forty kept connections post unique updates as fast as they are answered,
//! in turn to the floor (a listener that parses and answers, nothing else) and to `botctl serve` on its real stores.
//! Never asserts a figure: machines are shared. What counts is the share of the floor within one run.
//!
//! - `TAPGATE_TEST_POSTGRES_URL` and `TAPGATE_TEST_REDIS_URL`: the cluster profile is run, too.
//! - `TAPGATE_BENCH_SECONDS`: the length of each measurement.
//! - `TAPGATE_BENCH_BASELINE`: another build of `botctl`, measured beside this one: what a change brought.

mod support;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::TokioIo;
use std::path::PathBuf;
use std::time::Duration;
use support::callers::{GATHERED, SINGLE};
use support::load::{self, CONNECTIONS, Until};
use support::processes::{Server, Settings, cpu};
use support::stores::{Database, Redis, sqlite_url};
use support::updates::CHATS;
use support::{Failure, environment, say};
use tapgate::shutdown::Tasks;
use tapgate::telegram::update::parse;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::Instant;

const ROUNDS: usize = 3;
const SECONDS: u64 = 5;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Runtime::new()?;
    if let [word, address] = &arguments[..]
        && word == "floor"
    {
        return runtime.block_on(floor(address));
    }
    // `cargo bench -- WORD` runs what has the word in its name, here as in criterion.
    let mut words = arguments.iter().filter(|argument| !argument.starts_with('-')).peekable();
    if words.peek().is_none() || words.any(|word| "closed_loop".contains(&**word)) {
        // Told to stop, it ends like any other run: what it started and created has to go.
        return runtime.block_on(async {
            let mut terminate = signal(SignalKind::terminate())?;
            tokio::select! {
                compared = compare() => compared,
                interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
                _ = terminate.recv() => Ok(()),
            }
        });
    }
    Ok(())
}

async fn compare() -> Result<(), Failure> {
    let seconds = environment("TAPGATE_BENCH_SECONDS").and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    let folder = tempfile::tempdir()?;
    let redis = Redis::find();
    let mut rows = vec![Row::floor().await?];
    for (build, program) in builds()? {
        for (way, gathering) in [("gathered", GATHERED), ("single", SINGLE)] {
            let settings = |database: String| Settings {
                program: program.clone(),
                folder: folder.path(),
                database,
                redis: None,
                gathering,
            };
            let file = sqlite_url(folder.path(), &format!("bench-{}", rows.len()));
            rows.push(Row::tapgate(format!("{build}SQLite, {way}"), &settings(file), None).await?);
            if let Some(redis) = &redis
                && let Some(database) = Database::create().await
            {
                let settings = Settings { redis: Some(redis.url().to_owned()), ..settings(database.url()) };
                let name = format!("{build}PostgreSQL and Redis, {way}");
                rows.push(Row::tapgate(name, &settings, Some(database)).await?);
            }
        }
    }

    say(&format!("{CONNECTIONS} connections, {CHATS} chats, medians of {ROUNDS} interleaved rounds of {seconds} s"));
    for row in &rows {
        load::run(row.server.address(), Until::Count(CHATS as usize / CONNECTIONS)).await?;
    }
    for _ in 0..ROUNDS {
        for row in &mut rows {
            row.measure(Duration::from_secs(seconds)).await?;
        }
    }
    print(&rows);
    Ok(())
}

/// This build of `botctl`, and the one to compare it with.
fn builds() -> Result<Vec<(&'static str, PathBuf)>, Failure> {
    let mut builds = vec![("", PathBuf::from(env!("CARGO_BIN_EXE_botctl")))];
    if let Some(program) = environment("TAPGATE_BENCH_BASELINE") {
        // The servers run in a folder of their own.
        builds.push(("baseline: ", std::path::absolute(program)?));
    }
    Ok(builds)
}

/// A server and what was measured of it, round by round.
struct Row {
    name: String,
    server: Server,
    database: Option<Database>,
    runs: Vec<Run>,
}

/// One measurement.
#[derive(Clone, Copy)]
struct Run {
    per_second: f64,
    p50: Duration,
    p99: Duration,
    /// CPU time an update, in µs; none where the kernel cannot say.
    server: Option<f64>,
    postgres: Option<f64>,
}

impl Row {
    async fn floor() -> Result<Self, Failure> {
        let server = Server::floor().await?;
        Ok(Self { name: "floor: parse and answer".into(), server, database: None, runs: Vec::new() })
    }

    async fn tapgate(name: String, settings: &Settings<'_>, database: Option<Database>) -> Result<Self, Failure> {
        Ok(Self { name, server: Server::tapgate(settings).await?, database, runs: Vec::new() })
    }

    async fn measure(&mut self, length: Duration) -> Result<(), Failure> {
        let backends = match &self.database {
            Some(database) => database.backends().await?,
            None => Vec::new(),
        };
        let postgres = || backends.iter().map(cpu).sum::<Option<Duration>>();
        let before = (self.server.cpu(), postgres());
        let started = Instant::now();
        let times = load::run(self.server.address(), Until::Moment(started + length)).await?;
        let elapsed = started.elapsed();
        let after = (self.server.cpu(), postgres());
        let each = |before: Option<Duration>, after: Option<Duration>| {
            Some((after? - before?).as_secs_f64() * 1e6 / times.len() as f64)
        };
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        self.runs.push(Run {
            per_second: times.len() as f64 / elapsed.as_secs_f64(),
            p50: at(0.5),
            p99: at(0.99),
            server: each(before.0, after.0),
            postgres: each(before.1, after.1).filter(|_| self.database.is_some()),
        });
        Ok(())
    }

    /// The medians of its rounds, each figure by itself.
    fn medians(&self) -> Run {
        Run {
            per_second: median(self.runs.iter().map(|run| run.per_second)),
            p50: Duration::from_secs_f64(median(self.runs.iter().map(|run| run.p50.as_secs_f64()))),
            p99: Duration::from_secs_f64(median(self.runs.iter().map(|run| run.p99.as_secs_f64()))),
            server: self.runs.iter().map(|run| run.server).collect::<Option<Vec<_>>>().map(median),
            postgres: self.runs.iter().map(|run| run.postgres).collect::<Option<Vec<_>>>().map(median),
        }
    }
}

fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The table, as a document takes it.
fn print(rows: &[Row]) {
    say("| | updates/s | of the floor | p50 ms | p99 ms | server µs CPU | PostgreSQL µs CPU |");
    say("|---|---|---|---|---|---|---|");
    for row in rows {
        let Run { per_second, p50, p99, server, postgres } = row.medians();
        // Round by round: what disturbed the machine disturbed both.
        let shares = row.runs.iter().zip(&rows[0].runs).map(|(run, floor)| run.per_second / floor.per_second);
        let micros = |time: Option<f64>| time.map_or_else(|| "–".to_owned(), |time| format!("{time:.0}"));
        say(&format!(
            "| {} | {per_second:.0} | {:.1} % | {:.2} | {:.2} | {} | {} |",
            row.name,
            median(shares) * 100.0,
            p50.as_secs_f64() * 1e3,
            p99.as_secs_f64() * 1e3,
            micros(server),
            micros(postgres),
        ));
    }
}

/// The floor: the bytes of a request in, parsed, an empty 200 out.
async fn floor(address: &str) -> Result<(), Failure> {
    let listener = tokio::net::TcpListener::bind(address).await?;
    let connections = Tasks::new("connections");
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = hyper::service::service_fn(|request: hyper::Request<Incoming>| async {
            let body = request.into_body().collect().await?.to_bytes();
            std::hint::black_box(parse(&body)?);
            Ok::<_, Failure>(hyper::Response::new(Empty::<Bytes>::new()))
        });
        connections.spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

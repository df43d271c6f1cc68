//! One closed-loop run: 40 keep-alive connections post unique updates as fast as they are answered, in turn to the
//! floor (the same listener, parse and answer, nothing else) and to `botctl serve` on its real stores.
//! Never asserts a figure: machines are shared. What counts is the ratio within one run.
//!
//! `cargo bench --bench closed_loop` runs the embedded profile; with `TAPGATE_TEST_POSTGRES_URL` and
//! `TAPGATE_TEST_REDIS_URL` the cluster profile too. `TAPGATE_BENCH_SECONDS` sets the length of each measurement.
#![expect(clippy::disallowed_methods, clippy::disallowed_macros, missing_docs, reason = "a program of its own")]

use std::error::Error;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const CONNECTIONS: usize = 40;
const CHATS: u64 = 20_000;
const ROUNDS: usize = 3;
const SECRET: &str = "closed-loop-secret";
const BOT: &str = "4242";
static NEXT_UPDATE: AtomicU64 = AtomicU64::new(1_000_000);

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if arguments.get(1).is_some_and(|word| word == "floor") {
        return runtime.block_on(floor());
    }
    runtime.block_on(compare())
}

async fn compare() -> Result<(), Failure> {
    let seconds = std::env::var("TAPGATE_BENCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    let length = Duration::from_secs(seconds);
    let folder = tempfile::tempdir()?;

    let floor = Server::floor()?;
    let mut profiles = vec![("embedded (SQLite)", Server::tapgate(folder.path(), &sqlite(folder.path()), None)?)];
    match (std::env::var("TAPGATE_TEST_POSTGRES_URL"), std::env::var("TAPGATE_TEST_REDIS_URL")) {
        (Ok(postgres), Ok(redis)) => {
            let database = database(&postgres).await?;
            profiles.push(("cluster (PostgreSQL, Redis)", Server::tapgate(folder.path(), &database, Some(&redis))?));
        }
        _ => println!("not run: the cluster profile needs TAPGATE_TEST_POSTGRES_URL and TAPGATE_TEST_REDIS_URL"),
    }

    println!("{CONNECTIONS} connections, {CHATS} chats, medians of {ROUNDS} interleaved rounds of {seconds} s");
    let mut runs: Vec<Vec<Run>> = vec![Vec::new(); profiles.len() + 1];
    for server in std::iter::once(&floor).chain(profiles.iter().map(|(_, server)| server)) {
        measure(server, Duration::from_secs(1)).await?;
    }
    for _ in 0..ROUNDS {
        runs[0].push(measure(&floor, length).await?);
        for (index, (_, server)) in profiles.iter().enumerate() {
            runs[index + 1].push(measure(server, length).await?);
        }
    }
    let floor = median(&mut runs[0]);
    println!("{:<30} {:>10} {:>9} {:>9} {:>12} {:>10}", "", "updates/s", "p50 ms", "p99 ms", "server µs", "of floor");
    print_row("floor: parse and answer", floor, floor);
    for (index, (name, _)) in profiles.iter().enumerate() {
        print_row(name, median(&mut runs[index + 1]), floor);
    }
    Ok(())
}

fn print_row(name: &str, run: Run, floor: Run) {
    println!(
        "{name:<30} {:>10.0} {:>9.2} {:>9.2} {:>12.0} {:>9.1}%",
        run.per_second,
        run.p50.as_secs_f64() * 1e3,
        run.p99.as_secs_f64() * 1e3,
        run.cpu.as_secs_f64() * 1e6,
        run.per_second / floor.per_second * 100.0
    );
}

#[derive(Clone, Copy)]
struct Run {
    per_second: f64,
    p50: Duration,
    p99: Duration,
    /// The server process's CPU time an update.
    cpu: Duration,
}

fn median(runs: &mut [Run]) -> Run {
    runs.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
    runs[runs.len() / 2]
}

async fn measure(server: &Server, length: Duration) -> Result<Run, Failure> {
    let (cpu_before, started) = (server.cpu()?, Instant::now());
    let clients: Vec<_> = (0..CONNECTIONS).map(|_| tokio::spawn(client(server.address, started + length))).collect();
    let mut times = Vec::new();
    for client in clients {
        times.extend(client.await??);
    }
    let elapsed = started.elapsed();
    times.sort_unstable();
    let count = u32::try_from(times.len())?;
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    Ok(Run {
        per_second: f64::from(count) / elapsed.as_secs_f64(),
        p50: at(0.5),
        p99: at(0.99),
        cpu: (server.cpu()? - cpu_before) / count,
    })
}

/// Posts updates on one connection until `end`; any answer but 200 is an error.
async fn client(address: SocketAddr, end: Instant) -> Result<Vec<Duration>, Failure> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut times, mut answer) = (Vec::new(), vec![0; 16 * 1024]);
    while Instant::now() < end {
        let request = request();
        let started = Instant::now();
        stream.write_all(request.as_bytes()).await?;
        let mut filled = 0;
        while !is_whole(&answer[..filled]) {
            match stream.read(&mut answer[filled..]).await? {
                0 => return Err("the server closed a kept connection".into()),
                read => filled += read,
            }
        }
        times.push(started.elapsed());
        if !answer.starts_with(b"HTTP/1.1 200") {
            return Err(String::from_utf8_lossy(&answer[..filled.min(60)]).into());
        }
    }
    Ok(times)
}

fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
    body.len() >= length.unwrap_or(0)
}

/// A message of about 1.2 kB from one of the chats, as Telegram posts it.
fn request() -> String {
    let update = NEXT_UPDATE.fetch_add(1, Ordering::Relaxed);
    let chat = 100_000 + update.wrapping_mul(6_364_136_223_846_793_005) % CHATS;
    let text = "Would you tell me once more how it went on? ".repeat(18);
    let user = format!(r#""id":{chat},"first_name":"Ann","last_name":"Example","username":"ann_example""#);
    let body = format!(
        "{{\"update_id\":{update},\n\"message\":{{\"message_id\":{update},\"from\":{{{user},\"is_bot\":false,\"language_code\":\"en\"}},\
         \"chat\":{{{user},\"type\":\"private\"}},\"date\":1700000000,\"text\":\"{text}\"}}}}"
    );
    format!(
        "POST /telegram/webhook/{BOT} HTTP/1.1\r\nHost: localhost\r\nX-Telegram-Bot-Api-Secret-Token: {SECRET}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: keep-alive\r\n\
         Accept-Encoding: gzip, deflate\r\n\r\n{body}",
        body.len()
    )
}

/// A process under load, ended by its drop.
struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    fn floor() -> Result<Self, Failure> {
        let address = free_address()?;
        let process = Command::new(std::env::current_exe()?).args(["floor", &address.to_string()]).spawn()?;
        Self { process, address }.ready()
    }

    fn tapgate(folder: &Path, database: &str, redis: Option<&str>) -> Result<Self, Failure> {
        let (address, ops) = (free_address()?, free_address()?);
        let botctl = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_botctl"));
            command.current_dir(folder).args(arguments).stdout(Stdio::null());
            command.env("DATABASE_URL", database).env("TAPGATE_LISTEN", address.to_string());
            command.env("TAPGATE_OPS_LISTEN", ops.to_string()).env("TAPGATE_SUBNETS", "127.0.0.0/8");
            command.env("TAPGATE_LOG", "warn");
            if let Some(redis) = redis {
                command.env("REDIS_URL", redis);
            }
            command
        };
        let token = format!("{BOT}:closed-loop-token");
        for arguments in [
            &["migrate"][..],
            &[
                "bot",
                "add",
                "--name",
                "loop",
                "--token",
                &token,
                "--secret",
                SECRET,
                "--flow",
                "companion",
                "--offline",
            ],
        ] {
            if !botctl(arguments).status()?.success() {
                return Err(format!("botctl {} failed", arguments[0]).into());
            }
        }
        Self { process: botctl(&["serve", "--no-sender"]).spawn()?, address }.ready()
    }

    fn ready(self) -> Result<Self, Failure> {
        for _ in 0..200 {
            if std::net::TcpStream::connect(self.address).is_ok() {
                return Ok(self);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err("a server did not start".into())
    }

    /// The CPU time that the process has used.
    fn cpu(&self) -> Result<Duration, Failure> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
        Ok(Duration::from_millis(ticks * 10))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_address() -> Result<SocketAddr, Failure> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

fn sqlite(folder: &Path) -> String {
    format!("sqlite://{}", folder.join("loop.db").display())
}

/// A new database on the server at `url`.
async fn database(url: &str) -> Result<String, Failure> {
    use sqlx::{Connection, PgConnection};
    let name = format!("tapgate_loop_{}", std::process::id());
    let mut connection = PgConnection::connect(url).await?;
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&mut connection).await?;
    let mut url = url::Url::parse(url)?;
    url.set_path(&name);
    Ok(url.into())
}

/// The floor: the bytes of a request in, parsed, an empty 200 out.
async fn floor() -> Result<(), Failure> {
    use http_body_util::{BodyExt, Empty};
    use hyper::body::{Bytes, Incoming};
    use hyper_util::rt::TokioIo;

    let address = std::env::args().nth(2).ok_or("no address")?;
    let listener = tokio::net::TcpListener::bind(address).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = hyper::service::service_fn(|request: hyper::Request<Incoming>| async {
            let body = request.into_body().collect().await?.to_bytes();
            let update = tapgate::telegram::update::parse(&body)?;
            std::hint::black_box(&update);
            Ok::<_, Failure>(hyper::Response::new(Empty::<Bytes>::new()))
        });
        tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

//! The load: keep-alive connections that post unique updates as fast as they are answered. It shares the machine with
//! what it measures, so it does as little as it can.

use super::Failure;
use super::bot::{self, SECRET};
use super::updates;
use std::net::SocketAddr;
use std::time::Duration;
use tapgate::shutdown::Tasks;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// As many as Telegram opens to a bot, unless told otherwise.
pub const CONNECTIONS: usize = 40;

/// When a connection stops posting.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// At that moment.
    Moment(Instant),
    /// After so many updates.
    Count(usize),
}

/// The times of all answers, in order of length.
pub async fn run(address: SocketAddr, until: Until) -> Result<Vec<Duration>, Failure> {
    let tasks = Tasks::new("connections");
    let clients: Vec<_> = (0..CONNECTIONS).map(|_| tasks.spawn(client(address, until))).collect();
    let mut times = Vec::new();
    for client in clients {
        times.extend(client.await??);
    }
    times.sort_unstable();
    Ok(times)
}

/// Any answer but 200 is an error.
async fn client(address: SocketAddr, until: Until) -> Result<Vec<Duration>, Failure> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut times, mut answer) = (Vec::new(), vec![0; 16 * 1024]);
    let goes_on = |posted: usize| match until {
        Until::Moment(end) => Instant::now() < end,
        Until::Count(count) => posted < count,
    };
    while goes_on(times.len()) {
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
    let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let lines = answer[..end].split(|byte| *byte == b'\n');
    let length = lines.filter_map(|line| line.strip_prefix(b"content-length: ")).find_map(|value| {
        let digits = value.strip_suffix(b"\r").unwrap_or(value);
        str::from_utf8(digits).ok()?.parse().ok()
    });
    answer.len() - (end + 4) >= length.unwrap_or(0)
}

/// As Telegram posts it, header by header.
fn request() -> String {
    let (bot, body) = (bot::id(), updates::next_message());
    format!(
        "POST /telegram/webhook/{bot} HTTP/1.1\r\nHost: localhost\r\nX-Telegram-Bot-Api-Secret-Token: {SECRET}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: keep-alive\r\n\
         Accept-Encoding: gzip, deflate\r\n\r\n{body}",
        body.len()
    )
}

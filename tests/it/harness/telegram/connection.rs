//! One keep-alive connection, raw: what is written is what is sent.

use std::io::{self, Error};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream, UnixStream};

/// Where updates are posted.
#[derive(Clone, Debug)]
pub enum Destination {
    /// A server or nginx.
    Tcp(SocketAddr),
    /// The same, reached from this address of ours.
    TcpFrom(IpAddr, SocketAddr),
    /// A server on a unix socket.
    Unix(PathBuf),
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names in lower case, in the order in which they came.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("an answer is UTF-8")
    }

    /// The body as JSON; null when it is empty.
    pub fn json(&self) -> serde_json::Value {
        if self.body.is_empty() {
            return serde_json::Value::Null;
        }
        serde_json::from_slice(&self.body).expect("an answer is JSON or empty")
    }
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// An open connection.
pub struct Connection {
    stream: Box<dyn Stream>,
    unread: Vec<u8>,
}

impl Connection {
    /// Opens one.
    pub async fn open(to: &Destination) -> io::Result<Self> {
        let stream: Box<dyn Stream> = match to {
            Destination::Tcp(address) => Box::new(without_delay(TcpStream::connect(address).await?)?),
            Destination::TcpFrom(own, address) => {
                let socket = if own.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
                socket.bind(SocketAddr::new(*own, 0))?;
                Box::new(without_delay(socket.connect(*address).await?)?)
            }
            Destination::Unix(path) => Box::new(UnixStream::connect(path).await?),
        };
        Ok(Self { stream, unread: Vec::new() })
    }

    /// Writes bytes.
    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// Reads one response whole.
    pub async fn read(&mut self) -> io::Result<Response> {
        let end = loop {
            if let Some(at) = self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            self.read_more().await?;
        };
        let head = String::from_utf8(self.unread.drain(..end).collect()).map_err(Error::other)?;
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok());
        let status = status.ok_or_else(|| Error::other(format!("no status line: {head}")))?;
        let headers =
            lines.filter_map(|line| line.split_once(": ")).map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        let mut response = Response { status, headers: headers.collect(), body: Vec::new() };
        // Telegram takes a response with neither Content-Length nor chunks as empty; the server is to send a length.
        let length = response.header("content-length").and_then(|value| value.parse().ok());
        let length: usize = length.ok_or_else(|| Error::other(format!("no Content-Length: {head}")))?;
        while self.unread.len() < length {
            self.read_more().await?;
        }
        response.body = self.unread.drain(..length).collect();
        Ok(response)
    }

    /// Waits for the other side to speak unasked or to hang up; the bytes it wrote, none when it hung up.
    pub async fn overhear(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; 1024];
        let count = self.stream.read(&mut bytes).await?;
        bytes.truncate(count);
        Ok(bytes)
    }

    async fn read_more(&mut self) -> io::Result<()> {
        let count = self.stream.read_buf(&mut self.unread).await?;
        if count == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

fn without_delay(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    Ok(stream)
}

//! A client that speaks HTTP/1.1 as Telegram does, and that sees every byte that comes back.

use std::net::SocketAddr;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// A request, header by header.
#[derive(Clone, Debug)]
pub struct Post {
    pub method: &'static str,
    pub path: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Post {
    /// What Telegram posts to the bot of that id.
    pub fn to(bot: i64, secret: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("X-Telegram-Bot-Api-Secret-Token", secret.to_owned())];
        Self { method: "POST", path: format!("/telegram/webhook/{bot}"), headers, body: body.into() }
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn without_headers(mut self) -> Self {
        self.headers.clear();
        self
    }

    pub fn path(mut self, path: &str) -> Self {
        self.path = path.to_owned();
        self
    }

    pub fn method(mut self, method: &'static str) -> Self {
        self.method = method;
        self
    }

    pub fn head(&self) -> String {
        let mut head = format!("{} {} HTTP/1.1\r\nHost: bots.example.org\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!(
            "Content-Type: application/json\r\nContent-Length: {}\r\nConnection: keep-alive\r\nAccept-Encoding: gzip, deflate\r\n\r\n",
            self.body.len()
        ));
        head
    }
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// In lower case, in their order, without `date`.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A kept connection.
#[derive(Debug)]
pub struct Connection<S = TcpStream>(BufReader<S>);

impl Connection {
    pub async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self::over(stream)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub fn over(stream: S) -> Self {
        Self(BufReader::new(stream))
    }

    /// Sends it and waits for the answer.
    pub async fn post(&mut self, post: &Post) -> Answer {
        self.send(post.head().as_bytes()).await;
        self.send(&post.body).await;
        self.answer().await
    }

    pub async fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).await.unwrap();
    }

    pub async fn answer(&mut self) -> Answer {
        let status = self.line().await;
        let status = status.split(' ').nth(1).unwrap_or_else(|| panic!("no status: {status:?}")).parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line().await;
            let Some((name, value)) = line.split_once(": ") else { break };
            headers.push((name.to_lowercase(), value.to_owned()));
        }
        headers.retain(|(name, _)| name != "date");
        let mut answer = Answer { status, headers, body: String::new() };
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).await.unwrap();
        answer.body = String::from_utf8(body).unwrap();
        answer
    }

    /// Everything that still comes until the other side closes.
    pub async fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).await.unwrap();
        rest
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).await.unwrap();
        line.trim_end().to_owned()
    }
}

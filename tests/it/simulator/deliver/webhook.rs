//! A webhook that does to each request, byte for byte, what the test says.

use crate::harness::patience;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};

pub struct Webhook {
    pub address: SocketAddr,
    happened: mpsc::UnboundedReceiver<Happened>,
}

/// What the webhook saw.
#[derive(Debug)]
pub enum Happened {
    Request(Request),
    /// The other end closed this connection, and had written this since its last request.
    Closed(usize, Vec<u8>),
}

/// A request that waits to be answered.
#[derive(Debug)]
pub struct Request {
    /// The how-many-eth connection it came on, from one.
    pub connection: usize,
    pub head: String,
    pub body: Vec<u8>,
    answer: oneshot::Sender<Answer>,
}

#[derive(Debug)]
enum Answer {
    Keep(Vec<u8>),
    Close(Vec<u8>),
}

impl Webhook {
    pub async fn opens() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (tell, happened) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            for connection in 1.. {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, connection, tell.clone()));
            }
        });
        Self { address, happened }
    }

    pub async fn happens(&mut self) -> Happened {
        tokio::time::timeout(patience::LIMIT, self.happened.recv()).await.expect("something happens").unwrap()
    }

    /// The next request; that connections are closed meanwhile is let pass.
    pub async fn request(&mut self) -> Request {
        loop {
            if let Happened::Request(request) = self.happens().await {
                return request;
            }
        }
    }

    /// Waits until the other end closes a connection; what it wrote before.
    pub async fn closed(&mut self) -> (usize, Vec<u8>) {
        match self.happens().await {
            Happened::Closed(connection, rest) => (connection, rest),
            Happened::Request(request) => panic!("a request instead: {request:?}"),
        }
    }
}

impl Request {
    pub fn update_id(&self) -> i64 {
        let text = String::from_utf8_lossy(&self.body);
        text.strip_prefix("{\"update_id\":").unwrap().split(',').next().unwrap().parse().unwrap()
    }

    /// Writes `bytes` and keeps the connection.
    pub fn answers(self, bytes: impl AsRef<[u8]>) {
        self.answer.send(Answer::Keep(bytes.as_ref().to_vec())).unwrap();
    }

    /// Writes `bytes` and closes the connection.
    pub fn answers_and_closes(self, bytes: impl AsRef<[u8]>) {
        self.answer.send(Answer::Close(bytes.as_ref().to_vec())).unwrap();
    }

    pub fn answers_status(self, status: &str) {
        self.answers(response(status, "", ""));
    }

    pub fn accepts(self) {
        self.answers_status("200 OK");
    }
}

/// A response with `headers`, each with its line end, and `body`.
pub fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

async fn serve(mut stream: TcpStream, connection: usize, tell: mpsc::UnboundedSender<Happened>) {
    let mut bytes = Vec::new();
    loop {
        let Some((head, body)) = read(&mut stream, &mut bytes).await else { break };
        let (answer, answered) = oneshot::channel();
        let _ = tell.send(Happened::Request(Request { connection, head, body, answer }));
        tokio::select! {
            // Seen too while a test holds the answer back.
            gone = closes(&mut stream, &mut bytes) => { gone; break }
            answer = answered => match answer {
                Ok(Answer::Keep(answer)) => drop(stream.write_all(&answer).await),
                Ok(Answer::Close(answer)) => {
                    let _ = stream.write_all(&answer).await;
                    let _ = stream.shutdown().await;
                    return;
                }
                // The test forgot the request: it is never answered.
                Err(_) => closes(&mut stream, &mut bytes).await,
            }
        }
    }
    let _ = tell.send(Happened::Closed(connection, bytes));
}

async fn closes(stream: &mut TcpStream, bytes: &mut Vec<u8>) {
    while matches!(stream.read_buf(bytes).await, Ok(1..)) {}
}

async fn read(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    loop {
        if let Some(head_end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            let end = head_end + 4 + length.unwrap_or("0").parse::<usize>().unwrap();
            // An answer to our answer, which Telegram writes where it could not read it, is no request.
            if head.starts_with("POST ") && bytes.len() >= end {
                let body = bytes[head_end + 4..end].to_vec();
                bytes.drain(..end);
                return Some((head, body));
            }
        }
        if !matches!(stream.read_buf(bytes).await, Ok(1..)) {
            return None;
        }
    }
}

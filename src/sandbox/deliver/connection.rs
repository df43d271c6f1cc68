//! One connection to the webhook: writes a request, reads its response, and the same again until somebody closes it.
//! Never a time limit: who holds the other end drops it when its time is up.

use super::request::Request;
use super::response::{self, Response};
use super::target::Target;
use crate::sandbox::parameters::Unreadable;
use crate::shutdown::Tasks;
use bytes::{Buf, Bytes, BytesMut};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::ReadHalf;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How much of a response is kept for the wire's row.
const KEPT_MAX_BYTES: usize = 65_536;

/// How much is read at a time.
const READ_BYTES: usize = 16_384;

/// The end of a connection that the sender holds; dropped, it closes the connection.
#[derive(Debug)]
pub(super) struct Connection {
    orders: mpsc::UnboundedSender<Order>,
    flushed: Arc<AtomicBool>,
    _open: DropGuard,
}

/// A request and what to do with its response.
#[derive(Debug)]
struct Order {
    request: Bytes,
    then: Then,
}

/// What to do once a request is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Read the response.
    Read,
    /// Close the connection.
    Close,
}

/// What happened on a connection.
#[derive(Debug)]
pub(super) enum Event {
    /// The request was answered.
    Answered {
        /// The answer.
        response: Response,
        /// Its bytes, as far as they are kept.
        bytes: Bytes,
    },
    /// The connection is gone. With an error of the socket, or of what could not be read.
    Closed {
        /// What Telegram says; `None` where the other end just closed.
        error: Option<String>,
        /// The bytes that had come.
        bytes: Bytes,
    },
}

impl Connection {
    /// Opens a connection to `target`; what happens on it is told to `tell`.
    pub(super) fn open(target: Arc<Target>, tasks: &Tasks, tell: impl Fn(Event) + Send + Sync + 'static) -> Self {
        let (orders, received) = mpsc::unbounded_channel();
        let flushed = Arc::new(AtomicBool::new(false));
        let closing = CancellationToken::new();
        let guard = closing.clone().drop_guard();
        let wire = Open { orders: received, flushed: Arc::clone(&flushed), tell };
        drop(tasks.spawn(async move { closing.run_until_cancelled_owned(wire.run(target)).await }));
        Self { orders, flushed, _open: guard }
    }

    /// Writes `request`; one at a time.
    pub(super) fn send(&self, request: &Request, then: Then) {
        self.flushed.store(false, Ordering::Release);
        // A connection that is gone has said so, or is about to.
        let _ = self.orders.send(Order { request: request.bytes.clone(), then });
    }

    /// Whether the last request was written to its end.
    pub(super) fn is_flushed(&self) -> bool {
        self.flushed.load(Ordering::Acquire)
    }
}

struct Open<T> {
    orders: mpsc::UnboundedReceiver<Order>,
    flushed: Arc<AtomicBool>,
    tell: T,
}

impl<T: Fn(Event)> Open<T> {
    async fn run(mut self, target: Arc<Target>) {
        let stream = match TcpStream::connect((target.host.as_str(), target.port)).await {
            Ok(stream) => stream,
            Err(error) => return self.closed(Some(words(&error)), Bytes::new()),
        };
        let _ = stream.set_nodelay(true);
        let mut incoming = BytesMut::new();
        match self.serve(stream, &mut incoming).await {
            Ok(()) => self.closed(None, kept(&incoming)),
            Err(error) => self.closed(Some(words(&error)), kept(&incoming)),
        }
    }

    async fn serve(&mut self, mut stream: TcpStream, incoming: &mut BytesMut) -> io::Result<()> {
        let mut outgoing = Bytes::new();
        let mut asked: Option<Then> = None;
        loop {
            if asked == Some(Then::Read) && !incoming.is_empty() {
                match response::read(incoming) {
                    Ok(Some(response)) => {
                        asked = None;
                        self.answered(response, incoming);
                        continue;
                    }
                    Ok(None) => {}
                    Err(unreadable) => return refuse(&mut stream, &unreadable).await,
                }
            }
            let reads = asked == Some(Then::Read) || asked.is_none() && incoming.is_empty();
            let (mut reader, mut writer) = stream.split();
            tokio::select! {
                order = self.orders.recv(), if asked.is_none() => {
                    let Some(Order { request, then }) = order else { return Ok(()) };
                    // What a response overtook is still to be written first.
                    outgoing = [outgoing, request].concat().into();
                    asked = Some(then);
                }
                written = writer.write(&outgoing), if !outgoing.is_empty() => {
                    outgoing.advance(written?);
                    if outgoing.is_empty() && asked.is_some() {
                        self.flushed.store(true, Ordering::Release);
                        if asked == Some(Then::Close) {
                            return Ok(());
                        }
                    }
                }
                heard = hear(&mut reader, incoming, asked), if reads => {
                    if heard? == 0 {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn answered(&self, response: Response, incoming: &mut BytesMut) {
        let bytes = incoming.split_to(response.length).freeze();
        (self.tell)(Event::Answered { response, bytes: kept(&bytes) });
    }

    fn closed(&self, error: Option<String>, bytes: Bytes) {
        (self.tell)(Event::Closed { error, bytes });
    }
}

/// Reads some of what came; zero where the other end closed. What comes unasked is kept for the next request, and a second
/// piece of it is left where it is.
async fn hear(reader: &mut ReadHalf<'_>, incoming: &mut BytesMut, asked: Option<Then>) -> io::Result<usize> {
    if asked.is_none() && reader.peek(&mut [0]).await? == 0 {
        return Ok(0);
    }
    incoming.reserve(READ_BYTES);
    reader.read_buf(incoming).await
}

/// Tells the other end what was wrong with its response, as Telegram does, and is the error.
async fn refuse(stream: &mut TcpStream, unreadable: &Unreadable) -> io::Result<()> {
    let reason = unreadable.description.split(':').next().unwrap_or_default();
    let head = format!("HTTP/1.1 {} {reason}\r\nContent-Length: 0\r\n\r\n", unreadable.status);
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.shutdown().await;
    Err(io::Error::other(unreadable.description))
}

/// The system's words for `error`, without its number.
fn words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

fn kept(bytes: &[u8]) -> Bytes {
    Bytes::copy_from_slice(bytes.get(..KEPT_MAX_BYTES).unwrap_or(bytes))
}

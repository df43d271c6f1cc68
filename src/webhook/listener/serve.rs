//! The accept loop. It ends when it is told to stop and at nothing else.

use super::connection;
use super::socket::{Listener, Stream};
use crate::shutdown::Tasks;
use crate::telemetry::rarely::Rarely;
use crate::webhook::delivery::Peer;
use bytes::Bytes;
use futures::FutureExt;
use http::{Request, Response};
use hyper::body::Incoming;
use std::convert::Infallible;
use std::io;
use std::time::Duration;
use tokio::time::sleep;
use tower::Service;

/// How long the loop waits after an error of the process (no file descriptor left), which accepting again at once
/// would only repeat.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How often such errors are logged.
const LOG_PERIOD: Duration = Duration::from_secs(60);

/// For how long connections are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keeping {
    /// Without a request. Telegram closes a connection itself 60 s after its last answer (HttpConnectionBase.cpp); a
    /// server that closes earlier makes it lose an update into a closing socket, so: longer, with a margin.
    pub idle: Duration,
    /// For one more request, told to be the last, once the listener is closed.
    pub grace: Duration,
}

impl Default for Keeping {
    fn default() -> Self {
        Self { idle: Duration::from_secs(75), grace: Duration::from_secs(1) }
    }
}

/// Serves what `listener` accepts with `service`, in `tasks`. Stopping them drains: the listener is closed, what is
/// in flight finishes, kept connections are told to close with their next answer and closed after the grace.
///
/// A panic of `service` ends its connection and nothing else.
pub fn serve<S, B>(listener: Listener, service: S, keeping: Keeping, tasks: &Tasks)
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send> + Clone + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    let group = tasks.clone();
    tasks.spawn(async move {
        let log = Rarely::every(LOG_PERIOD);
        let connections = group.clone();
        let start = move |(stream, peer): (Stream, Peer)| {
            connections.spawn(connection::serve(stream, peer, service.clone(), keeping, connections.clone()));
        };
        loop {
            tokio::select! {
                biased;
                () = group.stopping() => break,
                accepted = listener.accept() => match accepted {
                    Ok(accepted) => start(accepted),
                    Err(error) if is_of_one_connection(&error) => {}
                    Err(error) => {
                        if let Some(more) = log.due() {
                            tracing::error!(more, "connections cannot be accepted: {error}");
                        }
                        sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        // Whoever is connected already, in the kernel's queue, would else see a reset.
        while let Some(Ok(accepted)) = listener.accept().now_or_never() {
            start(accepted);
        }
    });
}

/// The client was gone before it was accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

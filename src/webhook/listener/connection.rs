//! One connection, from accept to close. Never writes a byte that is not part of an answer: what a server writes on
//! an idle connection (a 408), Telegram takes for the answer to its next update.

use super::serve::Keeping;
use super::socket::Stream;
use crate::shutdown::Tasks;
use crate::webhook::delivery::Peer;
use bytes::Bytes;
use futures::future::BoxFuture;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::time::timeout;
use tower::{Service, ServiceExt};

/// Longest head of a request, in bytes; Telegram's is 4,096 at most (HttpHeaderCreator.h), proxies add to it. hyper
/// answers a longer one with 431 and closes.
const HEAD_MAX_BYTES: usize = 64 * 1024;

/// Serves `stream` until it closes, or until `tasks` drain.
pub(super) async fn serve<S, B>(stream: Stream, peer: Peer, service: S, keeping: Keeping, tasks: Tasks)
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send> + Clone + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    let working = Arc::new(AtomicUsize::new(0));
    let service = OnConnection { inner: service, peer, working: Arc::clone(&working), tasks: tasks.clone() };
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            // Counts from the last answer on: for an idle connection it is the idle limit. At its end the
            // connection is closed without a word.
            .header_read_timeout(keeping.idle)
            // The buffer alone is no limit: hyper may read more than it asks for before it looks.
            .max_header_size(HEAD_MAX_BYTES)
            .max_buf_size(HEAD_MAX_BYTES)
            .serve_connection(TokioIo::new(stream), service)
    );
    // An error of a connection is the client's (it hung up, it spoke no HTTP) and is counted where it matters.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = tasks.stopping() => {}
    }
    if timeout(keeping.grace, connection.as_mut()).await.is_ok() {
        return;
    }
    // Closes it if it is idle, else with its next answer.
    connection.as_mut().graceful_shutdown();
    while timeout(keeping.grace, connection.as_mut()).await.is_err() {
        // Neither idle nor at work: a client that does not finish its request, or does not read its answer.
        if working.load(Ordering::Relaxed) == 0 {
            return;
        }
    }
}

/// The service as one connection sees it.
struct OnConnection<S> {
    inner: S,
    peer: Peer,
    working: Arc<AtomicUsize>,
    tasks: Tasks,
}

impl<S, B> hyper::service::Service<Request<Incoming>> for OnConnection<S>
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send> + Clone + Send + 'static,
    B: Send + 'static,
{
    type Response = Response<B>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<B>, Infallible>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.peer);
        let working = Working::begins(&self.working);
        let tasks = self.tasks.clone();
        let answering = self.inner.clone().oneshot(request);
        Box::pin(async move {
            let mut response = answering.await?;
            if tasks.is_stopping() {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            drop(working);
            Ok(response)
        })
    }
}

/// A request that the service works on.
struct Working(Arc<AtomicUsize>);

impl Working {
    fn begins(working: &Arc<AtomicUsize>) -> Self {
        working.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(working))
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

//! Reads the body, once, and turns a request into a delivery and a reply into a response; it also keeps the deadline
//! of everything inside it, slow bodies included. Never looks further into a body than its envelope.

use crate::telegram::update::{Kind, envelope};
use crate::telemetry::metrics::{Outcome, Refusal};
use crate::webhook::delivery::{Addressed, Delivery, Reply};
use crate::webhook::response::{self, Body, Ended, later, refused};
use bytes::{Bytes, BytesMut};
use futures::future::BoxFuture;
use http::Response;
use http_body_util::BodyExt;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use tower::{Layer, Service};

/// Longest body that is read into memory, in bytes. Telegram drops an update over 524,288 bytes unseen (TQueue.cpp,
/// `MAX_EVENT_LENGTH`), so none of its own is ever refused.
pub const BODY_MAX_BYTES: usize = 1 << 20;
/// How much of a longer body is read and thrown away before 413, in bytes: whoever still writes does not see the answer.
pub const DISCARD_MAX_BYTES: usize = 8 << 20;

/// Reads bodies.
#[derive(Clone, Copy, Debug)]
pub struct ReadBody {
    /// For all of it, from the first byte of the body on.
    pub deadline: Duration,
    /// What a 503 past it says.
    pub retry_after: Duration,
}

/// See [`ReadBody`].
#[derive(Clone, Debug)]
pub struct WithBody<S> {
    inner: S,
    read: ReadBody,
}

impl<S> Layer<S> for ReadBody {
    type Service = WithBody<S>;

    fn layer(&self, inner: S) -> WithBody<S> {
        WithBody { inner, read: *self }
    }
}

impl<S, B> Service<Addressed<B>> for WithBody<S>
where
    S: Service<Delivery, Response = Reply, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, addressed: Addressed<B>) -> Self::Future {
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let ReadBody { deadline, retry_after } = self.read;
        Box::pin(async move {
            let deadline = Instant::now() + deadline;
            let Addressed { bot, permits, request } = addressed;
            let failed = |kind| {
                let ended = Ended { bot: Some(Arc::clone(&bot)), kind, outcome: Outcome::Failed };
                Ok(later(ended, retry_after))
            };
            let body = match timeout_at(deadline, read(request.into_body())).await {
                Ok(Read::Whole(body)) => body,
                Ok(Read::TooLarge) => return Ok(refused(Refusal::Size, Some(bot))),
                Ok(Read::Broken) | Err(_) => return failed(Kind::Other),
            };
            let envelope = envelope(&body);
            let kind = envelope.map_or(Kind::Unreadable, |envelope| envelope.kind);
            let update = envelope.map(|envelope| envelope.update);
            let delivery = Delivery { bot: Arc::clone(&bot), update, kind, body, deadline, permits };
            match timeout_at(deadline, inner.call(delivery)).await {
                Ok(Ok(reply)) => Ok(response::reply(&reply, bot, kind)),
                Err(_) => failed(kind),
            }
        })
    }
}

enum Read {
    Whole(Bytes),
    TooLarge,
    /// The client hung up half-way; nobody sees the answer.
    Broken,
}

async fn read<B: http_body::Body<Data = Bytes>>(body: B) -> Read {
    let mut body = pin!(body);
    let too_large = |bytes: usize| bytes > BODY_MAX_BYTES;
    let mut seen = 0;
    // An update nearly always comes in one piece, which is then not copied.
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Read::Broken };
        let Ok(piece) = frame.into_data() else { continue };
        seen += piece.len();
        if seen > DISCARD_MAX_BYTES {
            return Read::TooLarge;
        }
        if too_large(seen) {
            (first, rest) = (Bytes::new(), BytesMut::new());
        } else if seen == piece.len() {
            first = piece;
        } else {
            if rest.is_empty() {
                rest.extend_from_slice(&first);
            }
            rest.extend_from_slice(&piece);
        }
    }
    match seen {
        _ if too_large(seen) => Read::TooLarge,
        _ if rest.is_empty() => Read::Whole(first),
        _ => Read::Whole(rest.freeze()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telegram::answer::Answer;
    use crate::webhook::layers::testing::addressed;
    use futures::stream;
    use http::StatusCode;
    use http::header::{CONTENT_TYPE, RETRY_AFTER};
    use http_body::Frame;
    use http_body_util::{Full, StreamBody};
    use std::io;
    use tower::{ServiceExt, service_fn};

    const READ: ReadBody = ReadBody { deadline: Duration::from_secs(5), retry_after: Duration::from_secs(2) };

    fn pieces(pieces: Vec<Bytes>) -> impl http_body::Body<Data = Bytes, Error = io::Error> + Send + 'static {
        StreamBody::new(stream::iter(pieces.into_iter().map(|piece| Ok(Frame::data(piece)))))
    }

    async fn whole(sent: Vec<Bytes>) -> Option<Bytes> {
        match read(pieces(sent)).await {
            Read::Whole(body) => Some(body),
            Read::TooLarge => None,
            Read::Broken => panic!("not broken"),
        }
    }

    #[tokio::test]
    async fn pieces_are_put_together_and_one_piece_is_not_copied() {
        let one = Bytes::from_static(b"{\"update_id\":1}");
        assert_eq!(whole(vec![one.clone()]).await.unwrap().as_ptr(), one.as_ptr());
        assert_eq!(whole(vec![]).await.unwrap(), "");
        assert_eq!(whole(vec!["".into(), "ab".into(), "".into(), "c".into(), "d".into()]).await.unwrap(), "abcd");
    }

    #[tokio::test]
    async fn a_mebibyte_is_read_and_a_byte_more_is_not() {
        let half = Bytes::from(vec![b' '; BODY_MAX_BYTES / 2]);
        assert_eq!(whole(vec![half.clone(), half.clone()]).await.unwrap().len(), BODY_MAX_BYTES);
        assert!(whole(vec![half.clone(), half.clone(), "x".into()]).await.is_none());
        assert!(whole(vec![half; 40]).await.is_none());
    }

    #[tokio::test]
    async fn a_reply_becomes_json_or_nothing_at_all() {
        let answering = |body: &'static str| {
            let inner = service_fn(move |_: Delivery| async move {
                Ok(Reply::Answered { answer: Answer::from_body(body), outcome: Outcome::Applied })
            });
            READ.layer(inner).oneshot(addressed(Full::from("{}")))
        };

        let inline = answering(r#"{"method":"sendMessage"}"#).await.unwrap();
        assert_eq!(inline.status(), StatusCode::OK);
        assert_eq!(inline.headers()[CONTENT_TYPE], "application/json");
        assert_eq!(inline.into_body().collect().await.unwrap().to_bytes(), r#"{"method":"sendMessage"}"#);

        let empty = answering("").await.unwrap();
        assert_eq!(empty.status(), StatusCode::OK);
        assert!(empty.headers().is_empty());
        assert!(empty.into_body().collect().await.unwrap().to_bytes().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_end_is_503_at_the_deadline() {
        let endless = StreamBody::new(stream::pending::<Result<Frame<Bytes>, io::Error>>());
        let inner = service_fn(async |_: Delivery| -> Result<Reply, Infallible> { panic!("never called") });
        let began = Instant::now();

        let response = READ.layer(inner).oneshot(addressed(endless)).await.unwrap();

        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[RETRY_AFTER], "2");
        assert_eq!(began.elapsed(), READ.deadline);
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_of_the_body_counts_for_the_deadline_of_the_rest() {
        let slow = StreamBody::new(Box::pin(stream::once(async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            Ok::<_, io::Error>(Frame::data(Bytes::from_static(b"{}")))
        })));
        let began = Instant::now();
        let inner = service_fn(move |delivery: Delivery| async move {
            assert_eq!(delivery.deadline, began + READ.deadline);
            std::future::pending::<Result<Reply, Infallible>>().await
        });

        let response = READ.layer(inner).oneshot(addressed(slow)).await.unwrap();

        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(began.elapsed(), READ.deadline);
    }

    #[tokio::test]
    async fn what_is_no_update_goes_inwards_without_an_id() {
        let inner = service_fn(async |delivery: Delivery| {
            assert_eq!((delivery.update, delivery.kind), (None, Kind::Unreadable));
            Ok(Reply::Answered { answer: Answer::EMPTY, outcome: Outcome::Dead })
        });

        let response = READ.layer(inner).oneshot(addressed(Full::from("\u{FFFD} no json"))).await.unwrap();

        assert_eq!(response.status(), StatusCode::OK);
    }
}

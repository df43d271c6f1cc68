//! 401 for whoever does not know the bot's secret: forgers cost a hash comparison.
//! Never says, in answer, log or time, whether the bot or the secret was wrong, nor how.

use crate::clock;
use crate::roster::{Roster, accepts};
use crate::telegram::id::BotId;
use crate::telemetry::metrics::Refusal;
use crate::webhook::delivery::{Addressed, Client, Route};
use crate::webhook::layers::{Gated, pass, refuse};
use crate::webhook::response::{Body, refused};
use http::{HeaderName, Request, Response};
use std::convert::Infallible;
use std::task::{Context, Poll};
use tower::{Layer, Service};
use tower_http::sensitive_headers::{SetSensitiveRequestHeaders, SetSensitiveRequestHeadersLayer};

/// Where Telegram puts the secret (Bot API, setWebhook).
pub const SECRET_HEADER: HeaderName = HeaderName::from_static("x-telegram-bot-api-secret-token");

/// Lets only those through who know the secret of the bot they name.
#[derive(Clone, Debug)]
pub struct Secrets {
    /// The bots with their secrets.
    pub roster: Roster,
}

/// See [`Secrets`].
#[derive(Clone, Debug)]
pub struct WithSecret<S> {
    inner: S,
    roster: Roster,
}

impl<S> Layer<S> for Secrets {
    type Service = SetSensitiveRequestHeaders<WithSecret<S>>;

    /// Whoever prints a request from here on prints no secret: the header is marked as sensitive.
    fn layer(&self, inner: S) -> Self::Service {
        let inner = WithSecret { inner, roster: self.roster.clone() };
        SetSensitiveRequestHeadersLayer::new([SECRET_HEADER]).layer(inner)
    }
}

impl<S, B> Service<Request<B>> for WithSecret<S>
where
    S: Service<Addressed<B>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Gated<Response<Body>, S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let named = match request.extensions().get() {
            Some(Route::Webhook(named)) => *named,
            Some(Route::Other) | None => None,
        };
        let known = named.and_then(|id| self.roster.get(id));
        let offered = request.headers().get(SECRET_HEADER).map(|value| value.as_bytes());
        let accepted = accepts(known.as_deref(), offered, clock::now());
        match known {
            Some(bot) if accepted => pass(self.inner.call(Addressed { bot, permits: Vec::with_capacity(2), request })),
            known => {
                log_refusal(named, request.extensions().get());
                refuse(refused(Refusal::Secret, known))
            }
        }
    }
}

/// Not limited in number: whoever comes this far comes from Telegram's subnets.
fn log_refusal(named: Option<BotId>, client: Option<&Client>) {
    let client = client.map_or_else(|| "an unknown address".to_owned(), |Client(address)| address.to_string());
    match named {
        Some(BotId(id)) => {
            tracing::warn!(bot.id = id, client, "secret did not match bot {id}'s, offered from {client}")
        }
        // What stands in the path is no bot's id.
        None => tracing::warn!(client, "the secret matched no bot of ours, offered from {client}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::LogFormat;
    use crate::telemetry::log::tests::logged;
    use crate::webhook::layers::testing::known;
    use bytes::Bytes;
    use http::HeaderValue;
    use http_body_util::Empty;
    use tower::{ServiceExt, service_fn};

    #[tokio::test]
    async fn a_request_can_be_printed_without_its_secret() {
        let roster = Roster::of(vec![known().bot.clone()]);
        let inner = service_fn(async |Addressed { request, .. }: Addressed<Empty<Bytes>>| {
            assert_eq!(request.headers()[SECRET_HEADER], "secret");
            let printed = format!("{request:?}");
            assert!(printed.contains(SECRET_HEADER.as_str()) && !printed.contains("\"secret\""), "{printed}");
            Ok(Response::new(Body::default()))
        });
        let mut request = Request::new(Empty::new());
        request.headers_mut().insert(SECRET_HEADER, HeaderValue::from_static("secret"));
        request.extensions_mut().insert(Route::Webhook(Some(BotId(1))));
        let answer = Secrets { roster }.layer(inner).oneshot(request).await.unwrap();
        assert_eq!(answer.status(), 200);
    }

    #[test]
    fn a_refusal_is_logged_with_the_bot_it_was_for_if_it_named_one() {
        let client = Client("203.0.113.9".parse().unwrap());
        let line = |named| logged("info", LogFormat::Text, || log_refusal(named, Some(&client)));
        let named = line(Some(BotId(7)));
        assert!(named.contains("secret did not match bot 7's, offered from 203.0.113.9"), "{named}");
        let unnamed = line(None);
        assert!(unnamed.contains("the secret matched no bot of ours, offered from 203.0.113.9"), "{unnamed}");
    }
}

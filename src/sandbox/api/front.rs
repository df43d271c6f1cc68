//! The Bot API's HTTP: `/bot<token>/<method>`, parameters from the query and from the body.
//! Source: tdlib/telegram-bot-api `HttpConnection.cpp`, `ClientManager.cpp` (`send`); tdlib/td `HttpReader.h`.

use super::outcome::{Answer, Failure};
use super::{Api, Origin, Reply};
use crate::sandbox::parameters::{self, Parameters};
use crate::shutdown::Tasks;
use crate::telegram::id::BotId;
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::io;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// Largest request: an upload, and something for what is around it.
const BODY_MAX_BYTES: usize = 51 * 1024 * 1024;
/// Longest head of a request.
const HEAD_MAX_BYTES: usize = 256 * 1024;
/// For how long a connection is kept without a request.
const IDLE: Duration = Duration::from_secs(500);
/// Longest token that is looked at.
const TOKEN_MAX_BYTES: usize = 80;
/// How long to wait where no connection can be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

pub(super) fn serve(api: Api, listener: TcpListener, tasks: &Tasks) {
    let group = tasks.clone();
    tasks.spawn(async move {
        loop {
            tokio::select! {
                () = group.stopping() => return,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        group.spawn(connection(api.clone(), stream, group.clone()));
                    }
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
            }
        }
    });
}

async fn connection(api: Api, stream: TcpStream, tasks: Tasks) {
    let _ = stream.set_nodelay(true);
    let group = tasks.clone();
    let service = service_fn(move |request| {
        let (api, tasks) = (api.clone(), group.clone());
        async move { respond(api, request, &tasks).await }
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE)
            .max_buf_size(HEAD_MAX_BYTES)
            .title_case_headers(true)
            .serve_connection(TokioIo::new(stream), service)
    );
    // How a connection ends is the client's affair.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = tasks.stopping() => {}
    }
}

/// An error closes the connection without an answer.
async fn respond(api: Api, request: Request<Incoming>, tasks: &Tasks) -> io::Result<Response<Full<Bytes>>> {
    let (bot, method) = match route(&api, request.method(), request.uri().path()) {
        Ok(found) => found,
        Err(failure) => return Ok(response(failure.answer())),
    };
    let parameters = match read(request).await {
        Ok(parameters) => parameters,
        Err(failure) => return Ok(response(failure.answer())),
    };
    // A task of its own: the method runs to its end, whether or not the client waits for it.
    let running = tasks.spawn(async move { api.run(bot, &method, parameters, Origin::Request).await });
    match running.await.map_err(io::Error::other)? {
        Reply::Sent(answer) => Ok(response(answer)),
        Reply::Cut(_) => Err(io::ErrorKind::ConnectionAborted.into()),
    }
}

/// Which bot and which method `path` names.
fn route(api: &Api, method: &Method, path: &str) -> Result<(BotId, String), Failure> {
    if !matches!(*method, Method::GET | Method::POST) {
        return Err(Failure::verbatim(405, "Method Not Allowed: closing connection"));
    }
    let not_found = || Failure::verbatim(404, "Not Found");
    let (token, method) = path.strip_prefix("/bot").and_then(|rest| rest.split_once('/')).ok_or_else(not_found)?;
    // Tokens in URLs are percent-encoded by some clients.
    let token = token.replace("%3A", ":").replace("%3a", ":");
    let malformed = || Failure::verbatim(401, "Unauthorized: invalid token specified");
    let (id, rest) = token.split_once(':').ok_or_else(malformed)?;
    let digits = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) && !id.starts_with('0');
    if !digits || rest.is_empty() || token.len() > TOKEN_MAX_BYTES {
        return Err(malformed());
    }
    let id = id.parse().map(BotId).map_err(|_| malformed())?;
    let known = api.bot(id).is_some_and(|bot| bot.token.expose() == token);
    // The test environment has no bots.
    let method = method.strip_prefix("test/").map_or(Some(method), |_| None);
    match method {
        Some(method) if known => Ok((id, method.trim_end_matches('/').to_owned())),
        _ => Err(Failure::unauthorized()),
    }
}

async fn read(request: Request<Incoming>) -> Result<Parameters, Failure> {
    let (head, body) = request.into_parts();
    let mut all = parameters::read_query(head.uri.query().unwrap_or_default().as_bytes());
    let too_large = |_| Failure::verbatim(413, "Request Entity Too Large");
    let body = Limited::new(body, BODY_MAX_BYTES).collect().await.map_err(too_large)?.to_bytes();
    let content_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let of_body = parameters::read(content_type, &body)
        .map_err(|unreadable| Failure::verbatim(unreadable.status, unreadable.description))?;
    all.values.extend(of_body.values);
    all.files.extend(of_body.files);
    Ok(all)
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    let Answer { status, body, retry_after } = answer;
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("keep-alive"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(seconds) = retry_after {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

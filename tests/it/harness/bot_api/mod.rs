//! The Bot API as the server sees it: an HTTP server that records every call and does what it says.
//! It runs on a thread of its own, so a test that blocks does not stop it. It never calls anybody.

mod call;
mod chats;
mod reply;

pub use call::Call;
pub use chats::Message;
pub use reply::{Hand, Reply};

use super::patience;
use bytes::Bytes;
use chats::Chats;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

type Rule = Box<dyn FnMut(&Call) -> Option<Reply> + Send>;

/// A Bot API server on a free port. Ended with this value.
pub struct BotApi {
    address: SocketAddr,
    world: Arc<World>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct World {
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    calls: Vec<Call>,
    chats: Chats,
    rules: Vec<Rule>,
    connections: usize,
}

impl BotApi {
    /// Starts one.
    pub fn start() -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let world = Arc::<World>::default();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn({
            let world = Arc::clone(&world);
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    tokio::select! {
                        () = accept(listener, world) => {}
                        _ = stopped => {}
                    }
                });
            }
        });
        Self { address, world, stop: Some(stop), thread: Some(thread) }
    }

    /// Where it is: a `TAPGATE_TELEGRAM_API_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All calls so far, in the order in which they were complete.
    pub fn calls(&self) -> Vec<Call> {
        self.world.state.lock().unwrap().calls.clone()
    }

    /// The calls of one method so far.
    pub fn calls_of(&self, method: &str) -> Vec<Call> {
        self.calls().into_iter().filter(|call| call.method.eq_ignore_ascii_case(method)).collect()
    }

    /// How many TCP connections were opened so far.
    pub fn connections(&self) -> usize {
        self.world.state.lock().unwrap().connections
    }

    /// The messages that a user sees in a chat, oldest first.
    pub fn messages(&self, chat: i64) -> Vec<Message> {
        self.world.state.lock().unwrap().chats.messages(chat)
    }

    /// Waits until `method` was called `count` times and gives these calls.
    pub async fn wait_for(&self, count: usize, method: &str) -> Vec<Call> {
        self.wait_until(&format!("{count} calls of {method}"), |api| {
            let calls = api.calls_of(method);
            (calls.len() >= count).then_some(calls)
        })
        .await
    }

    /// Waits until a message of the chat contains `text` and gives the newest such message.
    pub async fn wait_for_text(&self, chat: i64, text: &str) -> Message {
        self.wait_until(&format!("chat {chat} sees {text:?}"), |api| {
            api.messages(chat).into_iter().rev().find(|message| message.text.contains(text))
        })
        .await
    }

    /// Waits until `condition` has an answer; it is asked again after every call.
    pub async fn wait_until<T>(&self, what: &str, mut condition: impl FnMut(&Self) -> Option<T>) -> T {
        let mut changes = self.world.changed.subscribe();
        let end = Instant::now() + patience::LIMIT;
        loop {
            changes.mark_unchanged();
            if let Some(answer) = condition(self) {
                return answer;
            }
            if tokio::time::timeout_at(end, changes.changed()).await.is_err() {
                panic!("waited in vain for {what}; the calls were {:#?}", self.calls());
            }
        }
    }

    /// The next call of `method` is answered so.
    pub fn answer_next(&self, method: &str, reply: Reply) {
        let (method, mut reply) = (method.to_ascii_lowercase(), Some(reply));
        self.answer_when(move |call| if call.method.eq_ignore_ascii_case(&method) { reply.take() } else { None });
    }

    /// Calls are answered by the first rule that has an answer, the oldest rule first; else they are done.
    pub fn answer_when(&self, rule: impl FnMut(&Call) -> Option<Reply> + Send + 'static) {
        self.world.state.lock().unwrap().rules.push(Box::new(rule));
    }

    /// Forgets all rules: from now on every call is done.
    pub fn answer_as_usual(&self) {
        self.world.state.lock().unwrap().rules.clear();
    }
}

impl Drop for BotApi {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept(listener: std::net::TcpListener, world: Arc<World>) {
    let listener = TcpListener::from_std(listener).unwrap();
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        let connection = {
            let mut state = world.state.lock().unwrap();
            state.connections += 1;
            state.connections
        };
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            let service = service_fn(|request| answer(request, connection, Arc::clone(&world)));
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// A cut connection is an error, upon which hyper closes it without a word.
async fn answer(
    request: Request<Incoming>,
    connection: usize,
    world: Arc<World>,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes();
    let content_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let Some((bot, method)) = call::route(head.uri.path()) else {
        return Ok(response(404, &json!({"ok": false, "error_code": 404, "description": "Not Found"})));
    };
    let params = call::params(head.uri.query(), content_type, &body);
    let call = Call { bot, method, params, at: Instant::now(), connection };
    let ruled = {
        let mut state = world.state.lock().unwrap();
        state.calls.push(call.clone());
        state.rules.iter_mut().find_map(|rule| rule(&call))
    };
    world.changed.send_replace(());
    let reply = ruled.unwrap_or_else(Reply::done);
    reply.wait().await;
    let (status, body) = match reply.body {
        Some(body) => (reply.status, body),
        None => world.state.lock().unwrap().chats.apply(&call),
    };
    world.changed.send_replace(());
    if reply.cut { Err(std::io::ErrorKind::ConnectionReset.into()) } else { Ok(response(status, &body)) }
}

fn response(status: u16, body: &Value) -> Response<Full<Bytes>> {
    let mut builder = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
    if let Value::Number(seconds) = &body["parameters"]["retry_after"] {
        builder = builder.header(RETRY_AFTER, seconds.to_string());
    }
    builder.body(Full::new(Bytes::from(body.to_string()))).unwrap()
}

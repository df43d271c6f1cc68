//! What the page is told without asking, as server-sent events: everything once, then each change.
//! Changes are gathered for a moment, so that a burst is one event and not a thousand.

use super::super::wire::Row;
use super::Page;
use super::rows::drawn;
use super::trouble::{armed, standing_delay};
use crate::shutdown::Tasks;
use crate::telegram::id::ChatId;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::Stream;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// How long changes are gathered.
const GATHERED: Duration = Duration::from_millis(50);
/// How many rows of the wire one event has; of a burst the last ones.
const ROWS_MAX: usize = 200;
/// How many events wait for a slow reader before what is newer waits to be gathered.
const WAITING_MAX: usize = 16;

/// The reader is gone.
struct Gone;

pub(super) async fn stream(
    State(page): State<Page>,
    tasks: Tasks,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (told, events) = mpsc::channel(WAITING_MAX);
    let group = tasks.clone();
    tasks.spawn(async move {
        tokio::select! {
            () = group.stopping() => {}
            Err(Gone) = Telling { page, told, chats: BTreeMap::new(), people: String::new() }.tell() => {}
        }
    });
    let events = futures::stream::unfold(events, async |mut events: mpsc::Receiver<Event>| {
        events.recv().await.map(|event| (Ok(event), events))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// One reader, and what it knows.
struct Telling {
    page: Page,
    told: mpsc::Sender<Event>,
    /// The version of each chat.
    chats: BTreeMap<ChatId, u64>,
    people: String,
}

impl Telling {
    async fn tell(mut self) -> Result<Infallible, Gone> {
        let inner = Arc::clone(&self.page.0);
        let (mut world, mut rows, mut measured) = (inner.world.changed(), inner.wire.watch(), inner.measured.watch());
        let (mut faults, mut flows) = (inner.faults.changed(), inner.flows.clone());
        let (mut connections, mut traffic) = (inner.hook.max_connections(), inner.traffic.wanted());
        self.begin().await?;
        loop {
            let mut new_rows: BTreeMap<u64, Arc<Row>> = BTreeMap::new();
            let mut note = |row: Arc<Row>| {
                new_rows.insert(row.id.0, row);
            };
            tokio::select! {
                biased;
                Ok(()) = measured.changed() => {
                    let sample = *measured.borrow_and_update();
                    self.say("measure", &sample).await?;
                }
                Ok(()) = world.changed() => {}
                Ok(()) = faults.changed() => {}
                Ok(()) = flows.changed() => {
                    let report = flows.borrow_and_update().clone();
                    self.say("flow", &report).await?;
                }
                Ok(()) = connections.changed() => {}
                Ok(()) = traffic.changed() => {}
                row = rows.recv() => if let Ok(row) = row { note(row) },
                () = self.told.closed() => return Err(Gone),
            }
            sleep(GATHERED).await;
            world.mark_unchanged();
            faults.mark_unchanged();
            connections.mark_unchanged();
            traffic.mark_unchanged();
            loop {
                match rows.try_recv() {
                    Ok(row) => note(row),
                    Err(tokio::sync::broadcast::error::TryRecvError::Lagged(_)) => {}
                    Err(_) => break,
                }
            }
            self.people().await?;
            self.chats().await?;
            self.rows(new_rows.values()).await?;
            self.knobs().await?;
        }
    }

    async fn begin(&mut self) -> Result<(), Gone> {
        let inner = Arc::clone(&self.page.0);
        let address = |address| format!("http://{address}");
        let me = inner.world.bot();
        self.say(
            "hello",
            &json!({
                "bot": { "id": me.id, "name": inner.bot_name, "title": me.first_name, "username": me.username },
                "version": env!("CARGO_PKG_VERSION"),
                "webhook": inner.hook.url(),
                "api": address(inner.addresses.api),
                "metrics": format!("{}/metrics", address(inner.addresses.ops)),
                "ready": format!("{}/health/ready", address(inner.addresses.ops)),
                "database": inner.database,
                "seed": inner.seed.to_string(),
                "flow": { "name": inner.flow, "folder": inner.flows_dir },
            }),
        )
        .await?;
        self.people().await?;
        self.chats().await?;
        let rows = inner.wire.rows();
        self.rows(rows.iter()).await?;
        self.say("history", &inner.measured.history()).await?;
        let report = inner.flows.borrow().clone();
        self.say("flow", &report).await?;
        self.knobs().await
    }

    async fn people(&mut self) -> Result<(), Gone> {
        let people = json!(self.page.people()).to_string();
        if people == self.people {
            return Ok(());
        }
        self.send(Event::default().event("people").data(&people)).await?;
        self.people = people;
        Ok(())
    }

    async fn chats(&mut self) -> Result<(), Gone> {
        for user in self.page.people() {
            let Some(chat) = self.page.0.world.chat(user.id) else { continue };
            if self.chats.insert(user.id, chat.version) != Some(chat.version) {
                self.say("chat", &chat).await?;
            }
        }
        Ok(())
    }

    async fn rows(&self, rows: impl ExactSizeIterator<Item = &Arc<Row>>) -> Result<(), Gone> {
        if rows.len() == 0 {
            return Ok(());
        }
        let skipped = rows.len().saturating_sub(ROWS_MAX);
        let crowd = |chat| self.page.is_traffic(chat);
        let rows: Vec<_> = rows.skip(skipped).map(|row| drawn(row, crowd)).collect();
        self.say("wire", &rows).await
    }

    /// What can be turned and armed.
    async fn knobs(&self) -> Result<(), Gone> {
        let inner = &self.page.0;
        let connections = json!({
            "max_connections": *inner.hook.max_connections().borrow(),
            "delay_milliseconds": standing_delay(&inner.faults).as_millis() as u64,
            "traffic": *inner.traffic.wanted().borrow(),
        });
        self.say("connections", &connections).await?;
        self.say("faults", &armed(&inner.faults)).await
    }

    async fn say(&self, name: &'static str, what: &impl Serialize) -> Result<(), Gone> {
        let data = serde_json::to_string(what).unwrap_or_default();
        self.send(Event::default().event(name).data(data)).await
    }

    async fn send(&self, event: Event) -> Result<(), Gone> {
        self.told.send(event).await.map_err(|_| Gone)
    }
}

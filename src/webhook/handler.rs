//! The innermost part of the stack: parse, load, decide, commit, answer. One load, one decision, one commit, re-decided
//! when the commit was stale. Only after `Applied` may an answer or a job leave. Never calls the Bot API.

use super::delivery::{Delivery, Reply};
use super::failure::Failed;
use crate::clock::{self, Timestamp};
use crate::flow::books::Books;
use crate::flow::decision::{Change, Decision, Note};
use crate::flow::event::{Event, Happened, Reading, read};
use crate::lanes::Bells;
use crate::library::Library;
use crate::shutdown::Tasks;
use crate::storage::{Commit, Error, Gathered, Key, Lane, NewJob, Outcome as Committed, Storage};
use crate::telegram::answer::Answer;
use crate::telegram::id::{BotId, UpdateId};
use crate::telegram::method::{AnswerCallbackQuery, Inline};
use crate::telegram::update::{DeliveryQueue, parse};
use crate::telemetry::metrics::{self, Outcome, Stage};
use crate::telemetry::rarely::Rarely;
use futures::future::BoxFuture;
use std::borrow::Cow;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;
use tower::Service;
use tracing::{error, info, warn};

/// How often an update is decided anew because its chat changed meanwhile.
const DECISIONS_MAX: usize = 5;
/// How often an outage of the store is logged: it meets every update.
const OUTAGE_LOG_PERIOD: Duration = Duration::from_secs(60);

/// Handles one delivery after the other, each in a task of its own: a client that hangs up cancels nothing.
#[derive(Clone, Debug)]
pub struct Handler(pub(super) Arc<Shared>);

#[derive(Debug)]
pub(super) struct Shared {
    /// Chats, gathered.
    chats: Gathered,
    /// Dead letters, which are rare.
    pub(super) storage: Storage,
    library: Arc<Library>,
    tasks: Tasks,
    /// Rung when a commit queued something that this process may do.
    bells: Bells,
    retry_after: Duration,
    /// When to say again that the store does not answer.
    pub(super) outages: Rarely,
}

/// What an update came to.
type Handled = Result<Reply, Failed>;

impl Handler {
    /// A handler whose work runs in `tasks`, and which rings the bells of what its commits queue.
    pub fn new(
        chats: Gathered,
        storage: Storage,
        library: Arc<Library>,
        tasks: Tasks,
        bells: Bells,
        retry_after: Duration,
    ) -> Self {
        let outages = Rarely::every(OUTAGE_LOG_PERIOD);
        Self(Arc::new(Shared { chats, storage, library, tasks, bells, retry_after, outages }))
    }
}

impl Service<Delivery> for Handler {
    type Response = Reply;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Reply, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, delivery: Delivery) -> Self::Future {
        let (handler, waiting) = (self.clone(), self.clone());
        let work = self.0.tasks.spawn(async move { handler.handle(&delivery).await });
        Box::pin(async move {
            // Who waits here keeps the deadline; the work goes on. `handle` turns panics into replies.
            Ok(work.await.unwrap_or_else(|_| waiting.later(Outcome::Failed)))
        })
    }
}

impl Handler {
    async fn handle(&self, delivery: &Delivery) -> Reply {
        fail::fail_point!("after_claim");
        let handled = AssertUnwindSafe(self.read(delivery));
        let handled = match futures::FutureExt::catch_unwind(handled).await {
            Ok(handled) => handled,
            // Not in `decide`, so a fault of ours around it: nobody knows here whose update it is.
            Err(_) => Err(Failed::Poison { reason: "panic", answer: Answer::EMPTY }),
        };
        match handled {
            Ok(reply) => reply,
            Err(failed) => self.give_up(delivery, failed).await,
        }
    }

    async fn read(&self, delivery: &Delivery) -> Handled {
        let update = parse(&delivery.body).map_err(|unreadable| Failed::Unreadable { reason: unreadable.name() })?;
        let id = update.id;
        if let Some(date) = update.date() {
            metrics::delivery_lag(clock::now().since(Timestamp::from_unix_seconds(date)));
        }
        match read(update, delivery.bot.bot.username.as_deref()) {
            Reading::Event(queue, event) => self.apply(delivery, id, queue, &event).await,
            Reading::ForeignPress { query } => {
                metrics::note("not_private");
                info!(update.id = %id, bot = %delivery.bot.bot.name, "update {id} is a press outside private chats");
                let empty = AnswerCallbackQuery { callback_query_id: query, ..AnswerCallbackQuery::default() };
                Ok(unchanged(Answer::inline(&Inline::AnswerCallbackQuery(empty))))
            }
            Reading::NotPrivate => {
                metrics::note("not_private");
                info!(update.id = %id, bot = %delivery.bot.bot.name, "update {id} is not from a private chat");
                Ok(unchanged(Answer::EMPTY))
            }
            Reading::Nothing => Ok(unchanged(Answer::EMPTY)),
        }
    }

    async fn apply(&self, delivery: &Delivery, id: UpdateId, queue: DeliveryQueue, event: &Event<'_>) -> Handled {
        let bot = &delivery.bot.bot;
        let Some(flow) = self.0.library.dialogue(&bot.flow) else {
            error!(bot = %bot.name, flow = %bot.flow, "the flow of bot {} is not there: add it or choose another", bot.name);
            return Err(Failed::Contended);
        };
        let key = Key { bot: bot.id, chat: event.chat };
        for _ in 0..DECISIONS_MAX {
            let started = Instant::now();
            let stored =
                self.0.chats.load(key, delivery.deadline).await.map_err(|error| Failed::of(error, &*flow, event))?;
            metrics::stage(Stage::Load, started.elapsed());
            let (chat, fence) = stored.map(|stored| (stored.chat, stored.fence)).unwrap_or_default();
            if let Some(answer) = fence.recall(id) {
                return Ok(self.repeated(id, answer));
            }

            let event = &self.with_payment(bot.id, event).await.map_err(|error| Failed::of(error, &*flow, event))?;
            // A process that was frozen must not act on what it knew.
            if Instant::now() >= delivery.deadline {
                break;
            }
            let started = Instant::now();
            let now = clock::now();
            let decided = catch_unwind(AssertUnwindSafe(|| {
                fail::fail_point!("decide");
                let decision = flow.decide(&chat, event, now).recorded(&chat, event);
                let next = |change: &Change| change.chat.version == chat.version.next();
                assert!(decision.change.as_ref().is_none_or(next), "a dialogue's change is the next version");
                decision
            }));
            let Ok(Decision { change, answer, note }) = decided else {
                return Err(Failed::poison("panic", &*flow, event));
            };
            metrics::stage(Stage::Decide, started.elapsed());
            let Some(change) = change else {
                note.inspect(|note| record(*note, id, &bot.name));
                return Ok(unchanged(answer));
            };

            fail::fail_point!("before_commit");
            let started = Instant::now();
            let commit = Commit::of(key, chat.balance, change, fence.with(id, queue, &answer), Some(id), now);
            let queued: Vec<Lane> = commit.jobs.iter().map(NewJob::lane).collect();
            let payment = payment_result(&commit.books);
            let committed = self.0.chats.commit(commit, delivery.deadline).await;
            metrics::stage(Stage::Commit, started.elapsed());
            match committed {
                Ok(Committed::Applied) => {
                    metrics::commit("applied");
                    fail::fail_point!("after_commit");
                    note.inspect(|note| record(*note, id, &bot.name));
                    payment.inspect(|result| metrics::payment(result));
                    queued.into_iter().for_each(|lane| self.0.bells.ring(lane));
                    return Ok(Reply::Answered { answer, outcome: Outcome::Applied });
                }
                Ok(Committed::Duplicate { answer }) => {
                    metrics::commit("duplicate");
                    return Ok(self.repeated(id, answer));
                }
                Ok(Committed::Stale) => metrics::commit("stale"),
                Ok(Committed::Busy) => break,
                // It may have been applied all the same: the fence will tell.
                Err(Error::Unavailable(source)) => {
                    metrics::commit("failed");
                    warn!(update.id = %id, error = &*source as &dyn std::error::Error, "the outcome of a commit is unknown, the chat is read again");
                }
                Err(error) => {
                    metrics::commit("failed");
                    return Err(Failed::of(error, &*flow, event));
                }
            }
        }
        Err(Failed::Contended)
    }

    /// A refund with the payment that it is of, if that is known.
    async fn with_payment<'e>(&self, bot: BotId, event: &'e Event<'e>) -> Result<Cow<'e, Event<'e>>, Error> {
        let Happened::Refunded { charge, purchase, .. } = &event.happened else { return Ok(Cow::Borrowed(event)) };
        let payment = self.0.storage.payment(bot, charge).await?.map(|recorded| recorded.payment);
        let happened = Happened::Refunded { charge: charge.clone(), purchase: purchase.clone(), payment };
        Ok(Cow::Owned(Event { happened, ..event.clone() }))
    }

    fn repeated(&self, id: UpdateId, answer: Answer) -> Reply {
        info!(update.id = %id, "update {id} was applied before, its answer is given again");
        Reply::Answered { answer, outcome: Outcome::Replayed }
    }

    pub(super) fn later(&self, outcome: Outcome) -> Reply {
        Reply::Later { outcome, retry_after: self.0.retry_after }
    }
}

fn unchanged(answer: Answer) -> Reply {
    Reply::Answered { answer, outcome: Outcome::Unchanged }
}

/// What a commit says of a payment, if it does.
fn payment_result(books: &Books) -> Option<&'static str> {
    match (&books.payment, &books.refunded) {
        (Some(payment), _) if payment.refunded => Some("refunded"),
        (Some(payment), _) if payment.product.is_none() => Some("unassigned"),
        (Some(_), _) => Some("credited"),
        (None, Some(_)) => Some("refunded"),
        (None, None) => None,
    }
}

fn record(note: Note, id: UpdateId, bot: &str) {
    let (name, what) = match note {
        Note::UnknownCommand => ("unknown_command", "is a command that the flow does not have"),
        Note::OldButton => ("old_button", "is a press of a button that is no longer there"),
        Note::Suspended => ("suspended", "is from a suspended user"),
        Note::Unassigned => ("payment_unassigned", "is a payment for something that the flow does not sell for that"),
        Note::UnknownRefund => ("refund_unknown", "is a refund of a payment that is not known"),
    };
    metrics::note(name);
    match note {
        Note::Unassigned | Note::UnknownRefund => {
            error!(update.id = %id, bot, "update {id} {what}: see `botctl payments list`");
        }
        Note::UnknownCommand | Note::OldButton | Note::Suspended => info!(update.id = %id, bot, "update {id} {what}"),
    }
}

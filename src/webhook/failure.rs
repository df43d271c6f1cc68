//! What an update comes to that was not handled: sent again, or given up as a dead letter. The one place where a
//! failure becomes a reply. Never says anything of what is in the update.

use super::delivery::{Delivery, Reply};
use super::handler::Handler;
use crate::clock;
use crate::flow::Dialogue;
use crate::flow::event::Event;
use crate::storage::{Error, Failure};
use crate::telegram::answer::Answer;
use crate::telegram::method::{Inline, ParseMode, SendMessage};
use crate::telemetry::metrics::{self, Outcome};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tracing::{error, warn};

/// How many failures make an update a dead letter.
const FAILURES_MAX: u32 = 3;

/// Why an update could not be handled.
#[derive(Debug)]
pub(super) enum Failed {
    /// Not the update's fault: 503, Telegram sends it again.
    Infrastructure(Error),
    /// Its chat changed under each decision, or its row stayed locked until the deadline: 503.
    Contended,
    /// The same would happen again: counted, and at the third time a dead letter, answered with this.
    Poison {
        /// Its label.
        reason: &'static str,
        /// What its user is told.
        answer: Answer,
    },
    /// No update at all: a dead letter at once.
    Unreadable {
        /// Its label.
        reason: &'static str,
    },
}

impl Failed {
    /// What an error of the store means for the update that met it.
    pub(super) fn of(error: Error, flow: &dyn Dialogue, event: &Event<'_>) -> Self {
        match error {
            Error::Data(_) => Self::poison("data", flow, event),
            Error::Corrupt { .. } => Self::poison("corrupt", flow, event),
            Error::Unavailable(_) | Error::Late | Error::Full | Error::Schema { .. } | Error::Setting(_) => {
                Self::Infrastructure(error)
            }
        }
    }

    /// An update that would fail again, for `reason`.
    pub(super) fn poison(reason: &'static str, flow: &dyn Dialogue, event: &Event<'_>) -> Self {
        Self::Poison { reason, answer: apology(flow, event) }
    }
}

/// What the user of a dead update is told, without a look at the chat, which may be what is broken.
fn apology(flow: &dyn Dialogue, event: &Event<'_>) -> Answer {
    let text = catch_unwind(AssertUnwindSafe(|| flow.error_text(event.language.as_deref()))).unwrap_or_default();
    if text.is_empty() {
        return Answer::EMPTY;
    }
    Answer::inline(&Inline::SendMessage(SendMessage {
        chat_id: event.chat,
        text: text.into(),
        parse_mode: Some(ParseMode::Html),
        reply_markup: None,
    }))
}

impl Handler {
    pub(super) async fn give_up(&self, delivery: &Delivery, failed: Failed) -> Reply {
        let buried = match failed {
            Failed::Infrastructure(error) => {
                if let Some(silent) = self.0.outages.due() {
                    let error = &error as &dyn std::error::Error;
                    warn!(
                        error,
                        silent, "an update was not handled and will come again ({silent} more since the last line)"
                    );
                }
                return self.later(Outcome::Failed);
            }
            Failed::Contended => return self.later(Outcome::Failed),
            Failed::Unreadable { reason } => self.bury(delivery, reason).await.map(|()| Answer::EMPTY),
            Failed::Poison { reason, answer } => match self.0.storage.count_failure(&failure(delivery, reason)).await {
                Ok(failures) if failures < FAILURES_MAX => {
                    let (bot, update) = (&delivery.bot.bot.name, id(delivery));
                    error!(bot, update.id = update, reason, failures, "update {update} failed, it will come again");
                    return self.later(Outcome::Failed);
                }
                Ok(_) => self.bury(delivery, reason).await.map(|()| answer),
                Err(error) => Err(error),
            },
        };
        match buried {
            Ok(answer) => Reply::Answered { answer, outcome: Outcome::Dead },
            Err(error) => {
                warn!(error = &error as &dyn std::error::Error, "a dead update could not be kept and will come again");
                self.later(Outcome::Failed)
            }
        }
    }

    async fn bury(&self, delivery: &Delivery, reason: &'static str) -> Result<(), Error> {
        if self.0.storage.bury(&failure(delivery, reason)).await? {
            metrics::dead_update(reason);
            let (bot, update) = (&delivery.bot.bot.name, id(delivery));
            error!(bot, update.id = update, reason, "update {update} went to the dead letters, table dead_updates");
        }
        Ok(())
    }
}

fn failure(delivery: &Delivery, reason: &'static str) -> Failure {
    Failure {
        bot: delivery.bot.bot.id,
        update: delivery.update,
        reason,
        body: delivery.body.to_vec(),
        at: clock::now(),
    }
}

/// An update's id for the log; 0, which Telegram never gives, where it has none.
fn id(delivery: &Delivery) -> i64 {
    delivery.update.map_or(0, |update| update.0)
}

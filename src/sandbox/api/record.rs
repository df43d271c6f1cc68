//! A call's row on the wire. Secrets are taken out before it is written.

use super::outcome::Answer;
use super::{Origin, Setup};
use crate::clock::Timestamp;
use crate::sandbox::faults::ApiFault;
use crate::sandbox::parameters::Parameters;
use crate::sandbox::wire::{Call, Entry, Kept, RowId, Took};
use crate::telegram::id::ChatId;
use serde_json::{Map, Value};
use tokio::time::Instant;

/// A row that was begun.
pub(super) struct Record {
    row: RowId,
    began: Timestamp,
    began_really: Instant,
    notes: Vec<String>,
}

impl Record {
    pub(super) fn begin(
        setup: &Setup,
        method: &str,
        chat: Option<ChatId>,
        origin: Origin,
        parameters: &Parameters,
    ) -> Self {
        let inline = match origin {
            Origin::Request => None,
            Origin::Webhook(update) => Some(update),
        };
        let call = Call { method: method.to_owned(), chat, inline, status: None, note: None };
        let began = setup.clock.now();
        let row = setup.wire.begin(began, Entry::Call(call), Kept::of(shown(parameters).as_bytes()));
        Self { row, began, began_really: Instant::now(), notes: Vec::new() }
    }

    /// Notes that a fault struck.
    pub(super) fn note(&mut self, fault: ApiFault) {
        self.notes.push(match fault {
            ApiFault::Flood { .. } => "told to wait, on request".to_owned(),
            ApiFault::Slow(wait) => format!("slowed down by {} ms, on request", wait.as_millis()),
            ApiFault::Fail(status) => format!("failed with {status}, on request"),
            ApiFault::LoseAnswer => "the answer was lost, on request".to_owned(),
        });
    }

    pub(super) fn end(mut self, setup: &Setup, answer: &Answer, unknown: bool) {
        if unknown {
            self.notes.push("the sandbox does not know this method".to_owned());
        }
        let took = Took { simulated: setup.clock.now().since(self.began), real: self.began_really.elapsed() };
        let note = (!self.notes.is_empty()).then(|| self.notes.join("; "));
        setup.wire.change(self.row, |row| {
            row.took = Some(took);
            row.response = Kept::of(answer.body.as_bytes());
            if let Entry::Call(call) = &mut row.entry {
                call.status = Some(answer.status);
                call.note = note;
            }
        });
    }
}

/// The parameters as one JSON object.
fn shown(parameters: &Parameters) -> String {
    let mut object = Map::new();
    for (name, value) in &parameters.values {
        let value = if name == "secret_token" { "***" } else { value };
        object.entry(name.as_str()).or_insert_with(|| Value::from(value));
    }
    for file in &parameters.files {
        object.insert(file.field.clone(), Value::from(format!("({} bytes)", file.content.len())));
    }
    Value::Object(object).to_string()
}

//! What the sender writes on the wire's rows. Never what it does.

use super::flight::Flight;
use super::loaded::Outgoing;
use super::pool::Number;
use super::request::Request;
use super::response::Response;
use crate::clock::Timestamp;
use crate::sandbox::faults::DeliveryFault;
use crate::sandbox::wire::{Delivery, Edition, Entry, Kept, Row, RowId, Took, Verdict, Wire};

/// A request goes out.
pub(super) fn begin(
    wire: &Wire,
    outgoing: &Outgoing,
    edition: Edition,
    connection: Number,
    faults: &[DeliveryFault],
    request: &Request,
    now: Timestamp,
) -> RowId {
    let delivery = Delivery {
        update: outgoing.update.id,
        kind: outgoing.update.kind,
        queue: outgoing.queue,
        attempt: outgoing.attempt,
        edition,
        connection: connection.0,
        status: None,
        verdict: Verdict::InFlight,
        inline: None,
        faults: faults.to_vec(),
    };
    wire.begin(now, Entry::Delivery(delivery), Kept::of(&request.shown))
}

/// It was answered.
pub(super) fn answered(wire: &Wire, flight: &Flight, response: &Response, bytes: &[u8], called: Option<&str>) {
    change(wire, flight, |row, delivery| {
        delivery.status = Some(response.status);
        delivery.inline = called.map(str::to_owned);
        *row.response = Kept { total_bytes: response.length, ..Kept::of(bytes) };
    });
}

/// Its connection ended, perhaps in the middle of a response.
pub(super) fn broken(wire: &Wire, flight: &Flight, bytes: &[u8]) {
    change(wire, flight, |row, _| *row.response = Kept::of(bytes));
}

/// What became of it is known.
pub(super) fn settle(wire: &Wire, flight: &Flight, now: Timestamp, verdict: Verdict) {
    change(wire, flight, |row, delivery| {
        delivery.verdict = verdict;
        *row.took = Some(Took { simulated: now.since(flight.since), real: flight.since_real.elapsed() });
    });
}

/// What of a row is known only at its end, beside the entry.
struct Rest<'a> {
    took: &'a mut Option<Took>,
    response: &'a mut Kept,
}

fn change(wire: &Wire, flight: &Flight, change: impl FnOnce(Rest<'_>, &mut Delivery)) {
    wire.change(flight.row, |Row { entry, took, response, .. }| {
        if let Entry::Delivery(delivery) = entry {
            change(Rest { took, response }, delivery);
        }
    });
}

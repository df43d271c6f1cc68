//! The connections to a webhook: which are open, which are idle and since when, and what each carries.
//! Never when to open one: that is the growth's.

use super::connection::{Connection, Event, Then};
use super::flight::Flight;
use super::request::Request;
use super::target::Target;
use crate::clock::Timestamp;
use crate::sandbox::wire::Edition;
use crate::shutdown::Tasks;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// A connection is closed this long after its last response (tdlib/td `HttpConnectionBase.cpp`).
const IDLE_LIMIT: Duration = Duration::from_secs(60);

/// A connection's number: they count up from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Number(pub(super) u64);

/// What a connection tells, and which.
#[derive(Debug)]
pub(super) struct Told {
    /// Which connection.
    pub(super) from: Number,
    /// What.
    pub(super) event: Event,
}

/// The connections to a webhook.
#[derive(Debug)]
pub(super) struct Pool {
    target: Arc<Target>,
    tasks: Tasks,
    tell: mpsc::UnboundedSender<Told>,
    open: HashMap<Number, Held>,
    /// Idle since longest first: the order in which they are used.
    idle: VecDeque<Number>,
    so_far: u64,
}

#[derive(Debug)]
struct Held {
    connection: Connection,
    state: State,
}

#[derive(Debug)]
enum State {
    Idle(Timestamp),
    Busy(Box<Flight>),
}

impl Pool {
    /// None yet, to `target`; what happens on them arrives at the receiver.
    pub(super) fn new(target: Arc<Target>, tasks: Tasks) -> (Self, mpsc::UnboundedReceiver<Told>) {
        let (tell, told) = mpsc::unbounded_channel();
        (Self { target, tasks, tell, open: HashMap::new(), idle: VecDeque::new(), so_far: 0 }, told)
    }

    /// How many are open or being opened. What a fault opened is not counted.
    pub(super) fn len(&self) -> usize {
        self.open.len() - self.flights().filter(|flight| flight.edition == Edition::Twin).count()
    }

    /// How many requests are in flight.
    pub(super) fn in_flight(&self) -> usize {
        self.flights().count()
    }

    /// Whether one could be used now.
    pub(super) fn has_idle(&self) -> bool {
        !self.idle.is_empty()
    }

    /// Opens one more. It can be used at once: a request waits for its connection.
    pub(super) fn open(&mut self, now: Timestamp) {
        let number = self.connect(State::Idle(now));
        self.idle.push_back(number);
    }

    /// The connection that has been idle longest.
    pub(super) fn next_idle(&self) -> Option<Number> {
        self.idle.front().copied()
    }

    /// Sends `request` on the idle connection `number`.
    pub(super) fn send(&mut self, number: Number, request: &Request, flight: Flight, then: Then) {
        self.idle.retain(|idle| *idle != number);
        if let Some(held) = self.open.get_mut(&number) {
            held.connection.send(request, then);
            held.state = State::Busy(Box::new(flight));
        }
    }

    /// Sends `request` on a connection of its own, which `flight` is made for.
    pub(super) fn send_apart(&mut self, request: &Request, flight: impl FnOnce(Number) -> Flight) {
        let flight = flight(Number(self.so_far + 1));
        let number = self.connect(State::Busy(Box::new(flight)));
        if let Some(held) = self.open.get(&number) {
            held.connection.send(request, Then::Read);
        }
    }

    /// What is in flight on `number`.
    pub(super) fn flight(&mut self, number: Number) -> Option<&mut Flight> {
        match &mut self.open.get_mut(&number)?.state {
            State::Busy(flight) => Some(flight),
            State::Idle(_) => None,
        }
    }

    /// Takes the answered flight off `number`, which is idle from now on.
    pub(super) fn land(&mut self, number: Number, now: Timestamp) -> Option<Flight> {
        let held = self.open.get_mut(&number)?;
        match std::mem::replace(&mut held.state, State::Idle(now)) {
            State::Busy(flight) => {
                self.idle.push_back(number);
                Some(*flight)
            }
            State::Idle(since) => {
                held.state = State::Idle(since);
                None
            }
        }
    }

    /// Closes `number`; what was in flight on it, if anything was.
    pub(super) fn close(&mut self, number: Number) -> Option<Flight> {
        self.idle.retain(|idle| *idle != number);
        match self.open.remove(&number)?.state {
            State::Busy(flight) => Some(*flight),
            State::Idle(_) => None,
        }
    }

    /// Closes every connection; what was in flight on them, oldest first.
    pub(super) fn close_all(&mut self) -> Vec<Flight> {
        self.idle.clear();
        let mut flights: Vec<_> = self
            .open
            .drain()
            .filter_map(|(_, held)| match held.state {
                State::Busy(flight) => Some(*flight),
                State::Idle(_) => None,
            })
            .collect();
        flights.sort_by_key(|flight| flight.row);
        flights
    }

    /// Closes what has been idle too long.
    pub(super) fn close_idle(&mut self, now: Timestamp) {
        while let Some(number) = self.idle.front().copied().filter(|number| self.idle_until(*number) <= Some(now)) {
            self.close(number);
        }
    }

    /// The connections whose flight has something due, oldest first.
    pub(super) fn due(&self, now: Timestamp) -> Vec<Number> {
        let due = |held: &Held| matches!(&held.state, State::Busy(flight) if flight.due() <= now);
        let mut numbers: Vec<_> = self.open.iter().filter(|(_, held)| due(held)).map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// When something will be due on one of them.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let idle = self.idle.front().and_then(|number| self.idle_until(*number));
        self.flights().map(Flight::due).chain(idle).min()
    }

    /// Whether the request on `number` was written to its end.
    pub(super) fn is_flushed(&self, number: Number) -> bool {
        self.open.get(&number).is_some_and(|held| held.connection.is_flushed())
    }

    fn idle_until(&self, number: Number) -> Option<Timestamp> {
        match self.open.get(&number)?.state {
            State::Idle(since) => Some(since.plus(IDLE_LIMIT)),
            State::Busy(_) => None,
        }
    }

    fn flights(&self) -> impl Iterator<Item = &Flight> {
        self.open.values().filter_map(|held| match &held.state {
            State::Busy(flight) => Some(&**flight),
            State::Idle(_) => None,
        })
    }

    fn connect(&mut self, state: State) -> Number {
        self.so_far += 1;
        let number = Number(self.so_far);
        let tell = self.tell.clone();
        let connection = Connection::open(Arc::clone(&self.target), &self.tasks, move |event| {
            // Nobody listens any more once the sender has ended.
            let _ = tell.send(Told { from: number, event });
        });
        self.open.insert(number, Held { connection, state });
        number
    }
}

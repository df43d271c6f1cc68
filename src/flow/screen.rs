//! Pure: no I/O, no clock. How one moves between screens, and the way back.

use super::chat::{Arguments, Frame, View};
use super::definition::Flow;
use super::output::Face;

/// The argument of a screen that waits for a worker: the key of its job, or [`CALL_FAILED`].
pub const CALL: &str = "call";

/// What stands in [`CALL`] after the worker failed. A key has a dot in it.
pub const CALL_FAILED: &str = "failed";

/// The argument of a screen that a worker made: its [`Face`], JSON.
pub const SHOW: &str = "show";

impl Frame {
    /// What a worker made of it.
    pub fn face(&self) -> Option<Face> {
        self.arguments.get(SHOW).and_then(|json| serde_json::from_str(json).ok())
    }

    /// How its call stands, as texts see it: `waiting`, `failed`, or nothing.
    pub(super) fn call_stands(&self) -> &str {
        match self.arguments.get(CALL).map(String::as_str) {
            None => "",
            Some(CALL_FAILED) => CALL_FAILED,
            Some(_) => "waiting",
        }
    }

    /// It waits for the job of that key.
    pub(super) fn wait_for(&mut self, key: String) {
        self.arguments.remove(SHOW);
        self.arguments.insert(CALL.to_owned(), key);
    }

    /// Whether it waits for the job of that key.
    pub(super) fn waits_for(&self, key: &str) -> bool {
        self.arguments.get(CALL).is_some_and(|waited| waited == key)
    }

    /// It waits no longer: a worker made this of it, or failed.
    pub(super) fn shows(&mut self, face: Option<&Face>) {
        match face.and_then(|face| serde_json::to_string(face).ok()) {
            Some(json) => {
                self.arguments.remove(CALL);
                self.arguments.insert(SHOW.to_owned(), json);
            }
            None => {
                self.arguments.insert(CALL.to_owned(), CALL_FAILED.to_owned());
            }
        }
    }
}

/// Most screens that `back` remembers; the oldest is forgotten first.
pub const STACK_MAX: usize = 16;

impl View {
    /// The start screen, from which there is no way back.
    pub fn start(flow: &Flow) -> Self {
        Self { top: frame(flow.start()), stack: Vec::new() }
    }

    /// `screen` as one knows it who only sees it: with the start screen behind it.
    pub fn alone(flow: &Flow, screen: &str) -> Self {
        Self::start(flow).go(flow, screen)
    }

    /// Goes to `screen`: on top of this one, or back to it where it lies in the stack.
    /// The start screen has nothing below it.
    #[must_use]
    pub fn go(mut self, flow: &Flow, screen: &str) -> Self {
        if screen == flow.start() {
            return Self::start(flow);
        }
        if screen == self.top.screen {
            return self;
        }
        if let Some(place) = self.stack.iter().position(|frame| frame.screen == screen) {
            self.stack.truncate(place.saturating_add(1));
            self.top = self.stack.pop().unwrap_or_else(|| frame(screen));
            return self;
        }
        self.stack.push(std::mem::replace(&mut self.top, frame(screen)));
        let surplus = self.stack.len().saturating_sub(STACK_MAX);
        self.stack.drain(..surplus);
        self
    }

    /// Goes back to the nearest screen that the flow still has; without one, to the start screen.
    #[must_use]
    pub fn back(mut self, flow: &Flow) -> Self {
        while let Some(top) = self.stack.pop() {
            if top.screen == flow.start() {
                return Self { top, stack: Vec::new() };
            }
            if flow.screen(&top.screen).is_some() {
                return Self { top, stack: self.stack };
            }
        }
        Self::start(flow)
    }
}

fn frame(screen: &str) -> Frame {
    Frame { screen: screen.to_owned(), arguments: Arguments::new() }
}

//! Pure: no I/O, no clock. How one moves between screens, and the way back.

use super::chat::{Arguments, Frame, Generation, View};
use super::definition::Flow;
use super::output::{FACE_MAX_BYTES, Face};

/// The argument of a screen that waits for a worker: the key of its job, or [`CALL_FAILED`].
pub const CALL: &str = "call";

/// What stands in [`CALL`] after the worker failed. A key has a dot in it.
pub const CALL_FAILED: &str = "failed";

/// The argument of a screen that a worker made: its [`Face`], JSON.
pub const SHOW: &str = "show";

/// Most bytes of what workers made in one view, since a chat's row is to stay small: of the screens on the way back the
/// farthest lose theirs first, and are as after a failed call.
pub const FACES_MAX_BYTES: usize = 2 * FACE_MAX_BYTES;

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
        self.waited_for() == Some(key)
    }

    /// It waits no longer: a worker made this of it, or failed.
    pub(super) fn shows(&mut self, face: Option<&Face>) {
        match face.and_then(Face::json) {
            Some(json) => {
                self.arguments.remove(CALL);
                self.arguments.insert(SHOW.to_owned(), json);
            }
            None => {
                self.arguments.remove(SHOW);
                self.arguments.insert(CALL.to_owned(), CALL_FAILED.to_owned());
            }
        }
    }

    /// The key of the job that it waits for.
    fn waited_for(&self) -> Option<&str> {
        self.arguments.get(CALL).map(String::as_str).filter(|key| *key != CALL_FAILED)
    }

    fn face_bytes(&self) -> usize {
        self.arguments.get(SHOW).map_or(0, String::len)
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
        self.lighten();
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

impl View {
    /// Where one is at the end of `generation`: whoever waits for it goes to `then`, and no way leads back to where it was
    /// waited for.
    #[must_use]
    pub(super) fn released(mut self, flow: &Flow, generation: &Generation, then: &str) -> Self {
        let busy = &flow.interrupts().generation_busy;
        let waits = |frame: &Frame| frame.screen == generation.screen || frame.screen == *busy;
        let is_over = |frame: &Frame| waits(frame) && frame.screen != then;
        self.stack.retain(|frame| !is_over(frame));
        if !waits(&self.top) {
            return self;
        }
        let view = if is_over(&self.top) { self.back(flow) } else { self };
        if flow.screen(then).is_some() { view.go(flow, then) } else { Self::start(flow) }
    }

    /// One comes back to this view, and `left` is what was desired meanwhile: what this one waited for and that one does
    /// not, nobody will tell it any more.
    pub(super) fn resume(&mut self, left: Option<&Self>) {
        for frame in self.frames_mut() {
            let told = |key: &str| left.is_some_and(|left| left.frames().any(|frame| frame.waits_for(key)));
            if frame.waited_for().is_some_and(|key| !told(key)) {
                frame.shows(None);
            }
        }
    }

    /// The screen that waits for the job of that key, if one of these does, shows what a worker made of it.
    pub(super) fn called(&mut self, key: &str, face: Option<&Face>) {
        self.frames_mut().filter(|frame| frame.waits_for(key)).for_each(|frame| frame.shows(face));
        self.lighten();
    }

    fn lighten(&mut self) {
        let mut room = FACES_MAX_BYTES.saturating_sub(self.top.face_bytes());
        for frame in self.stack.iter_mut().rev() {
            match room.checked_sub(frame.face_bytes()) {
                Some(left) => room = left,
                None => frame.shows(None),
            }
        }
    }

    fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.stack.iter().chain(std::iter::once(&self.top))
    }

    fn frames_mut(&mut self) -> impl Iterator<Item = &mut Frame> {
        self.stack.iter_mut().chain(std::iter::once(&mut self.top))
    }
}

fn frame(screen: &str) -> Frame {
    Frame { screen: screen.to_owned(), arguments: Arguments::new() }
}

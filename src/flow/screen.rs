//! Pure: no I/O, no clock. How one moves between screens, and the way back.

use super::chat::{Arguments, Frame, View};
use super::definition::Flow;

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

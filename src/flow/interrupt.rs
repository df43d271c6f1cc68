//! Pure: no I/O, no clock. The reasons to show another screen than the one that was asked for.

use super::definition::Flow;

/// Why a step cannot be taken. Inside the core, `?` on it is how depth says "show another screen".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// The balance is too low.
    InsufficientMessages,
    /// A variable that has to be chosen first is not.
    NotSelected,
    /// The chat waits for a generation.
    GenerationBusy,
}

impl Interrupt {
    /// Its screen: the one place where an interrupt becomes one.
    pub fn screen(self, flow: &Flow) -> &str {
        let screens = flow.interrupts();
        match self {
            Self::InsufficientMessages => &screens.insufficient_messages,
            Self::NotSelected => &screens.not_selected,
            Self::GenerationBusy => &screens.generation_busy,
        }
    }
}

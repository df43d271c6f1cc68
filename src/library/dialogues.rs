//! Dialogues written in Rust, which are part of the program.

use crate::flow::Dialogue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Dialogues by the name under which a bot has them as its flow.
#[derive(Clone, Debug, Default)]
pub struct Dialogues(BTreeMap<String, Arc<dyn Dialogue>>);

impl Dialogues {
    /// The same with `dialogue` as `name`.
    #[must_use]
    pub fn and(mut self, name: &str, dialogue: impl Dialogue) -> Self {
        self.0.insert(name.to_owned(), Arc::new(dialogue));
        self
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<dyn Dialogue>> {
        self.0.get(name).cloned()
    }

    /// Their names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.keys().map(String::as_str)
    }
}

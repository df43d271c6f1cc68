//! The flows by name: those in the binary, and those of the flows folder, which win.

use crate::flow::Flow;
use crate::problem::Problems;
use std::path::Path;
use std::sync::Arc;

/// The flows of a process.
#[derive(Debug)]
pub struct Library {}

impl Library {
    /// Reads the embedded flows and those below `folder`.
    ///
    /// # Errors
    /// Everything that is wrong with any of them.
    pub fn open(folder: Option<&Path>) -> Result<Self, Problems> {
        let _ = folder;
        todo!()
    }

    /// The flow of that name.
    pub fn get(&self, name: &str) -> Option<Arc<Flow>> {
        let _ = name;
        todo!()
    }

    /// The names of all flows, in order.
    pub fn names(&self) -> Vec<String> {
        todo!()
    }
}

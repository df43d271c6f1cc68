//! Pure: no I/O, no clock. What a worker is asked for: the payload of a job in a lane.

use super::chat::Arguments;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a worker is asked for, as it was when it was asked: what the chat changes later does not change it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// What is to be made.
    #[serde(flatten)]
    pub wanted: Wanted,
    /// What the flow says beside.
    #[serde(default, skip_serializing_if = "Arguments::is_empty")]
    pub arguments: Arguments,
    /// What the user wrote, if a text asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The chat's variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vars: BTreeMap<String, String>,
    /// The locale that the user is spoken to in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
}

/// What is to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Wanted {
    /// Something for the user, for which they wait and may have paid: the chat is busy with it until the job ends.
    Generation {
        /// The screen that follows the result, if the user still waits for it then.
        then: String,
    },
    /// What a screen shows.
    Call {
        /// What the worker is to do, in the flow's words.
        name: String,
        /// The screen, whose argument [`CALL`](super::screen::CALL) is the key of this job as long as it waits.
        screen: String,
    },
}

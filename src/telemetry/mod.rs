//! What people see of a running process: log lines and metrics. Never a user's text, a name, a secret or a token.

pub mod degradation;
pub mod log;
pub mod metrics;
pub mod panics;
pub mod rarely;

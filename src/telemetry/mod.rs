//! What people see of a running process: log lines and metrics. Never a user's text, a name, a secret or a token.

pub mod log;
pub mod metrics;

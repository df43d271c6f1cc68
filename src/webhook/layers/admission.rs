//! The gates.

/// A place in a gate, given back when dropped.
#[derive(Debug)]
pub struct Permit;

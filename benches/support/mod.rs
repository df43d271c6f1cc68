//! What the benchmarks share: updates to handle, and stores of their own that are gone afterwards.
//! Never measures anything.
#![allow(dead_code, unreachable_pub, reason = "each benchmark is a crate of its own and uses a part of it")]

pub mod bot;
pub mod callers;
pub mod load;
pub mod processes;
pub mod stores;
pub mod updates;
pub mod webhook;

/// Why a benchmark could not be run.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What the environment says; none where it says nothing.
#[expect(clippy::disallowed_methods, reason = "a benchmark is told by the environment where the stores are")]
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A line of the benchmark's output.
#[expect(clippy::disallowed_macros, reason = "a benchmark prints what it finds")]
pub fn say(line: &str) {
    println!("{line}");
}

//! A worker that is written in Rust: it says a text back to front, letter by letter.
//!
//! ```sh
//! TAPGATE_WORKER_TOKEN=… cargo run --example worker -- http://127.0.0.1:9180
//! ```
//!
//! The server takes it with the same token in its TAPGATE_WORKER_TOKEN. `tests/it/lanes/example.rs` runs it.

use std::error::Error;
use tapgate::Worker;
use tapgate::secret::Secret;
use tapgate::worker::{Completion, Failure, Job, Progress, Runner};

#[allow(dead_code, reason = "the test of this example has a `main` of its own")]
#[allow(clippy::disallowed_methods, reason = "this is a program, and the environment is its own")]
#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = std::env::args().nth(1).ok_or("say where the server's ops listener is: http://127.0.0.1:9180")?;
    let token = std::env::var("TAPGATE_WORKER_TOKEN").map_err(|_| "TAPGATE_WORKER_TOKEN is not set")?;
    let runner = Runner::new(&server.parse()?, Secret::new(token))?.lanes(["text"]).at_once(8).named("backwards");
    runner.run(Backwards, async { tokio::signal::ctrl_c().await.unwrap_or_default() }).await?;
    Ok(())
}

/// Says what was said, back to front.
pub(crate) struct Backwards;

impl Worker for Backwards {
    async fn work(&self, job: Job, progress: Progress) -> Result<Completion, Failure> {
        let Some(text) = job.text else {
            return Err(Failure::for_good("there is no text to say back to front"));
        };
        let mut said = String::with_capacity(text.len());
        for letter in text.chars().rev() {
            said.push(letter);
            // The user sees it grow; as often as Telegram allows, which is less often than this.
            progress.text(&*said);
        }
        Ok(Completion::text(said))
    }
}

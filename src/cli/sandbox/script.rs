//! `botctl sandbox --script FILE`: the transcript on stdout, and exit code 1 where something is not as expected.

use crate::cli::{Failure, output};
use crate::problem::Problems;
use crate::sandbox::Sandbox;
use crate::sandbox::options::{DemoWorker, Options};
use crate::sandbox::script::{BEGINNING, Script, run};
use anyhow::Context as _;
use std::io::Read;
use std::path::Path;

/// Reads the script `file`; `-` is stdin.
pub(super) fn read(file: &Path) -> Result<Script, Failure> {
    let unreadable = || format!("the script {} cannot be read", file.display());
    let (origin, text) = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).with_context(unreadable)?;
        ("stdin".to_owned(), text)
    } else {
        (file.display().to_string(), std::fs::read_to_string(file).with_context(unreadable)?)
    };
    Ok(Script::parse(&origin, &text)?)
}

/// Runs `script` in a sandbox of its own, which ends with it.
pub(super) async fn play(script: &Script, options: Options) -> Result<(), Failure> {
    // A script waits for nobody.
    let demo = if options.demo == DemoWorker::Absent { DemoWorker::Absent } else { DemoWorker::FAST };
    let sandbox = Sandbox::start(Options { from: Some(BEGINNING), users: Vec::new(), demo, ..options }).await?;
    let mut written = Ok(());
    let mut tell = |text: &str| {
        if written.is_ok() {
            written = output::text(text);
        }
    };
    let passed = run(script, &sandbox, &mut tell).await;
    sandbox.stop().await;
    written?;
    match passed {
        Ok(passed) => output::line(&format!("\n{passed}")),
        Err(problem) => Err(Problems(vec![problem]).into()),
    }
}

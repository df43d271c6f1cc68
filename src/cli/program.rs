//! The process around the commands: `botctl` itself, or a program of one's own with dialogues written in Rust.
//! Nothing else touches its environment.

use super::{Failure, Paint, Stream, run};
use crate::flow::Dialogue;
use crate::library::Dialogues;
use std::ffi::OsString;
use std::process::ExitCode;

/// `botctl`, perhaps with dialogues of its own.
///
/// ```no_run
/// # use tapgate::flow::Dialogue;
/// # fn program(counter: impl Dialogue) -> std::process::ExitCode {
/// tapgate::cli::Program::new().dialogue("counter", counter).main()
/// # }
/// ```
///
/// Such a program has every command of `botctl`: `bot add --flow counter`, then `serve`.
#[derive(Debug, Default)]
pub struct Program {
    dialogues: Dialogues,
}

impl Program {
    /// `botctl` as it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more flow, `name`, which is written in Rust.
    #[must_use]
    pub fn dialogue(self, name: &str, dialogue: impl Dialogue) -> Self {
        Self { dialogues: self.dialogues.and(name, dialogue) }
    }

    /// All that the `main` of such a program does: what the process was told, and how it went.
    pub fn main(&self) -> ExitCode {
        // Refused only where a provider is installed already, which then serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        #[cfg(feature = "failpoints")]
        let _fail_points = set_fail_points();
        match self.run(std::env::args_os(), &environment) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                say(&failure);
                failure.code()
            }
        }
    }

    /// Runs one command. `arguments` begin with the program's name; `environment` looks a variable up.
    ///
    /// # Errors
    /// What went wrong, as the one line to be printed on stderr.
    pub fn run(
        &self,
        arguments: impl IntoIterator<Item = OsString>,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), Failure> {
        run(arguments, environment, &self.dialogues)
    }
}

/// Places at which a test stops the process: `FAILPOINTS=decide=panic`, `TAPGATE_ABORT_AT=after_commit`.
#[cfg(feature = "failpoints")]
fn set_fail_points() -> fail::FailScenario<'static> {
    let scenario = fail::FailScenario::setup();
    for point in environment("TAPGATE_ABORT_AT").iter().flat_map(|points| points.split(',')) {
        fail::cfg_callback(point, || std::process::abort()).expect("a fail point takes a callback");
    }
    scenario
}

#[expect(clippy::disallowed_methods, reason = "the one place that looks a variable up")]
fn environment(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

#[expect(clippy::disallowed_macros, reason = "the one error line")]
fn say(failure: &Failure) {
    let paint = Paint::on(Stream::of(&std::io::stderr()), &environment);
    eprintln!("{}", paint.failure(failure));
}

//! `botctl`: the process around the library. Nothing else touches its environment.

use std::process::ExitCode;
use tapgate::cli::{Paint, Stream};

fn main() -> ExitCode {
    // Refused only where a provider is installed already, which then serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    #[cfg(feature = "failpoints")]
    let _fail_points = set_fail_points();
    match tapgate::cli::run(std::env::args_os(), &environment) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say(&failure);
            failure.code()
        }
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
fn say(failure: &tapgate::cli::Failure) {
    let paint = Paint::on(Stream::of(&std::io::stderr()), &environment);
    eprintln!("{}", paint.failure(failure));
}

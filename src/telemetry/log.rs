//! Log lines: where they go, at which level, in which form. Never on stdout, which is for output.

use crate::config::{Log, LogFormat};
use crate::problem::nearest;
use std::io::IsTerminal;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{FilterExt, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{Layer, Registry, fmt};

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Libraries that write a line for each connection or request at info.
const NOISY: [&str; 8] = ["h2", "hyper", "hyper_util", "redis", "reqwest", "rustls", "sqlx", "tower_http"];

/// Why a filter is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{directive}` is neither a level nor TARGET=LEVEL")]
pub struct BadFilter {
    directive: String,
}

impl BadFilter {
    /// What would be accepted.
    pub fn help(&self) -> String {
        let level = self.directive.rsplit('=').next().unwrap_or_default().trim().to_lowercase();
        match nearest(&level, LEVELS) {
            Some(level) => format!("did you mean `{level}`?"),
            None => format!("{}, or such as info,tapgate::outbox=debug", LEVELS.join(", ")),
        }
    }
}

/// Reads `TAPGATE_LOG`: levels and `TARGET=LEVEL`, separated by commas.
///
/// # Errors
/// If a word is neither; `tracing` itself would take any word for a target, so that a typo would silence the log.
pub fn parse_filter(text: &str) -> Result<Targets, BadFilter> {
    let mut filter = Targets::new().with_default(LevelFilter::OFF);
    for directive in text.split(',').map(str::trim).filter(|directive| !directive.is_empty()) {
        let bad = || BadFilter { directive: directive.to_owned() };
        let level = |word: &str| -> Result<LevelFilter, BadFilter> {
            let word = word.trim().to_lowercase();
            LEVELS.contains(&word.as_str()).then(|| word.parse().ok()).flatten().ok_or_else(bad)
        };
        filter = match directive.split_once('=') {
            Some((target, _)) if target.trim().is_empty() => return Err(bad()),
            Some((target, word)) => filter.with_target(target.trim(), level(word)?),
            None => filter.with_default(level(directive)?),
        };
    }
    Ok(filter)
}

/// What no filter can open. Below info the libraries write for their own authors: URLs, which hold the token of a bot,
/// statements with their parameters, header values. So only our own lines can be had at debug and trace.
fn cap() -> Targets {
    NOISY
        .into_iter()
        .fold(Targets::new().with_default(LevelFilter::INFO), |cap, target| cap.with_target(target, LevelFilter::WARN))
        .with_target("tapgate", LevelFilter::TRACE)
}

/// The subscriber for `log`, writing to `writer`.
///
/// # Errors
/// If its filter is not one.
pub fn subscriber<W>(
    log: &Log,
    writer: W,
    colours: Colours,
) -> Result<impl Subscriber + Send + Sync + use<W>, BadFilter>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = fmt::layer().with_writer(writer);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match log.format {
        LogFormat::Text => lines.with_ansi(colours == Colours::On).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    Ok(tracing_subscriber::registry().with(lines.with_filter(parse_filter(&log.filter)?.and(cap()))))
}

/// Whether lines for people have colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// A terminal shows them.
    On,
    /// A file or pipe would hold their codes.
    Off,
}

/// Why logging could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The filter is not one.
    #[error("the log filter cannot be read")]
    Filter(#[from] BadFilter),
    /// The process logs already.
    #[error("the log is set up already")]
    Twice(#[from] TryInitError),
}

/// Sends the process's log lines to stderr.
///
/// # Errors
/// If the filter is not one, or something else in the process logs already.
pub fn init(log: &Log) -> Result<(), Error> {
    let colours = if std::io::stderr().is_terminal() { Colours::On } else { Colours::Off };
    subscriber(log, std::io::stderr, colours)?.try_init()?;
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// What `write` logs, as it is written to stderr.
    pub(crate) fn logged(filter: &str, format: LogFormat, write: impl FnOnce()) -> String {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = Log { filter: filter.to_owned(), format };
        let subscriber = subscriber(&log, move || writer.clone(), Colours::Off).unwrap();
        tracing::subscriber::with_default(subscriber, write);
        let bytes = lines.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn libraries_stay_silent_below_info_even_where_they_are_asked_by_name() {
        let text = logged("trace,hyper_util::client=trace,sqlx=trace,other=debug", LogFormat::Text, || {
            tracing::trace!(target: "hyper_util::client", "http://api/bot1:SECRET/getMe");
            tracing::debug!(target: "sqlx::query", "SELECT 'SECRET'");
            tracing::info!(target: "sqlx::postgres::notice", "noise");
            tracing::debug!(target: "other", "SECRET");
            tracing::trace!(target: "tapgate::outbox", "ours");
            tracing::info!(target: "other", "theirs");
        });
        assert!(!text.contains("SECRET") && !text.contains("noise"), "{text}");
        assert!(text.contains("ours") && text.contains("theirs"), "{text}");
    }

    #[test]
    fn a_level_alone_sets_all_of_ours() {
        let text = logged("WARN", LogFormat::Text, || {
            tracing::info!(target: "tapgate", "below");
            tracing::warn!(target: "tapgate", "above");
        });
        assert!(!text.contains("below") && text.contains("above") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn json_lines_are_json() {
        let text = logged("info", LogFormat::Json, || tracing::info!(target: "tapgate", bot = "main", "ready"));
        let line: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
        assert_eq!((line["message"].as_str(), line["bot"].as_str()), (Some("ready"), Some("main")));
    }

    #[test]
    fn a_typo_is_an_error_and_not_a_target() {
        for text in ["verbose", "info,tapgate=loud", "=debug", "debugg", "tapgate"] {
            assert!(parse_filter(text).is_err(), "{text}");
        }
        assert_eq!(parse_filter("debugg").unwrap_err().help(), "did you mean `debug`?");
        for text in ["off", "Info", "info, tapgate::outbox=debug", "tapgate=trace"] {
            assert!(parse_filter(text).is_ok(), "{text}");
        }
    }
}

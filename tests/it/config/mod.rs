//! Settings: where they come from, what is refused, what people are shown.

mod manual;
mod precedence;
mod problems;
mod secrets;
mod workers;

use tapgate::config::{self, Config, File, Flag, Sources};
use tapgate::problem::Problems;

/// What a process would be told.
#[derive(Default)]
struct Told {
    file: Option<&'static str>,
    environment: Vec<(&'static str, &'static str)>,
    flags: Vec<(&'static str, &'static str, &'static str)>,
}

impl Told {
    fn file(text: &'static str) -> Self {
        Self { file: Some(text), ..Self::default() }
    }

    fn environment<const N: usize>(pairs: [(&'static str, &'static str); N]) -> Self {
        Self { environment: pairs.to_vec(), ..Self::default() }
    }

    fn with<T>(&self, then: impl FnOnce(&Sources<'_>) -> T) -> T {
        let look_up = |name: &str| {
            self.environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        then(&Sources {
            file: self.file.map(|text| File { path: "my.toml".to_owned(), text: text.to_owned() }),
            environment: &look_up,
            flags: self.flags.iter().map(|(key, name, value)| Flag { key, name, value: (*value).to_owned() }).collect(),
        })
    }

    fn load(&self) -> Result<Config, Problems> {
        self.with(config::load)
    }

    /// Each problem as its line.
    fn problems(&self) -> Vec<String> {
        match self.load() {
            Ok(_) => Vec::new(),
            Err(Problems(problems)) => problems.iter().map(ToString::to_string).collect(),
        }
    }
}

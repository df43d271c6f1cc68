//! Pure: no I/O, no clock. Who may take work from the lanes: `[workers.NAME]`, and `TAPGATE_WORKER_TOKEN`.

use super::Worker;
use super::key;
use super::origin::Origin;
use super::raw::{Setting, Settings};
use super::value::{self, Complaint};
use crate::problem::{Problem, Problems};
use crate::secret::Secret;
use crate::storage::Lane;
use std::collections::{BTreeMap, BTreeSet};

/// Longest name of a worker, which is a label of metrics.
const NAME_MAX_CHARS: usize = 32;

/// What is said of one worker.
#[derive(Default)]
struct Said<'a> {
    token: Option<&'a Setting>,
    lanes: Option<&'a Setting>,
}

/// All workers of which nothing is wrong; what is wrong is among the problems.
pub(super) fn all(settings: &Settings, problems: &mut Problems) -> Vec<Worker> {
    let mut said: BTreeMap<&str, Said<'_>> = BTreeMap::new();
    for (path, setting) in settings {
        match key::of_worker(path) {
            Some((name, key::WORKER_TOKEN)) => said.entry(name).or_default().token = Some(setting),
            Some((name, _)) => said.entry(name).or_default().lanes = Some(setting),
            None => {}
        }
    }
    let mut workers: Vec<Worker> = Vec::new();
    for (name, Said { token, lanes }) in said {
        let mut complain = |origin: &Origin, path: &str, Complaint { message, help }: Complaint| {
            let problem = origin.problem(format!("{path}: {message}"));
            problems.push(Problem { help, ..problem });
        };
        let Some(origin) = token.or(lanes).map(|setting| &setting.origin) else { continue };
        if !is_name(name) {
            let help = format!("small letters, digits, - and _, at most {NAME_MAX_CHARS}");
            let message = "no name for a worker".to_owned();
            complain(origin, &format!("workers.{name}"), Complaint { message, help: Some(help) });
            continue;
        }
        let path = format!("workers.{name}.token");
        let token = match token {
            Some(setting) => read_token(setting, &workers).map_err(|it| complain(&setting.origin, &path, it)),
            None => {
                let help = "without one nobody is this worker".to_owned();
                complain(origin, &path, Complaint { message: "missing".to_owned(), help: Some(help) });
                Err(())
            }
        };
        let path = format!("workers.{name}.lanes");
        let lanes = match lanes {
            Some(setting) => value::list(&setting.value)
                .and_then(|lanes| value::lanes(&lanes))
                .map_err(|it| complain(&setting.origin, &path, it)),
            None => Ok(BTreeSet::from(Lane::OF_WORKERS)),
        };
        if let (Ok(token), Ok(lanes)) = (token, lanes) {
            workers.push(Worker { name: name.to_owned(), token, lanes });
        }
    }
    workers
}

fn read_token(setting: &Setting, others: &[Worker]) -> Result<Secret, Complaint> {
    let token = value::bearer_token(value::text(&setting.value)?)?;
    match others.iter().find(|other| other.token == token) {
        Some(Worker { name, .. }) => Err(Complaint {
            message: format!("it is that of worker {name}, too"),
            help: Some("give each a token of its own: by it they are told apart".to_owned()),
        }),
        None => Ok(token),
    }
}

fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_".contains(letter);
    !name.is_empty() && name.len() <= NAME_MAX_CHARS && name.chars().all(fits)
}

//! Which services this run has. A test that needs a missing one is skipped by name, and `tests/run.sh` fails on any skip.
//! Never starts a service.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// The URL, as a superuser, of a PostgreSQL server on which tests create databases of their own.
pub fn postgres_url() -> Option<String> {
    variable("TAPGATE_TEST_POSTGRES_URL")
}

/// The URL of a Redis that tests share: their keys differ, since every bot has an id of its own. None may flush it.
pub fn redis_url() -> Option<String> {
    variable("TAPGATE_TEST_REDIS_URL")
}

/// The program `redis-server`, for tests that freeze, empty or kill one of their own.
pub fn redis_server() -> Option<PathBuf> {
    program("redis-server")
}

/// The program `nginx`.
pub fn nginx() -> Option<PathBuf> {
    program("nginx")
}

/// The program `openssl`, which makes certificates for nginx.
pub fn openssl() -> Option<PathBuf> {
    program("openssl")
}

/// The program `promtool`, which checks a metrics page.
pub fn promtool() -> Option<PathBuf> {
    program("promtool")
}

/// The program `prometheus`, which scrapes a server.
pub fn prometheus() -> Option<PathBuf> {
    program("prometheus")
}

/// The program `systemd-analyze`, which checks units.
pub fn systemd_analyze() -> Option<PathBuf> {
    program("systemd-analyze")
}

/// The program `systemd-socket-activate`, which opens a socket as systemd does.
pub fn systemd_socket_activate() -> Option<PathBuf> {
    program("systemd-socket-activate")
}

/// A browser and what drives it.
#[derive(Clone, Debug)]
pub struct Chromium {
    /// `chromium`.
    pub browser: PathBuf,
    /// `chromedriver`.
    pub driver: PathBuf,
}

/// The programs `chromium` and `chromedriver`, for tests of the sandbox's page.
pub fn chromium() -> Option<Chromium> {
    Some(Chromium { browser: program("chromium")?, driver: program("chromedriver")? })
}

/// A Python with the libraries of `tests/clients/requirements.txt`.
pub fn python() -> Option<PathBuf> {
    variable("TAPGATE_TEST_PYTHON").map(PathBuf::from)
}

/// Whether the program has its fail points.
pub fn fail_points() -> bool {
    let has = cfg!(feature = "failpoints");
    if !has {
        skipped("--features failpoints");
    }
    has
}

fn variable(name: &str) -> Option<String> {
    let value = env::var(name).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        skipped(name);
    }
    value
}

fn program(name: &str) -> Option<PathBuf> {
    let found = find_program(name);
    if found.is_none() {
        skipped(name);
    }
    found
}

/// Looks along `PATH`, and where the system keeps servers even if `PATH` does not say so.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Records that the running test is skipped for want of `need`.
fn skipped(need: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test without a name");
    let line = format!("SKIPPED (needs {need}): {test}\n");
    // Not `eprintln`, which the test runner captures: a skip must be seen.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(file) = env::var_os("TAPGATE_TEST_SKIPS") {
        let mut file =
            OpenOptions::new().create(true).append(true).open(file).expect("the list of skips can be opened");
        file.write_all(line.as_bytes()).expect("the list of skips can be written");
    }
}

//! Rules of the house that a compiler does not know.

use std::fs;
use std::path::{Path, PathBuf};

/// What the pure half may not name: whoever waits, reads the world or speaks to it.
const SHELL_WORDS: [&str; 24] = [
    "tokio",
    "sqlx",
    "rusqlite",
    "redis",
    "reqwest",
    "axum",
    "hyper",
    "hyper_util",
    "tower",
    "futures",
    "tracing",
    "metrics",
    "getrandom",
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::io",
    "std::time::Instant",
    "SystemTime",
    "clock::now",
    "async fn",
    ".await",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The lines of `text` without what stands behind `//`.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line.split("//").next().unwrap_or_default()))
}

/// Whether `line` names `word`, not merely a longer word that holds it.
fn names(line: &str, word: &str) -> bool {
    let part_of_a_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    line.match_indices(word).any(|(place, _)| {
        let before = line[..place].chars().next_back();
        let after = line[place + word.len()..].chars().next();
        !part_of_a_word(before) && !part_of_a_word(after)
    })
}

#[test]
fn the_pure_half_names_nothing_that_waits_or_looks_at_the_world() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = sources(&root.join("telegram"));
    files.extend(sources(&root.join("flow")));
    assert!(files.len() > 20, "the pure half is somewhere else: {files:?}");
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//! Pure: no I/O, no clock. "), "{} does not say that it is pure", file.display());
        for (number, line) in code(&text) {
            for word in SHELL_WORDS.iter().filter(|word| names(line, word)) {
                found.push(format!("{}:{number} names {word}", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_words_of_telegram_name_nothing_else_of_ours() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/telegram");
    for file in sources(&root) {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in code(&text) {
            let foreign =
                line.match_indices("crate::").any(|(place, word)| !line[place + word.len()..].starts_with("telegram"));
            assert!(!foreign, "{}:{number}: {line}", file.display());
        }
    }
}

#[test]
fn a_word_is_named_only_as_a_whole() {
    assert!(names("use tokio::fs;", "tokio"));
    assert!(names("std::fs::read(path)", "std::fs"));
    assert!(!names("use tokio_like::fs;", "tokio"));
    assert!(!names("let redistribution = 1;", "redis"));
}

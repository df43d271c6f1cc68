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
    for entry in fs::read_dir(folder).into_iter().flatten() {
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

/// A row of the table in `src/lib.rs`.
struct Row<'a> {
    module: &'a str,
    may_name: Vec<&'a str>,
    /// Who alone may name it, if that is said.
    named_by: Vec<&'a str>,
}

/// The words between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Reads a last column: "nothing of ours", names, "all above" or "everything", "never" these, "only" these name it.
fn table(text: &str) -> Vec<Row<'_>> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    let cells: Vec<(&str, &str)> = lines
        .map(|line| (line.split('`').next().unwrap(), line.trim_end_matches(" |").rsplit(" | ").next().unwrap()))
        .collect();
    let all: Vec<&str> = cells.iter().map(|(module, _)| *module).collect();
    cells
        .iter()
        .enumerate()
        .map(|(index, (module, cell))| {
            let (cell, owners) = cell.split_once(" only ").unwrap_or((cell, ""));
            let (first, never) = cell.split_once(" never ").unwrap_or((cell, ""));
            let mut may_name: Vec<&str> = match first {
                _ if first.starts_with("nothing of ours") => Vec::new(),
                _ if first.starts_with("all above") => all[..index].to_vec(),
                _ if first.starts_with("everything") => all.clone(),
                _ => quoted(first).collect(),
            };
            may_name.retain(|name| !quoted(never).any(|other| other == *name));
            Row { module, may_name, named_by: quoted(owners).collect() }
        })
        .collect()
}

/// The modules of ours that `line` names.
fn named(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn every_module_names_only_those_that_the_table_of_the_library_lets_it_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let library = fs::read_to_string(root.join("lib.rs")).unwrap();
    let rows = table(&library);
    let mut listed: Vec<&str> = rows.iter().map(|row| row.module).collect();
    listed.sort_unstable();
    let declared: Vec<&str> =
        library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(listed, declared, "the table has a row for each module");
    let mut wrong = Vec::new();
    for Row { module, may_name, .. } in &rows {
        let mut files = sources(&root.join(module));
        files.extend(Some(root.join(module).with_extension("rs")).filter(|file| file.exists()));
        assert!(!files.is_empty(), "{module} is nowhere");
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            for (number, line) in code(&text) {
                for name in named(line).filter(|name| name != module) {
                    let owners = rows.iter().find(|row| row.module == name).map_or(&[][..], |row| &row.named_by);
                    let is_for_others = !owners.is_empty() && !owners.contains(module);
                    if is_for_others || !may_name.contains(&name) {
                        wrong.push(format!("{}:{number} names {name}", file.display()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_table_is_read_as_it_is_meant() {
    let text = "//! | [`a`] | x | nothing of ours |\n//! | [`b`] | y | `a` |\n//! | [`c`] | z | all above, never `b` |\n\
                //! | [`d`] | z | everything, and only `e` names it |\n//! | [`e`] | z | everything |\n";
    let rows: Vec<_> = table(text).into_iter().map(|row| (row.module, row.may_name, row.named_by)).collect();
    let all = vec!["a", "b", "c", "d", "e"];
    assert_eq!(
        rows,
        [
            ("a", vec![], vec![]),
            ("b", vec!["a"], vec![]),
            ("c", vec!["a"], vec![]),
            ("d", all.clone(), vec!["e"]),
            ("e", all, vec![]),
        ]
    );
    assert_eq!(named("use crate::bot_api::{A, B}; crate::clock::now()").collect::<Vec<_>>(), ["bot_api", "clock"]);
}

#[test]
fn a_word_is_named_only_as_a_whole() {
    assert!(names("use tokio::fs;", "tokio"));
    assert!(names("std::fs::read(path)", "std::fs"));
    assert!(!names("use tokio_like::fs;", "tokio"));
    assert!(!names("let redistribution = 1;", "redis"));
}

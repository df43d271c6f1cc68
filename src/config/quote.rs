//! Pure: no I/O, no clock. The lines of a settings file that problems may show. A line may hold a password, perhaps
//! where none belongs, so a value is shown only where nothing in it looks like one.

use super::key::{self, KEYS};
use super::sources::File;
use crate::problem::Problems;

/// Quotes the lines of `file` to its problems.
pub(super) fn add(file: &File, problems: &mut Problems) {
    for problem in problems.0.iter_mut().filter(|problem| problem.origin == file.path) {
        let line = problem.position.and_then(|position| file.text.lines().nth(position.line - 1));
        problem.quote = line.map(showable);
    }
}

/// `line` as far as it may be shown: up to its value, unless that is one of a known setting and no URL.
fn showable(line: &str) -> String {
    let Some((key, value)) = line.split_once('=') else { return key_alone(line) };
    let leaf = key.trim().rsplit('.').next().unwrap_or_default();
    let known = KEYS.iter().any(|known| known.path.rsplit('.').next() == Some(leaf));
    if known
        && !key::is_secret(leaf)
        && !leaf.ends_with("_url")
        && !value.contains(['@', '{', '#'])
        && !value.contains("://")
    {
        line.to_owned()
    } else {
        format!("{key}= …")
    }
}

/// A line without a value: the head of a section, or a part of something longer, of which nothing is shown.
fn key_alone(line: &str) -> String {
    if line.trim_start().starts_with('[') && !line.contains(['"', '\'']) { line.to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::showable;

    #[test]
    fn a_value_is_shown_only_where_it_cannot_be_a_password() {
        for (line, shown) in [
            ("deadline = \"1h\"", "deadline = \"1h\""),
            ("webhook.deadline = 5", "webhook.deadline = 5"),
            ("[sendr]", "[sendr]"),
            ("listen = \"127.0.0.1:80x\"", "listen = \"127.0.0.1:80x\""),
            ("token = \"hunter2\"", "token = …"),
            ("lanes = [\"txt\"]", "lanes = [\"txt\"]"),
            ("dead_line = \"5s\"", "dead_line = …"),
            ("password = \"hunter2\"", "password = …"),
            ("database_url = \"hunter2\"", "database_url = …"),
            ("listen = \"redis://:hunter2@host\"", "listen = …"),
            ("deadline = \"5s\" # hunter2", "deadline = …"),
            ("log = { password = \"hunter2\" }", "log = …"),
            ("\"hunter2\",", ""),
            ("  [\"hunter2\"]", ""),
        ] {
            assert_eq!(showable(line), shown);
        }
    }
}

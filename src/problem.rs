//! Pure: no I/O, no clock. Something wrong in what a person wrote (a flow, a configuration), said so that they can mend it.

mod excerpt;

pub use excerpt::Excerpt;

use serde::Serialize;
use std::fmt;

/// One thing wrong, with its place and what would be accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file, the environment variable or the flag it stands in.
    pub origin: String,
    /// Where in it, if it is a text.
    #[serde(flatten)]
    pub position: Option<Position>,
    /// The line that stands there, as far as people may be shown it.
    #[serde(skip)]
    pub quote: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What would be accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl Position {
    /// That of byte `offset` of `text`.
    pub fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { line, column }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Problem {
    /// A problem in `origin` without a position.
    pub fn new(origin: impl Into<String>, message: impl Into<String>) -> Self {
        Self { origin: origin.into(), position: None, quote: None, message: message.into(), help: None }
    }

    /// The same at byte `offset` of `text`, whose line is quoted: nothing in it is secret.
    #[must_use]
    pub fn at(mut self, text: &str, offset: usize) -> Self {
        let position = Position::of(text, offset);
        self.quote = text.lines().nth(position.line - 1).map(str::to_owned);
        self.position = Some(position);
        self
    }

    /// The same with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.origin)?;
        if let Some(position) = self.position {
            write!(f, ":{position}")?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}

/// Everything wrong that was found, a line each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(transparent)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// Adds one more.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// `value` if nothing is wrong, else all that is.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

/// The one of `known` that `word` was most likely meant to be, if any is near; capitals do not matter.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Most names that advice lists.
const LISTED_MAX: usize = 12;

/// What would have been accepted instead of `word`: the nearest of `known`, or else those that there are.
pub fn advice<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = nearest(word, known.clone()) {
        return format!("did you mean `{near}`?");
    }
    let known: Vec<&str> = known.into_iter().collect();
    match known.split_at_checked(LISTED_MAX) {
        Some((listed, more)) if !more.is_empty() => format!("there is {} and {} more", listed.join(", "), more.len()),
        _ if known.is_empty() => "there is none".to_owned(),
        _ => format!("there is {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::advice;

    #[test]
    fn advice_is_the_nearest_or_some_of_all() {
        assert_eq!(advice("hmoe", ["home", "shop"]), "did you mean `home`?");
        assert_eq!(advice("x", ["home", "shop"]), "there is home, shop");
        assert_eq!(advice("x", []), "there is none");
        let many: Vec<String> = (10..30).map(|number| format!("s{number}")).collect();
        let told = advice("x", many.iter().map(String::as_str));
        assert!(told.starts_with("there is s10, s11, ") && told.ends_with(", s21 and 8 more"), "{told}");
    }
}

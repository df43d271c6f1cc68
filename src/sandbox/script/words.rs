//! Pure: no I/O, no clock. The pieces of one line: words, quoted texts, labels, numbers, times.

use crate::problem::{Problem, nearest};
use std::time::Duration;

/// A line that is read from left to right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a> {
    origin: &'a str,
    /// The whole script, and where in it the line ends and what is left of it begins.
    text: &'a str,
    end: usize,
    at: usize,
}

impl<'a> Words<'a> {
    /// The line between `at` and `end`.
    pub(super) fn new(origin: &'a str, text: &'a str, at: usize, end: usize) -> Self {
        let mut words = Self { origin, text, end, at };
        words.skip_space();
        words
    }

    /// What is left, without space at either end.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..self.end).unwrap_or_default().trim_end()
    }

    /// Where it begins.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// Whether nothing is left but a comment.
    pub(super) fn is_over(&self) -> bool {
        self.rest().is_empty() || self.rest().starts_with('#')
    }

    /// Something wrong at `place`.
    pub(super) fn problem(&self, place: usize, message: impl Into<String>) -> Problem {
        Problem::new(self.origin, message).at(self.text, place)
    }

    /// `word` at `place` is none of `known`.
    pub(super) fn unknown(&self, place: usize, what: &str, word: &str, known: &[&str]) -> Problem {
        let help = match nearest(word, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there is {}", known.join(", ")),
        };
        self.problem(place, format!("{what} `{word}`")).help(help)
    }

    /// The next word: what stands before a space, a colon or the end.
    pub(super) fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|letter: char| letter.is_whitespace() || letter == ':').unwrap_or(rest.len());
        self.take(length)
    }

    /// Takes `expected` if it stands here.
    pub(super) fn takes(&mut self, expected: &str) -> bool {
        let here = self.rest().starts_with(expected);
        if here {
            self.take(expected.len());
        }
        here
    }

    /// The next words have to be `expected`, as one.
    pub(super) fn expect(&mut self, expected: &str) -> Result<(), Problem> {
        for word in expected.split(' ') {
            let place = self.place();
            let found = self.word();
            if found != word {
                return Err(self.problem(place, "this line is not finished").help(format!("`{expected}` stands here")));
            }
        }
        Ok(())
    }

    /// A text in quotation marks, with `\n`, `\"` and `\\`.
    pub(super) fn quoted(&mut self, what: &str) -> Result<String, Problem> {
        let place = self.place();
        if !self.takes_exactly('"') {
            return Err(self.problem(place, format!("{what} is missing")).help("a text in \"quotation marks\""));
        }
        self.until('"', place)
    }

    /// A label in brackets, with `\]` and `\\`.
    pub(super) fn label(&mut self) -> Result<String, Problem> {
        let place = self.place();
        if !self.takes_exactly('[') {
            return Err(self.problem(place, "a button is missing").help("what it says, in [brackets]"));
        }
        let label = self.until(']', place)?.trim().to_owned();
        if label.is_empty() { Err(self.problem(place, "a button says something")) } else { Ok(label) }
    }

    /// A length of time: `5m`, `1h 30m`, `200ms`.
    pub(super) fn duration(&mut self, text: &str, place: usize) -> Result<Duration, Problem> {
        let wrong = |_| self.problem(place, format!("`{text}` is no length of time")).help("such as 30s, 5m, 1h 30m");
        humantime::parse_duration(text).map_err(wrong)
    }

    /// `N times`, if it stands here.
    pub(super) fn times(&mut self) -> Result<Option<u32>, Problem> {
        if !self.rest().starts_with(|letter: char| letter.is_ascii_digit()) {
            return Ok(None);
        }
        let place = self.place();
        let number = self.word();
        let times = number.parse().ok().filter(|times| (1..=1000).contains(times));
        let times = times.ok_or_else(|| self.problem(place, format!("`{number}` is not from 1 to 1000")))?;
        self.expect("times")?;
        Ok(Some(times))
    }

    /// Nothing may follow but a comment.
    pub(super) fn finish(&self) -> Result<(), Problem> {
        if self.is_over() { Ok(()) } else { Err(self.problem(self.place(), "this is too much for the line")) }
    }

    /// What stands before `closing`, which `opened` at some place.
    fn until(&mut self, closing: char, opened: usize) -> Result<String, Problem> {
        let mut found = String::new();
        let mut letters = self.rest().char_indices();
        while let Some((place, letter)) = letters.next() {
            match letter {
                '\\' => match letters.next() {
                    Some((_, 'n')) => found.push('\n'),
                    Some((_, escaped)) if escaped == closing || escaped == '\\' => found.push(escaped),
                    _ => {
                        let help = format!("\\n, \\{closing} and \\\\ do");
                        return Err(self.problem(self.at + place, "this backslash means nothing").help(help));
                    }
                },
                _ if letter == closing => {
                    self.take(place + closing.len_utf8());
                    return Ok(found);
                }
                _ => found.push(letter),
            }
        }
        Err(self.problem(opened, format!("`{closing}` is missing")))
    }

    fn takes_exactly(&mut self, letter: char) -> bool {
        let here = self.rest().starts_with(letter);
        if here {
            self.at += letter.len_utf8();
        }
        here
    }

    fn take(&mut self, length: usize) -> &'a str {
        let taken = self.rest().get(..length).unwrap_or_default();
        self.at += length;
        self.skip_space();
        taken
    }

    fn skip_space(&mut self) {
        let rest = self.text.get(self.at..self.end).unwrap_or_default();
        self.at += rest.len() - rest.trim_start().len();
    }
}

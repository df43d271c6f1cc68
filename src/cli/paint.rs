//! Colours: on a terminal only, and not where somebody said that they want none.

use super::Failure;

/// Bold red, and back.
const ERROR: &str = "\u{1b}[1;31merror:\u{1b}[0m";

/// Whether text is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// With colours.
    Coloured,
    /// As it is.
    Plain,
}

/// What a stream is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// A person's terminal.
    Terminal,
    /// A file or another program.
    Other,
}

impl Stream {
    /// As the system says of it.
    pub fn of(stream: &impl std::io::IsTerminal) -> Self {
        if stream.is_terminal() { Self::Terminal } else { Self::Other }
    }
}

impl Paint {
    /// For a stream, in an environment that may say `NO_COLOR` (<https://no-color.org>) or `TERM=dumb`.
    pub fn on(stream: Stream, environment: &dyn Fn(&str) -> Option<String>) -> Self {
        let unwanted = environment("NO_COLOR").is_some_and(|value| !value.is_empty())
            || environment("TERM").is_none_or(|terminal| terminal.is_empty() || terminal == "dumb");
        if stream == Stream::Terminal && !unwanted { Self::Coloured } else { Self::Plain }
    }

    /// The lines on stderr that say `failure`.
    pub fn failure(self, failure: &Failure) -> String {
        let lines = failure.to_string();
        match self {
            Self::Plain => lines,
            Self::Coloured => {
                let painted = |line: &str| match line.strip_prefix("error:") {
                    Some(rest) => format!("{ERROR}{rest}"),
                    None => line.to_owned(),
                };
                lines.lines().map(painted).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(stream: Stream, variables: &[(&str, &str)]) -> Paint {
        Paint::on(stream, &|name| variables.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn colours_are_for_terminals_that_have_some_and_people_who_want_some() {
        let term = ("TERM", "xterm");
        assert_eq!(on(Stream::Terminal, &[term]), Paint::Coloured);
        assert_eq!(on(Stream::Terminal, &[term, ("NO_COLOR", "")]), Paint::Coloured);
        for variables in [&[][..], &[("TERM", "dumb")], &[term, ("NO_COLOR", "1")]] {
            assert_eq!(on(Stream::Terminal, variables), Paint::Plain, "{variables:?}");
        }
        assert_eq!(on(Stream::Other, &[term]), Paint::Plain);
    }

    #[test]
    fn the_word_error_alone_is_painted() {
        let failure = Failure::usage("no error: here");
        assert_eq!(Paint::Plain.failure(&failure), "error: no error: here");
        assert_eq!(Paint::Coloured.failure(&failure), "\u{1b}[1;31merror:\u{1b}[0m no error: here");
    }
}

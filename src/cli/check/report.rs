//! Problems as a person reads them: what, where, the line with its word marked, and what would do.

use crate::problem::{Excerpt, Problem, Problems};
use clap::builder::styling::{AnsiColor, Style};

/// What a report is written with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ink {
    wrong: Style,
    frame: Style,
    bold: Style,
    advice: Style,
}

impl Ink {
    /// For pipes and files.
    pub(super) const PLAIN: Self =
        Self { wrong: Style::new(), frame: Style::new(), bold: Style::new(), advice: Style::new() };
    /// For a terminal.
    pub(super) const COLOURED: Self = Self {
        wrong: AnsiColor::Red.on_default().bold(),
        frame: AnsiColor::Blue.on_default().bold(),
        bold: Style::new().bold(),
        advice: AnsiColor::Green.on_default(),
    };
}

/// All of them, an empty line between each two.
pub(super) fn draw(Problems(problems): &Problems, ink: Ink) -> String {
    problems.iter().map(|problem| one(problem, ink)).collect::<Vec<_>>().join("\n\n")
}

fn one(problem: &Problem, Ink { wrong, frame, bold, advice }: Ink) -> String {
    let Problem { origin, position, message, help, .. } = problem;
    let number = position.map_or_else(String::new, |position| position.line.to_string());
    let place = position.map_or_else(String::new, |position| format!(":{position}"));
    let margin = " ".repeat(number.len());
    let mut lines = vec![
        format!("{wrong}error{wrong:#}{bold}: {}{bold:#}", message.trim_end()),
        format!("{margin}{frame}-->{frame:#} {origin}{place}"),
    ];
    let help = help.as_ref().map(|help| format!("{advice}{help}{advice:#}"));
    match (Excerpt::of(problem), help) {
        (Some(Excerpt { line, before, marked }), help) => {
            let (gap, mark) = (" ".repeat(before), "^".repeat(marked));
            let help = help.map_or_else(String::new, |help| format!(" {help}"));
            lines.push(format!("{margin} {frame}|{frame:#}"));
            lines.push(format!("{frame}{number} |{frame:#} {line}"));
            lines.push(format!("{margin} {frame}|{frame:#} {gap}{wrong}{mark}{wrong:#}{help}"));
        }
        (None, Some(help)) => lines.push(format!("{margin} {frame}={frame:#} {help}")),
        (None, None) => {}
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_nothing_but_colours() {
        let problem = Problem::new("a/flow.toml", "unknown key `gO`").at("[commands.x]\n  gO = \"home\"\n", 15);
        let problems = Problems(vec![problem.help("did you mean `go`?"), Problem::new("REDIS_URL", "no URL")]);
        let coloured = draw(&problems, Ink::COLOURED);
        let bare: String = coloured.split('\u{1b}').enumerate().fold(String::new(), |text, (index, part)| {
            text + if index == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) }
        });
        assert!(coloured.contains('\u{1b}'));
        assert_eq!(bare, draw(&problems, Ink::PLAIN));
    }
}

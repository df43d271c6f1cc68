//! Pure: no I/O, no clock. Which button a script means by what it writes in brackets.

use crate::problem::nearest;
use crate::sandbox::world::{Button, ChatView};

/// Row and column of the button that says `written`; else of the one that says it between signs: `[Talk]` is `💬 Talk`.
pub(super) fn find(keyboard: &[Vec<Button>], written: &str) -> Option<(usize, usize)> {
    place(keyboard, |label| label == written)
        .or_else(|| place(keyboard, |label| !bare(label).is_empty() && bare(label) == bare(written)))
}

/// What may have been meant by `written`, which no button of `chat` says; else what the lowest keyboard says.
pub(super) fn advice(chat: &ChatView, written: &str) -> String {
    let mut keyboards = chat.messages.iter().rev().map(|message| &message.keyboard).filter(|rows| !rows.is_empty());
    let labels = keyboards.clone().flatten().flatten().map(|button| button.text.as_str());
    if let Some(meant) = nearest(written, labels) {
        return format!(" (did you mean [{meant}]?)");
    }
    let there: Vec<String> =
        keyboards.next().into_iter().flatten().flatten().map(|button| format!("[{}]", button.text)).collect();
    if there.is_empty() { " (there is none)".to_owned() } else { format!(" (there is {})", there.join(", ")) }
}

fn place(keyboard: &[Vec<Button>], says: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
    let mut buttons = keyboard
        .iter()
        .enumerate()
        .flat_map(|(row, buttons)| (0..).zip(buttons).map(move |(at, button)| (row, at, button)));
    buttons.find(|(_, _, button)| says(button.text.trim())).map(|(row, column, _)| (row, column))
}

/// A label without the signs around it.
fn bare(label: &str) -> &str {
    label.trim_matches(|letter: char| !letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::world::Action;

    fn keyboard(rows: &[&[&str]]) -> Vec<Vec<Button>> {
        let button = |text: &&str| Button { text: (*text).to_owned(), action: Action::Pay };
        rows.iter().map(|row| row.iter().map(button).collect()).collect()
    }

    #[test]
    fn a_label_is_found_as_it_is_before_it_is_found_without_its_signs() {
        let keyboard = keyboard(&[&["💬 Talk", "✓ Luna"], &["Luna", "‹ Back"], &["⭐", "⭐⭐"]]);
        assert_eq!(find(&keyboard, "💬 Talk"), Some((0, 0)));
        assert_eq!(find(&keyboard, "Talk"), Some((0, 0)));
        assert_eq!(find(&keyboard, "Luna"), Some((1, 0)), "exactly so");
        assert_eq!(find(&keyboard, "Back"), Some((1, 1)));
        assert_eq!(find(&keyboard, "⭐⭐"), Some((2, 1)), "signs alone have to be exact");
        assert_eq!(find(&keyboard, "talk"), None);
        assert_eq!(find(&keyboard, "Tal"), None);
    }
}

//! Somebody who writes a flow: a small one in a folder, changed as an editor changes it.

use std::path::PathBuf;

/// `flow.toml`: two screens that lead to each other.
const DEFINITION: &str = r#"start = "home"
locales = ["en", "ru"]

[interrupts]
not_selected = "home"
insufficient_messages = "home"
generation_busy = "home"

[commands.start]
go = "home"

[screens.home]
keyboard = [
  [{ name = "play", go = "game" }],
  [{ name = "site", url = "https://example.com/" }],
]

[screens.game]
keyboard = [[{ name = "again", go = "game" }, { name = "back", back = true }]]
"#;

/// Its texts, in each locale.
const TEXTS: &str = r#"home = <b>Home</b>
    .play = Play
    .site = Site
game = Game
    .again = Again
    .back = Back
command-start = Start
notice-suspended = Suspended
notice-unknown-command = Unknown
notice-old-button = Old
error = Error
"#;

/// An author, and the folder of their flow.
#[derive(Debug)]
pub struct Author {
    folder: PathBuf,
}

impl Author {
    /// One who has written the flow into `folder`.
    pub fn of(folder: PathBuf) -> Self {
        std::fs::create_dir_all(&folder).unwrap();
        for (file, text) in [("flow.toml", DEFINITION), ("en.ftl", TEXTS), ("ru.ftl", TEXTS)] {
            std::fs::write(folder.join(file), text).unwrap();
        }
        Self { folder }
    }

    /// Replaces `from`, which must be there, by `to`, once.
    #[track_caller]
    pub fn edits(&self, file: &str, from: &str, to: &str) {
        let path = self.folder.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        std::fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    /// Takes the second screen out of the flow.
    pub fn drops_the_game(&self) {
        self.edits("flow.toml", "  [{ name = \"play\", go = \"game\" }],\n", "");
        self.edits("flow.toml", "[screens.game]\n", "");
        self.edits(
            "flow.toml",
            "keyboard = [[{ name = \"again\", go = \"game\" }, { name = \"back\", back = true }]]\n",
            "",
        );
    }
}

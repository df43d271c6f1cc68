//! What the settings are read from: one file, the environment, the flags. The shell around `load` fills it in.

use std::fmt;

/// A file's name and text.
#[derive(Clone, Debug)]
pub struct File {
    /// As the user wrote it.
    pub path: String,
    /// TOML.
    pub text: String,
}

/// A setting given as a flag.
#[derive(Clone, Debug)]
pub struct Flag {
    /// The setting's place in the file: `database_url`.
    pub key: &'static str,
    /// The flag with its dashes: `--database-url`.
    pub name: &'static str,
    /// What was given.
    pub value: String,
}

/// Everything that settings are read from, the later winning.
pub struct Sources<'a> {
    /// The file, if one was named.
    pub file: Option<File>,
    /// Looks an environment variable up.
    pub environment: &'a dyn Fn(&str) -> Option<String>,
    /// The flags that were given.
    pub flags: Vec<Flag>,
}

impl Sources<'_> {
    /// No file, no environment, no flags: the defaults alone.
    pub const NONE: Sources<'static> = Sources { file: None, environment: &|_| None, flags: Vec::new() };
}

impl fmt::Debug for Sources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sources").field("file", &self.file.as_ref().map(|file| &file.path)).finish_non_exhaustive()
    }
}

//! Which version of a flow it is: a number that follows from its texts alone, so that servers can be compared.

use crate::flow::definition::Sources;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt;

/// The version of a flow: the same number wherever its texts are the same, whatever the folder is called.
/// A whole number of 32 bits, so that it is exact as the value of a metric too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Version(pub u32);

impl Version {
    /// That of `sources`.
    pub fn of(sources: &Sources) -> Self {
        let mut digest = Sha256::new();
        let texts = sources.texts.iter().flat_map(|(locale, text)| [locale, text]);
        for part in std::iter::once(&sources.definition).chain(texts) {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        for picture in &sources.pictures {
            digest.update(picture.digest);
        }
        let [a, b, c, d, ..] = <[u8; 32]>::from(digest.finalize());
        Self(u32::from_be_bytes([a, b, c, d]))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_make_it_and_the_folder_does_not() {
        let sources = |name: &str, definition: &str, text: &str| Sources {
            name: name.to_owned(),
            definition: definition.to_owned(),
            texts: vec![("en".to_owned(), text.to_owned())],
            pictures: Vec::new(),
        };
        let version = Version::of(&sources("flows/a", "start = 1", "hello = Hello"));
        assert_eq!(version, Version::of(&sources("/srv/b", "start = 1", "hello = Hello")));
        assert_ne!(version, Version::of(&sources("flows/a", "start = 1", "hello = Hallo")));
        assert_ne!(version, Version::of(&sources("flows/a", "start = 1e", "nhello = Hello")));
    }
}

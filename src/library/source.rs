//! Where the texts of flows are: the binary and the disk. Nothing here knows what they mean.

use crate::flow::definition::{Picture, Sources};
use crate::problem::{Problem, Problems};
use bytes::Bytes;
use include_dir::{Dir, include_dir};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/config/flows");

/// What the flows of the binary are made of, by name.
pub fn embedded() -> BTreeMap<String, Sources> {
    EMBEDDED.dirs().filter_map(embedded_in).collect()
}

/// A flow of the binary.
fn embedded_in(folder: &'static Dir<'static>) -> Option<(String, Sources)> {
    let name = folder.path().file_name()?.to_str()?;
    let files = folder.files().filter_map(|file| {
        let name = file.path().file_name()?.to_str()?.to_owned();
        if is_picture(&name) {
            return Some(File::Picture(name, Bytes::from_static(file.contents())));
        }
        let is_text = name == DEFINITION || name.ends_with(TEXTS);
        file.contents_utf8().filter(|_| is_text).map(|text| File::Text(name, text.to_owned()))
    });
    Some((name.to_owned(), gather(name, files)?))
}

/// What the flows of `folder` are made of, by name, sound or not: itself if it has a `flow.toml`, else each folder in it,
/// but for hidden ones. What cannot be read goes to `problems`.
pub fn below(folder: &Path, problems: &mut Problems) -> BTreeMap<String, Sources> {
    within(folder, problems).unwrap_or_else(|error| {
        problems.push(unreadable(folder, &error));
        BTreeMap::new()
    })
}

fn within(folder: &Path, problems: &mut Problems) -> io::Result<BTreeMap<String, Sources>> {
    if folder.join(DEFINITION).exists() {
        let absolute = folder.canonicalize()?;
        let name = absolute.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let sources = gather(&folder.display().to_string(), files(folder, problems)?);
        return Ok(sources.map(|sources| (name, sources)).into_iter().collect());
    }
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if name.starts_with('.') || !path.is_dir() {
            continue;
        }
        match files(&path, problems).map(|files| gather(&path.display().to_string(), files)) {
            Ok(Some(sources)) => {
                found.insert(name.to_owned(), sources);
            }
            Ok(None) => problems.push(Problem::new(path.display().to_string(), "flow.toml is missing")),
            Err(error) => problems.push(unreadable(&path, &error)),
        }
    }
    Ok(found)
}

/// A file that a flow is made of.
enum File {
    Text(String, String),
    Picture(String, Bytes),
}

fn is_picture(name: &str) -> bool {
    Picture::ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The files in a folder that a flow is made of.
fn files(folder: &Path, problems: &mut Problems) -> io::Result<Vec<File>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let name = name.to_owned();
        let file = if is_picture(&name) {
            std::fs::read(&path).map(|content| File::Picture(name, content.into()))
        } else if name == DEFINITION || name.ends_with(TEXTS) {
            std::fs::read_to_string(&path).map(|text| File::Text(name, text))
        } else {
            continue;
        };
        match file {
            Ok(file) => found.push(file),
            Err(error) => problems.push(unreadable(&path, &error)),
        }
    }
    Ok(found)
}

fn unreadable(path: &Path, error: &io::Error) -> Problem {
    Problem::new(path.display().to_string(), format!("cannot be read: {error}"))
}

const DEFINITION: &str = "flow.toml";
const TEXTS: &str = ".ftl";

/// The sources of the flow in `folder`; none without its definition.
fn gather(folder: &str, files: impl IntoIterator<Item = File>) -> Option<Sources> {
    let mut definition = None;
    let (mut texts, mut pictures) = (Vec::new(), Vec::new());
    for file in files {
        match file {
            File::Text(file, text) if file == DEFINITION => definition = Some(text),
            File::Text(file, text) => {
                let locale = file.strip_suffix(TEXTS).unwrap_or_default();
                texts.push((locale.to_owned(), text));
            }
            File::Picture(file, content) => pictures.push(Arc::new(Picture::new(file, content))),
        }
    }
    texts.sort();
    pictures.sort_by(|a, b| a.name.cmp(&b.name));
    Some(Sources { name: folder.to_owned(), definition: definition?, texts, pictures })
}

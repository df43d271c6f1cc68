//! The flows by name: those in the binary, and those of the flows folder, which win.

use crate::flow::Flow;
use crate::flow::definition::Sources;
use crate::problem::{Problem, Problems};
use arc_swap::ArcSwap;
use include_dir::{Dir, include_dir};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/config/flows");

type Flows = BTreeMap<String, Arc<Flow>>;

/// The flows of a process. Whoever asked for one keeps it, whatever is read after.
#[derive(Debug)]
pub struct Library {
    flows: ArcSwap<Flows>,
}

impl Library {
    /// Reads the embedded flows and those below `folder`.
    ///
    /// # Errors
    /// Everything that is wrong with any of them.
    pub fn open(folder: Option<&Path>) -> Result<Self, Problems> {
        read(folder).map(|flows| Self { flows: ArcSwap::from_pointee(flows) })
    }

    /// The flow of that name.
    pub fn get(&self, name: &str) -> Option<Arc<Flow>> {
        self.flows.load().get(name).cloned()
    }

    /// The names of all flows, in order.
    pub fn names(&self) -> Vec<String> {
        self.flows.load().keys().cloned().collect()
    }
}

fn read(folder: Option<&Path>) -> Result<Flows, Problems> {
    let mut problems = Problems::default();
    let mut sources: BTreeMap<String, Sources> = EMBEDDED.dirs().filter_map(embedded).collect();
    if let Some(folder) = folder {
        match below(folder, &mut problems) {
            Ok(found) => sources.extend(found),
            Err(error) => problems.push(Problem::new(folder.display().to_string(), format!("cannot be read: {error}"))),
        }
    }
    let mut flows = Flows::new();
    for (name, sources) in sources {
        match Flow::parse(&sources) {
            Ok(flow) => {
                flows.insert(name, Arc::new(flow));
            }
            Err(found) => problems.0.extend(found.0),
        }
    }
    problems.or(flows)
}

/// A flow of the binary.
fn embedded(folder: &Dir<'_>) -> Option<(String, Sources)> {
    let name = folder.path().file_name()?.to_str()?;
    let files = folder.files().filter_map(|file| Some((file.path().file_name()?.to_str()?, file.contents_utf8()?)));
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
    Some((name.to_owned(), gather(name, files)?))
}

/// The flows below `folder`: each folder in it that has a `flow.toml`, but for hidden ones.
fn below(folder: &Path, problems: &mut Problems) -> io::Result<Vec<(String, Sources)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if name.starts_with('.') || !path.is_dir() {
            continue;
        }
        match files(&path, problems).map(|files| gather(name, files)) {
            Ok(Some(sources)) => found.push((name.to_owned(), sources)),
            Ok(None) => problems.push(Problem::new(path.display().to_string(), "flow.toml is missing")),
            Err(error) => problems.push(Problem::new(path.display().to_string(), format!("cannot be read: {error}"))),
        }
    }
    Ok(found)
}

/// The texts in a folder that a flow is made of.
fn files(folder: &Path, problems: &mut Problems) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if name != DEFINITION && !name.ends_with(TEXTS) {
            continue;
        }
        match std::fs::read_to_string(&path) {
            Ok(text) => found.push((name.to_owned(), text)),
            Err(error) => problems.push(Problem::new(path.display().to_string(), format!("cannot be read: {error}"))),
        }
    }
    Ok(found)
}

const DEFINITION: &str = "flow.toml";
const TEXTS: &str = ".ftl";

/// The sources of the flow `name`; none without its definition.
fn gather(name: &str, files: impl IntoIterator<Item = (String, String)>) -> Option<Sources> {
    let mut definition = None;
    let mut texts = Vec::new();
    for (file, text) in files {
        if file == DEFINITION {
            definition = Some(text);
        } else if let Some(locale) = file.strip_suffix(TEXTS) {
            texts.push((locale.to_owned(), text));
        }
    }
    texts.sort();
    Some(Sources { name: name.to_owned(), definition: definition?, texts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_flows_are_sound() {
        let library = Library::open(None).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(library.names(), ["companion"]);
        assert!(library.get("companion").is_some() && library.get("other").is_none());
    }

    #[test]
    fn a_folder_of_the_same_name_wins_and_its_problems_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let flow = folder.path().join("companion");
        std::fs::create_dir(&flow).unwrap();
        std::fs::create_dir(folder.path().join("empty")).unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        std::fs::write(folder.path().join("notes.txt"), "").unwrap();
        let definition = EMBEDDED.get_file("companion/flow.toml").and_then(|file| file.contents_utf8()).unwrap();
        std::fs::write(flow.join("flow.toml"), definition.replace("free_balance = 10", "free_balance = 77")).unwrap();
        for locale in ["en.ftl", "ru.ftl"] {
            let text = EMBEDDED.get_file(format!("companion/{locale}")).unwrap().contents();
            std::fs::write(flow.join(locale), text).unwrap();
        }
        let problems = Library::open(Some(folder.path())).unwrap_err();
        assert_eq!(problems.0.len(), 1, "{problems}");
        assert!(problems.to_string().ends_with("empty: flow.toml is missing"), "{problems}");
        std::fs::remove_dir(folder.path().join("empty")).unwrap();
        let library = Library::open(Some(folder.path())).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(library.get("companion").unwrap().free_balance(), 77);
    }

    #[test]
    fn a_folder_that_is_not_there_is_a_problem() {
        assert!(Library::open(Some(Path::new("/nonexistent/flows"))).is_err());
    }
}

//! The flows by name: those in the binary, those written in Rust, and those of the flows folder, which win.
//! Read at the start and whenever told to; a broken new version never takes the place of a sound old one.

mod dialogues;
mod source;
mod version;
mod watch;

pub use dialogues::Dialogues;
pub use source::{below, embedded};
pub use version::Version;
pub use watch::watch;

use crate::flow::definition::Sources;
use crate::flow::{Dialogue, Flow};
use crate::problem::Problems;
use arc_swap::ArcSwap;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

type Entries = BTreeMap<String, Entry>;

/// A flow that was read, and what it was read from.
#[derive(Debug)]
struct Entry {
    sources: Sources,
    flow: Arc<Flow>,
    /// Whether it is from the folder.
    own: bool,
}

/// The flows of a process. Whoever asked for one keeps it, whatever is read after.
#[derive(Debug)]
pub struct Library {
    folder: Option<PathBuf>,
    /// Those written in Rust, which never change.
    dialogues: Dialogues,
    entries: ArcSwap<Entries>,
    /// Held while the folder is read anew, so that what was read last is what stays.
    reloading: Mutex<()>,
}

/// The names of the flows that are other than before: changed, new or gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Changed(pub Vec<String>);

impl Library {
    /// Reads the embedded flows and those of `folder`: one for each folder in it, or `folder` alone,
    /// by its own name, if it has a `flow.toml`.
    ///
    /// # Errors
    /// Everything that is wrong with any of them.
    pub fn open(folder: Option<&Path>) -> Result<Self, Problems> {
        Self::with(Dialogues::default(), folder)
    }

    /// The same, with `dialogues` among them.
    ///
    /// # Errors
    /// Everything that is wrong with any of them.
    pub fn with(dialogues: Dialogues, folder: Option<&Path>) -> Result<Self, Problems> {
        let entries = read(folder, &Entries::new())?;
        Ok(Self {
            folder: folder.map(Path::to_owned),
            dialogues,
            entries: ArcSwap::from_pointee(entries),
            reloading: Mutex::new(()),
        })
    }

    /// Reads the folder anew. All of it is taken, or nothing: with one mistake anywhere the flows stay as they are.
    /// It reads files, so a task gives it a thread of its own.
    ///
    /// # Errors
    /// Everything that is wrong with any of them.
    pub fn reload(&self) -> Result<Changed, Problems> {
        let _reloading = self.reloading.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.entries.load_full();
        let after = read(self.folder.as_deref(), &before)?;
        let changed = |name: &&String| {
            before.get(*name).map(|entry| &entry.sources) != after.get(*name).map(|entry| &entry.sources)
        };
        let mut names: Vec<String> = before.keys().chain(after.keys()).filter(changed).cloned().collect();
        names.sort();
        names.dedup();
        self.entries.store(Arc::new(after));
        Ok(Changed(names))
    }

    /// The folder beside the embedded flows.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The dialogue of that name: the folder's, else one written in Rust, else the binary's.
    pub fn dialogue(&self, name: &str) -> Option<Arc<dyn Dialogue>> {
        let entries = self.entries.load();
        let read = entries.get(name);
        let written = if read.is_some_and(|entry| entry.own) { None } else { self.dialogues.get(name) };
        written.or_else(|| read.map(|entry| Arc::clone(&entry.flow) as Arc<dyn Dialogue>))
    }

    /// The flow of that name, if it is one that is data.
    pub fn get(&self, name: &str) -> Option<Arc<Flow>> {
        self.entries.load().get(name).map(|entry| Arc::clone(&entry.flow))
    }

    /// Which version of it there is; none of one that is written in Rust, whose version is the program's.
    pub fn version(&self, name: &str) -> Option<Version> {
        let entries = self.entries.load();
        let read = entries.get(name).filter(|entry| entry.own || self.dialogues.get(name).is_none());
        read.map(|entry| Version::of(&entry.sources))
    }

    /// The names of the flows of the folder, in order.
    pub fn own_names(&self) -> Vec<String> {
        self.entries.load().iter().filter(|(_, entry)| entry.own).map(|(name, _)| name.clone()).collect()
    }

    /// The names of all flows, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = self.entries.load();
        let names: BTreeSet<&str> = entries.keys().map(String::as_str).chain(self.dialogues.names()).collect();
        names.into_iter().map(str::to_owned).collect()
    }
}

/// Reads all flows; one whose sources are as in `before` is taken from there.
fn read(folder: Option<&Path>, before: &Entries) -> Result<Entries, Problems> {
    let mut problems = Problems::default();
    let found = folder.map(|folder| below(folder, &mut problems)).unwrap_or_default();
    let own: BTreeSet<String> = found.keys().cloned().collect();
    let mut sources = embedded();
    sources.extend(found);
    let mut entries = Entries::new();
    for (name, sources) in sources {
        let same = before.get(&name).filter(|entry| entry.sources == sources).map(|entry| Arc::clone(&entry.flow));
        match same.map_or_else(|| Flow::parse(&sources).map(Arc::new), Ok) {
            Ok(flow) => {
                let own = own.contains(&name);
                entries.insert(name, Entry { sources, flow, own });
            }
            Err(found) => problems.0.extend(found.0),
        }
    }
    problems.or(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shutdown::Tasks;
    use tempfile::TempDir;
    use tokio::sync::mpsc;

    /// A folder with the companion in it, given away with 77 messages.
    fn a_folder() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let companion = embedded().remove("companion").unwrap();
        let flow = folder.path().join("companion");
        std::fs::create_dir(&flow).unwrap();
        let definition = companion.definition.replace("free_balance = 10", "free_balance = 77");
        std::fs::write(flow.join("flow.toml"), definition).unwrap();
        for (locale, text) in companion.texts {
            std::fs::write(flow.join(format!("{locale}.ftl")), text).unwrap();
        }
        folder
    }

    fn open(folder: &Path) -> Library {
        Library::open(Some(folder)).unwrap_or_else(|problems| panic!("{problems}"))
    }

    /// Changes what `file` of the companion in `folder` says.
    fn edit(folder: &TempDir, file: &str, from: &str, to: &str) {
        let path = folder.path().join("companion").join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from));
        std::fs::write(path, text.replace(from, to)).unwrap();
    }

    fn free_balance(library: &Library) -> i64 {
        library.get("companion").unwrap().free_balance()
    }

    #[test]
    fn the_embedded_flows_are_sound() {
        let library = Library::open(None).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(library.names(), ["companion", "quiz", "support"]);
        assert!(library.get("companion").is_some() && library.get("other").is_none());
        assert_eq!(library.reload(), Ok(Changed::default()));
    }

    #[test]
    fn a_folder_of_the_same_name_wins_and_its_problems_are_told() {
        let folder = a_folder();
        std::fs::create_dir(folder.path().join("empty")).unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        std::fs::write(folder.path().join("notes.txt"), "").unwrap();
        let problems = Library::open(Some(folder.path())).unwrap_err();
        assert_eq!(problems.0.len(), 1, "{problems}");
        assert!(problems.to_string().ends_with("empty: flow.toml is missing"), "{problems}");
        std::fs::remove_dir(folder.path().join("empty")).unwrap();
        assert_eq!(free_balance(&open(folder.path())), 77);
    }

    #[test]
    fn a_folder_that_is_a_flow_itself_has_its_own_name() {
        let folder = a_folder();
        assert_eq!(free_balance(&open(&folder.path().join("companion"))), 77);
        std::fs::rename(folder.path().join("companion"), folder.path().join("mine")).unwrap();
        assert_eq!(open(&folder.path().join("mine")).names(), ["companion", "mine", "quiz", "support"]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_a_problem() {
        assert!(Library::open(Some(Path::new("/nonexistent/flows"))).is_err());
    }

    #[test]
    fn a_new_version_takes_the_place_of_the_old_one_and_other_flows_stay_what_they_are() {
        let folder = a_folder();
        std::fs::create_dir(folder.path().join("second")).unwrap();
        for file in ["flow.toml", "en.ftl", "ru.ftl"] {
            let second = folder.path().join("second").join(file);
            std::fs::copy(folder.path().join("companion").join(file), second).unwrap();
        }
        let library = open(folder.path());
        let (companion, second) = (library.get("companion").unwrap(), library.get("second").unwrap());
        edit(&folder, "flow.toml", "free_balance = 77", "free_balance = 5");
        assert_eq!(library.reload(), Ok(Changed(vec!["companion".to_owned()])));
        assert_eq!((free_balance(&library), companion.free_balance()), (5, 77), "who has the old one keeps it");
        assert!(Arc::ptr_eq(&second, &library.get("second").unwrap()));
        std::fs::remove_dir_all(folder.path().join("companion")).unwrap();
        std::fs::remove_dir_all(folder.path().join("second")).unwrap();
        assert_eq!(library.reload(), Ok(Changed(vec!["companion".to_owned(), "second".to_owned()])));
        assert_eq!((free_balance(&library), library.names().len()), (10, 3), "the embedded one is back");
    }

    #[test]
    fn a_broken_new_version_is_refused_with_file_line_and_column_and_the_old_one_stays() {
        let folder = a_folder();
        let library = open(folder.path());
        edit(&folder, "flow.toml", "free_balance = 77", "free_balance = 5");
        edit(&folder, "flow.toml", "go = \"characters\"", "go = \"charakters\"");
        let problems = library.reload().unwrap_err();
        let first = problems.0.first().unwrap();
        assert_eq!(Path::new(&first.origin), folder.path().join("companion/flow.toml"));
        assert!(first.position.is_some_and(|place| place.line > 1 && place.column > 1), "{problems}");
        assert!(first.to_string().contains("characters"), "{problems}");
        assert_eq!(free_balance(&library), 77);
        edit(&folder, "flow.toml", "charakters", "characters");
        assert!(library.reload().is_ok());
        assert_eq!(free_balance(&library), 5);
    }

    #[tokio::test]
    async fn what_is_saved_is_read_and_what_is_broken_is_told_until_it_is_mended() {
        let folder = a_folder();
        let library = Arc::new(open(folder.path()));
        let tasks = Tasks::new("the watcher");
        let (told, mut tells) = mpsc::unbounded_channel();
        watch(Arc::clone(&library), &tasks, move |result| told.send(result).unwrap()).unwrap();

        edit(&folder, "flow.toml", "free_balance = 77", "free_balance = 5");
        assert_eq!(tells.recv().await, Some(Ok(Changed(vec!["companion".to_owned()]))));
        assert_eq!(free_balance(&library), 5);
        edit(&folder, "en.ftl", "command-menu =", "comand-menu =");
        assert!(tells.recv().await.unwrap().is_err());
        edit(&folder, "en.ftl", "comand-menu =", "command-menu =");
        assert_eq!(tells.recv().await, Some(Ok(Changed::default())), "nothing is new, and nothing is broken any more");

        tasks.stop().await;
        assert_eq!(tells.recv().await, None);
    }
}

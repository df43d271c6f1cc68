//! Whole updates as they stand on the wire, from a folder.

use std::path::PathBuf;
use tapgate::flow::event::{Reading, read};
use tapgate::telegram::update::{Kind, Unreadable, envelope, parse};

/// The folder that `TAPGATE_TEST_UPDATES` names, or our own few: files `KIND__WHAT….json`, one update each.
fn folder() -> PathBuf {
    std::env::var_os("TAPGATE_TEST_UPDATES")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/parsing/updates")), PathBuf::from)
}

/// The names and contents of its files.
pub fn files() -> impl Iterator<Item = (String, Vec<u8>)> {
    std::fs::read_dir(folder()).unwrap().filter_map(|file| {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        name.ends_with(".json").then(|| (name, std::fs::read(&path).unwrap()))
    })
}

#[test]
fn every_recorded_update_is_read_and_those_of_other_kinds_do_nothing() {
    let mut read_count = 0;
    for (name, body) in files() {
        let envelope = envelope(&body).unwrap_or_else(|| panic!("{name} has no envelope"));
        match parse(&body) {
            Ok(update) => {
                assert_eq!((update.id, update.kind()), (envelope.update, envelope.kind), "{name}");
                let reading = read(update, None);
                if envelope.kind == Kind::Other {
                    assert_eq!(reading, Reading::Nothing, "{name}");
                }
                if name.starts_with("message__private-text") || name.starts_with("message__private-command") {
                    let inconsistent = matches!(reading, Reading::Nothing);
                    assert!(inconsistent || matches!(reading, Reading::Event(..)), "{name}: {reading:?}");
                }
            }
            Err(reason) => {
                assert!(name.starts_with("message__notype"), "{name}: {reason}");
                assert_eq!(reason, Unreadable::Undecodable, "{name}");
            }
        }
        read_count += 1;
    }
    assert!(read_count > 0, "the folder holds no updates");
}

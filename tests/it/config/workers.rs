//! Who may take work from the lanes: `[workers.NAME]`.

use super::Told;
use std::collections::BTreeSet;
use tapgate::config;
use tapgate::storage::Lane;

const TOKEN: &str = "0123456789abcdef";

#[test]
fn nobody_is_a_worker_unless_the_settings_say_so() {
    assert_eq!(Told::default().load().unwrap().workers, []);
}

#[test]
fn a_variable_alone_makes_a_worker_for_all_lanes() {
    let [worker] =
        <[_; 1]>::try_from(Told::environment([("TAPGATE_WORKER_TOKEN", TOKEN)]).load().unwrap().workers).unwrap();
    assert_eq!((worker.name.as_str(), worker.token.expose()), ("default", TOKEN));
    assert_eq!(worker.lanes, BTreeSet::from(Lane::OF_WORKERS));
    assert!(!worker.lanes.contains(&Lane::Outbound));
}

#[test]
fn each_section_is_a_worker_and_the_variable_wins_over_the_file() {
    let mut told = Told::file(
        "[workers.painter]\ntoken = \"painter-0123456789\"\nlanes = [\"image\", \"image_priority\"]\n\
         [workers.default]\ntoken = \"of-the-file-0123456789\"\nlanes = [\"text\"]\n",
    );
    told.environment = vec![("TAPGATE_WORKER_TOKEN", TOKEN)];
    let workers = told.load().unwrap().workers;
    let seen: Vec<_> = workers
        .iter()
        .map(|worker| {
            (&*worker.name, worker.token.expose(), worker.lanes.iter().map(|lane| lane.name()).collect::<Vec<_>>())
        })
        .collect();
    let expected =
        [("default", TOKEN, vec!["text"]), ("painter", "painter-0123456789", vec!["image", "image_priority"])];
    assert_eq!(seen, expected);
}

#[test]
fn what_is_wrong_with_a_worker_is_told_with_its_place_and_never_shows_a_token() {
    let told = Told::file(
        "[workers.a]\ntoken = \"short-hunter2\"\n\
         [workers.b]\ntoken = \"hunter2 hunter2 hunter2\"\nlanes = [\"outbound\", \"txt\"]\n\
         [workers.c]\ntoken = \"hunter2-0123456789\"\n\
         [workers.d]\ntoken = \"hunter2-0123456789\"\nlanes = []\n\
         [workers.e]\nlanes = [\"text\"]\n\
         [workers.F]\ntoken = \"hunter2-9876543210\"\n\
         [workers.g]\ntokn = \"hunter2\"\n\
         [workers]\nh = 5\n",
    );
    insta::assert_snapshot!(told.problems().join("\n"));
    assert!(!told.problems().join("").contains("hunter2"));
}

#[test]
fn tokens_are_starred_wherever_settings_are_shown() {
    let mut told = Told::file("[workers.painter]\ntoken = \"hunter2-hunter2-hunter2\"\n");
    told.environment = vec![("TAPGATE_WORKER_TOKEN", "hunter2-0123456789")];
    let effective = serde_json::to_string(&told.with(config::effective)).unwrap();
    assert!(effective.contains("workers.painter.token") && !effective.contains("hunter2"), "{effective}");
    let debug = format!("{:?}", told.load().unwrap());
    assert!(debug.contains("painter") && !debug.contains("hunter2"), "{debug}");
}

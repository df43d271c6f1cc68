//! The example in the README's section on flows: it is sound, and does what stands below it.

use crate::simulator::script::transcript;
use tapgate::flow::Flow;
use tapgate::flow::definition::Sources;
use tempfile::TempDir;

/// The files of the example by name.
fn files() -> Vec<(&'static str, &'static str)> {
    let readme = include_str!("../../../README.md");
    let (_, after) = readme.split_once("<!-- flow:").expect("the README marks its example");
    let (example, _) = after.split_once("<!-- end of the flow -->").expect("and its end");
    let blocks = example.split("```").collect::<Vec<_>>();
    let named = blocks.chunks_exact(2).map(|pair| {
        let name = pair[0].trim_end().rsplit('`').nth(1).expect("a file's name stands before it");
        (name, pair[1].split_once('\n').unwrap().1)
    });
    named.collect()
}

#[tokio::test]
async fn the_flow_of_the_readme_does_what_the_readme_says() {
    let folder = TempDir::new().unwrap();
    let files = files();
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["flow.toml", "en.ftl", "de.ftl", "bakery.script"]);
    for (name, text) in &files[..3] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let printed = transcript(files[3].1, &["--flow", &folder.path().display().to_string()]).await;
    assert!(printed.contains("expectations hold"), "{printed}");
    insta::assert_snapshot!(printed);
}

#[test]
fn every_key_of_the_language_is_in_the_reference() {
    let readme = include_str!("../../../README.md");
    let (_, after) = readme.split_once("\n## Flows\n").unwrap();
    let (section, _) = after.split_once("\n## ").unwrap();
    // The checker lists what it knows where it meets what it does not know.
    let definition = "\
start = \"a\"\nlocales = [\"en\"]\n[zzzz]\n[variables.v]\nzzzz = 1\n[interrupts]\nzzzz = 1\n[products.p]\nzzzz = 1\n\
[commands.start]\nzzzz = 1\ngo = \"a\"\n[links.l]\nzzzz = 1\n[screens.a]\nzzzz = 1\nphoto = { zzzz = 1 }\n\
keyboard = [[{ zzzz = 1, requires = { zzzz = 1 }, generate = { zzzz = 1 }, call = { zzzz = 1 }, go = [{ zzzz = 1 }] }]]\n\
[screens.a.text]\nzzzz = 1\n";
    let sources = Sources { definition: definition.to_owned(), ..Sources::default() };
    let told = Flow::parse(&sources).unwrap_err().to_string();
    let lists: Vec<&str> =
        told.lines().filter_map(|line| line.split_once("(known here: ")).map(|(_, list)| list).collect();
    assert_eq!(lists.len(), 14, "{told}");
    for key in lists.iter().flat_map(|list| list.trim_end_matches(')').split(", ")) {
        let shapes =
            [format!("`{key}`"), format!("`{key} ="), format!("[{key}."), format!("[{key}]"), format!(" {key} =")];
        assert!(shapes.iter().any(|shape| section.contains(shape)), "`{key}` is not in the reference");
    }
}

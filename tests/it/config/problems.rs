//! What is refused, with its place and what would be accepted; everything at once.

use super::Told;

#[test]
fn an_unknown_key_names_its_place_and_the_nearest_known_one() {
    let told = Told::file("lisen = \"127.0.0.1:1\"\n\n[webhook]\n  dead_line = \"5s\"\n\n[sendr]\nlease = \"3s\"\n");
    assert_eq!(
        told.problems(),
        [
            "my.toml:1:1: unknown key `lisen` (did you mean `listen`?)",
            "my.toml:4:3: unknown key `webhook.dead_line` (did you mean `webhook.deadline`?)",
            "my.toml:6:2: unknown key `sendr` (did you mean `sender`?)",
        ]
    );
}

#[test]
fn a_key_in_the_wrong_section_is_told_the_right_one() {
    let told = Told::file("deadline = \"5s\"\n");
    assert_eq!(told.problems(), ["my.toml:1:1: unknown key `deadline` (did you mean `webhook.deadline`?)"]);
}

#[test]
fn all_problems_of_all_sources_are_reported_together() {
    let mut told = Told::file("[webhook]\nin_flight_max = 0\ndeadline = 5\nx = 1\n[log]\nformat = \"xml\"\n");
    told.environment =
        vec![("TAPGATE_LISTEN", "8080"), ("TAPGATE_SUBNETS", "149.154.160.1/20"), ("TAPGATE_LOG", "loud")];
    told.flags = vec![("database_url", "--database-url", "mysql://me:hunter2@host/db")];
    let problems = told.problems();
    insta::assert_snapshot!(problems.join("\n"));
    assert!(!problems.join("").contains("hunter2"));
}

#[test]
fn broken_toml_is_named_without_quoting_the_line() {
    let problems = Told::file("listen = \"127.0.0.1:1\"\nredis_url = redis://:hunter2@host\n").problems();
    assert!(problems[0].starts_with("my.toml:2:"), "{problems:?}");
    assert!(!problems.join("").contains("hunter2"), "{problems:?}");
}

#[test]
fn a_deadline_that_telegram_does_not_wait_for_is_refused() {
    assert_eq!(Told::file("webhook.deadline = \"54s\"").problems(), Vec::<String>::new());
    for text in ["webhook.deadline = \"55s\"", "webhook.deadline = \"2m\""] {
        let problems = Told::file(text).problems();
        assert!(problems[0].contains("less than 55s"), "{problems:?}");
    }
}

#[test]
fn values_of_the_wrong_type_are_named() {
    for text in [
        "listen = 8080",
        "listen = [\"127.0.0.1:8080\"]",
        "subnets = []",
        "subnets = [1]",
        "log = \"info\"",
        "listen = { host = \"127.0.0.1\" }",
        "webhook.in_flight_max = 1.5",
        "flows.watch = \"yes\"",
        "listen = true",
        "webhook.deadline = true",
        "webhook.in_flight_max = \"many\"",
        "webhook.in_flight_max = -1",
        "webhook.retry_after = \"1500ms\"",
        "telegram_api_url = \"api.telegram.org\"",
        "telegram_api_url = \"ftp://api.telegram.org\"",
        "redis_url = \"memcached://host\"",
    ] {
        let problems = Told::file(text).problems();
        assert!(problems.len() == 1 && problems[0].starts_with("my.toml:1:"), "{text}: {problems:?}");
    }
}

//! Passwords are shown to nobody.

use super::Told;
use tapgate::config::{self, starred};

#[test]
fn passwords_are_starred_in_what_people_are_shown() {
    for (text, shown) in [
        ("postgres://me:hunter2@host:5432/db", "postgres://me:***@host:5432/db"),
        ("postgres://host/db?user=me&password=hunter2", "postgres://host/db?user=me&password=***"),
        ("redis://:hunter2@host:6379/0", "redis://:***@host:6379/0"),
        ("https://me:hunter2@api.example.org/", "https://me:***@api.example.org/"),
        ("sqlite://tapgate.db", "sqlite://tapgate.db"),
        ("postgres://host/db", "postgres://host/db"),
        ("127.0.0.1:8080", "127.0.0.1:8080"),
    ] {
        assert_eq!(starred(text), shown.replace("%2A", "*"), "{text}");
    }
}

#[test]
fn neither_the_effective_values_nor_debug_show_a_password() {
    let mut told = Told::environment([
        ("DATABASE_URL", "postgres://me:hunter2@host/db"),
        ("REDIS_URL", "rediss://:hunter2@host"),
        ("TAPGATE_TELEGRAM_API_URL", "http://me:hunter2@host"),
    ]);
    let effective = serde_json::to_string(&told.with(config::effective)).unwrap();
    assert!(effective.contains("***") && !effective.contains("hunter2"), "{effective}");
    let problems = told.problems();
    assert!(problems.len() == 1 && !problems[0].contains("hunter2"), "{problems:?}");
    told.environment.pop();
    let config = format!("{:?}", told.load().unwrap());
    assert!(!config.contains("hunter2"), "{config}");
}

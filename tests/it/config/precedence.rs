//! Which source wins, and what a value may look like in each.

use super::Told;
use tapgate::config::{self, Address, Origin, TrustedProxies};
use tapgate::storage::StorageUrl;

#[test]
fn a_flag_beats_the_environment_which_beats_the_file_which_beats_the_default() {
    let mut told = Told::file("listen = \"127.0.0.1:1\"\nops_listen = \"127.0.0.1:1\"\n");
    told.environment = vec![("TAPGATE_LISTEN", "127.0.0.1:2"), ("DATABASE_URL", "sqlite://environment.db")];
    told.flags = vec![("database_url", "--database-url", "sqlite://flag.db")];
    let config = told.load().unwrap();
    assert_eq!(config.database_url, StorageUrl::Sqlite("flag.db".into()));
    assert_eq!(config.listen, Address::Tcp("127.0.0.1:2".parse().unwrap()));
    assert_eq!(config.ops_listen, "127.0.0.1:1".parse().unwrap());

    let effective = told.with(config::effective);
    let origin = |key: &str| effective.iter().find(|setting| setting.key == key).unwrap().origin.clone();
    assert_eq!(origin("database_url"), Some(Origin::Flag { name: "--database-url" }));
    assert_eq!(origin("listen"), Some(Origin::Environment { name: "TAPGATE_LISTEN" }));
    assert_eq!(origin("ops_listen"), Some(Origin::File { path: "my.toml".to_owned(), line: 2, column: 14 }));
    assert_eq!(origin("log.filter"), Some(Origin::Default));
    assert_eq!(origin("redis_url"), None);
}

#[test]
fn an_empty_variable_counts_as_absent() {
    let config = Told::environment([("REDIS_URL", ""), ("DATABASE_URL", "")]).load().unwrap();
    assert_eq!(config.redis_url, None);
    assert_eq!(config.database_url, StorageUrl::Sqlite("tapgate.db".into()));
}

#[test]
fn lists_are_separated_by_commas_in_a_variable() {
    let config = Told::environment([
        ("TAPGATE_TRUSTED_PROXIES", "10.0.0.0/8, 192.168.1.7 ,unix,::1"),
        ("TAPGATE_SUBNETS", "0.0.0.0/0"),
    ])
    .load()
    .unwrap();
    let networks = ["10.0.0.0/8", "192.168.1.7/32", "::1/128"].map(|network| network.parse().unwrap()).to_vec();
    assert_eq!(config.trusted_proxies, TrustedProxies { networks, unix: true });
    assert_eq!(config.subnets, ["0.0.0.0/0".parse().unwrap()]);
}

#[test]
fn the_listener_may_be_a_unix_socket() {
    let config = Told::environment([("TAPGATE_LISTEN", "unix:/run/tapgate.sock")]).load().unwrap();
    assert_eq!(config.listen, Address::Unix("/run/tapgate.sock".into()));
}

#[test]
fn the_database_url_chooses_the_profile() {
    for (text, path) in
        [("sqlite://tapgate.db", "tapgate.db"), ("sqlite:///var/t.db", "/var/t.db"), ("sqlite://./a b.db", "./a b.db")]
    {
        assert_eq!(text.parse(), Ok(StorageUrl::Sqlite(path.into())));
    }
    for text in ["postgres://me:pass@host:5432/db", "postgresql:///db?host=/run/postgresql"] {
        assert!(matches!(text.parse(), Ok(StorageUrl::Postgres(url)) if url.expose() == text));
    }
    for text in ["", "tapgate.db", "sqlite:", "sqlite://", "sqlite::memory:", "sqlite://a.db?mode=ro", "mysql://h/d"] {
        assert!(text.parse::<StorageUrl>().is_err(), "{text}");
    }
}

#[test]
fn serving_from_postgresql_needs_redis_and_says_why() {
    let mut told = Told::environment([("DATABASE_URL", "postgres://host/db")]);
    let refused = told.load().unwrap().check_for_serving().unwrap_err().to_string();
    assert!(refused.contains("REDIS_URL") && refused.contains("repeat"), "{refused}");
    told.environment.push(("REDIS_URL", "redis://127.0.0.1:6379"));
    assert!(told.load().unwrap().check_for_serving().is_ok());
}

//! `config/default.toml` is the reference manual.

use super::Told;
use std::time::Duration;
use tapgate::config::{self, Address, KEYS, Lanes, LogFormat, MANUAL, Sources, TrustedProxies};
use tapgate::storage::{Gathering, StorageUrl};

#[test]
fn every_key_and_variable_is_in_it_and_every_key_is_explained() {
    for key in KEYS {
        let leaf = key.path.rsplit('.').next().unwrap();
        let line = MANUAL
            .lines()
            .position(|line| line.trim_start_matches("# ").starts_with(&format!("{leaf} = ")))
            .unwrap_or_else(|| panic!("{} is not in the manual", key.path));
        assert!(MANUAL.lines().nth(line - 1).unwrap().starts_with('#'), "{} is not explained", key.path);
        if let Some(variable) = key.variable {
            assert!(MANUAL.contains(variable), "{variable} is not in the manual");
        }
    }
}

#[test]
fn its_commented_keys_are_examples_that_are_accepted() {
    let uncommented: String = MANUAL
        .lines()
        .map(|line| line.strip_prefix("# ").filter(|line| line.contains(" = ")).unwrap_or(line))
        .fold(String::new(), |text, line| text + line + "\n");
    assert_ne!(uncommented, MANUAL);
    assert_eq!(Told::file(uncommented.leak()).problems(), Vec::<String>::new());
}

#[test]
fn the_embedded_profile_needs_nothing() {
    let config = config::load(&Sources::NONE).unwrap();
    assert_eq!(config.database_url, StorageUrl::Sqlite("tapgate.db".into()));
    assert_eq!(config.redis_url, None);
    assert_eq!(config.listen, Address::Tcp("127.0.0.1:8080".parse().unwrap()));
    assert_eq!(config.ops_listen, "127.0.0.1:9180".parse().unwrap());
    assert_eq!(config.telegram_api_url.as_str(), "https://api.telegram.org/");
    assert_eq!(config.trusted_proxies, TrustedProxies::default());
    assert_eq!(config.subnets, ["149.154.160.0/20".parse().unwrap(), "91.108.4.0/22".parse().unwrap()]);
    assert_eq!((&config.flows_dir, config.flows.watch), (&None, false));
    assert_eq!((config.log.filter.as_str(), config.log.format), ("info", LogFormat::Text));
    assert_eq!(config.webhook.in_flight_max, 512);
    assert_eq!(config.webhook.deadline, Duration::from_secs(5));
    assert_eq!(config.webhook.retry_after, Duration::from_secs(1));
    assert_eq!(config.gathering, Gathering { loaders: 1, committers: 2, batch_max: 64, waiting_max: 4096 });
    assert_eq!(config.sender.calls_max, 64);
    assert_eq!(config.sender.lease, Duration::from_secs(15));
    assert_eq!(config.sender.poll_interval, Duration::from_millis(250));
    assert_eq!(config.sender.call_timeout, Duration::from_secs(30));
    assert_eq!(config.lanes, Lanes { lease: Duration::from_secs(60), attempts_max: 3, floor: 5 });
    assert_eq!(config.workers, []);
    assert_eq!(config.ops.webhook_info_interval, None);
    assert!(config.check_for_serving().is_ok());
}

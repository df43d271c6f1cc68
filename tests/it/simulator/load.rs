//! `botctl sandbox load`: what it reports is read from the rows. How fast it was is nobody's expectation here.

use super::script::sandbox;
use serde_json::Value;

#[tokio::test]
async fn users_who_tap_as_fast_as_they_can_lose_nothing_and_double_nothing() {
    let ran = sandbox(&["load", "--users", "30", "--seconds", "1", "--max-connections", "10", "--json"]).await;
    assert_eq!((ran.code, ran.said.as_str()), (0, ""), "{}", ran.printed);
    let report: Value = serde_json::from_str(&ran.printed).unwrap();
    assert_eq!((&report["users"], &report["max_connections"]), (&30.into(), &10.into()));
    assert!(report["taken"].as_u64().unwrap() > 0, "{report}");
    assert_eq!((&report["miscounted"], &report["unseen"]), (&Value::Array(vec![]), &Value::Array(vec![])));
}

#[tokio::test]
async fn its_report_is_a_table_for_people() {
    let ran = sandbox(&["load", "--users", "3", "--seconds", "1"]).await;
    assert_eq!(ran.code, 0, "{}{}", ran.printed, ran.said);
    assert!(ran.printed.starts_with("3 users, max_connections 40, "), "{}", ran.printed);
    assert!(ran.printed.contains("rows       3 of 3 users: the version is what they did\n"), "{}", ran.printed);
}

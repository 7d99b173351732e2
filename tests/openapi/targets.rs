//! The members of a target (docs/API.md, section 12.2): the description, the bodies that the gateway takes, what it shows, and
//! the exchanges have the same ones. What is missing is named.

use std::collections::BTreeSet;

use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Worker};
use portreeve::groupware::DeliveryAuth;
use portreeve::server::Bounds;
use portreeve::vault::{Keyring, SqliteStore, Vault};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::contract::CONTRACT;
use crate::support::gateway::{TestGateway, set};

const TARGETS: &str = "/api/v1/deliveries/targets";
/// Another name of `eventFilter`.
const ALIAS: &str = "event_filter";

/// The schema of the members that both bodies may have.
const SHARED: &str = "/components/schemas/TargetMembers/properties";
/// The method of each body, its path and the schema of the other members that it may have.
const BODIES: [(&str, &str, &str); 2] =
    [("POST", "", "NewTarget"), ("PATCH", "/x", "TargetChange")];

const EXCHANGES: [&str; 2] =
    [include_str!("../exchanges/deliveries.txt"), include_str!("../exchanges/targets.txt")];

/// The names of the described properties.
fn names(properties: &str) -> BTreeSet<&'static str> {
    let properties = CONTRACT.at(properties).as_object().unwrap().keys();
    properties.map(String::as_str).filter(|name| *name != ALIAS).collect()
}

/// All members of the body with the schema `own`.
fn members(own: &str) -> BTreeSet<&'static str> {
    let own = names(&format!("/components/schemas/{own}/properties"));
    names(SHARED).union(&own).copied().collect()
}

/// The example of a body that makes a target, at an address that need not be looked up.
fn example() -> Value {
    let media = "/paths/~1api~1v1~1deliveries~1targets/post/requestBody/content/application~1json";
    let mut example = CONTRACT.at(&format!("{media}/example")).clone();
    example["uri"] = json!("http://127.0.0.1:9/");
    example
}

#[tokio::test]
async fn api_12_2_the_bodies_have_the_members_that_are_described() {
    let (gateway, _dir) = start().await;
    for (method, path, own) in BODIES {
        let path = format!("{TARGETS}{path}");
        let refused = gateway.call("alice", method, &path, r#"{"colour": 1}"#).await;
        let refused = refused.assert_error(400, "Bad request");
        let (_, taken) = refused.split_once(" object with ").expect("the names of the members");
        let taken = taken.replace(" and optionally ", ", ").replace(" and ", ", ");
        let taken = taken.replace(" or ", ", ");
        let taken: BTreeSet<_> = taken.split(", ").collect();
        let described = members(own);
        let more: Vec<_> = taken.difference(&described).collect();
        let lacks: Vec<_> = described.difference(&taken).collect();
        assert!(more.is_empty(), "{own} of docs/openapi.json lacks {more:?}");
        assert!(lacks.is_empty(), "src/gateway/input/target.rs lacks {lacks:?}, which {own} has");
        for name in taken {
            let mut wrong = json!({"uri": "http://127.0.0.1:9/"});
            wrong[name] = json!(7);
            // The description has this message, too.
            let refused = gateway.call("alice", method, &path, &wrong.to_string()).await;
            let refused = refused.assert_error(400, "Bad request");
            assert!(refused.starts_with(&format!("Invalid {name}: ")), "{name}: {refused}");
        }
    }
}

#[tokio::test]
async fn api_12_2_a_target_shows_and_keeps_each_member_that_it_was_given() {
    let (gateway, _dir) = start().await;
    let example = example();
    let made = gateway.call("alice", "POST", TARGETS, &example.to_string()).await;
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    let path = format!("{TARGETS}/{}", made["id"].as_str().unwrap());
    for name in names(SHARED) {
        let given = example.get(name);
        let given = given.unwrap_or_else(|| panic!("the example of a new target lacks {name}"));
        let is_shown = |answer: &Value| answer.get(name).is_some_and(|value| !value.is_null());
        assert!(is_shown(&made), "the answer of a new target lacks {name}: {made}");
        let change = json!({ name: given });
        let changed = gateway.call("alice", "PATCH", &path, &change.to_string()).await;
        assert_eq!(changed.status, 200, "{name}: {changed:?}");
        let kept = gateway.call("alice", "GET", &path, "").await.json();
        assert_eq!(kept[name], made[name], "{name} is not kept: {kept}");
    }
}

#[test]
fn the_exchanges_have_each_member_of_a_target_and_a_wrong_one() {
    for name in members("NewTarget").union(&members("TargetChange")) {
        for text in [format!("\"{name}\": "), format!("Invalid {name}: ")] {
            let has = EXCHANGES.iter().any(|exchanges| exchanges.contains(&text));
            assert!(has, "tests/exchanges/targets.txt lacks {text}");
        }
    }
}

/// A gateway with deliveries, which sends nothing; targets may be on loopback.
async fn start() -> (TestGateway, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path().join("portreeve.db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    let vault = Vault::new(Keyring::generate().unwrap(), store);
    let deliveries = Deliveries::new(vault, queue, Limits::default());
    let networks = Networks::new(["127.0.0.0/8".parse().unwrap()]);
    let worker = Worker::new(deliveries, networks);
    let set = set(|settings| {
        settings.delivery = Some(DeliveryAuth::derived("the secret".into()).unwrap());
        settings.public_url = Some("https://gateway.example.org".parse().unwrap());
    });
    let change = |gateway| set(gateway).deliveries(worker);
    (TestGateway::start(Bounds::default(), change).await, dir)
}

//! Lists of targets and of their deliveries, replays, and changes that come at once.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use http::StatusCode;
use portreeve::deliveries::Scope;
use serde_json::{Value, json};

use crate::relay::{Relay, event, path_of};
use crate::target::{Target, status, until};

#[tokio::test]
async fn api_12_2_a_list_of_targets_has_pages_with_cursors_of_their_own() {
    let relay = Relay::start().await;
    let mut made = BTreeSet::new();
    for user in ["alice", "bob", "carol", "root"] {
        for _ in 0..76 {
            let target = relay.target(user, json!({"uri": "http://127.0.0.1:9/"}));
            made.insert(target.await["id"].as_str().unwrap().to_owned());
        }
    }
    let list = async |user, query: &str| {
        let path = format!("targets{query}");
        relay.call(user, "GET", &path, Value::Null).await
    };
    let ids = |page: &Value| -> Vec<String> {
        let targets = page["targets"].as_array().unwrap().iter();
        targets.map(|it| it["id"].as_str().unwrap().to_owned()).collect()
    };
    let first = list("root", "?user=*").await.json();
    let mut listed = ids(&first);
    assert_eq!(listed.len(), 300);
    let cursor = first["cursor"].as_str().unwrap();
    let second = list("root", &format!("?user=*&cursor={cursor}")).await.json();
    listed.extend(ids(&second));
    assert_eq!(second["cursor"], Value::Null);
    assert_eq!((listed.len(), listed.into_iter().collect()), (304, made));
    // The cursor of another list, and the id of a target, are none.
    let id = &ids(&first)[0];
    for (user, query) in [
        ("root", format!("?cursor={cursor}")),
        ("root", format!("?user=alice&cursor={cursor}")),
        ("alice", format!("?cursor={cursor}")),
        ("root", format!("?user=*&cursor={id}")),
        ("alice", "?cursor=0123456789abcdef".to_owned()),
    ] {
        assert_eq!(list(user, &query).await.status, 400, "{user} {query}");
    }
}

/// As many as one user may have under way: each is made, and none undoes another.
#[tokio::test(flavor = "multi_thread")]
async fn api_12_2_changes_of_one_target_at_once_are_all_made() {
    let relay = Relay::start().await;
    let made = relay.target("alice", json!({"uri": "http://127.0.0.1:9/"}));
    let made = made.await;
    let path = path_of(&made);
    let secret = format!("{path}/secret");
    let changes = (0..60).map(async |number| match number % 3 {
        0 => relay.call("alice", "POST", &secret, Value::Null).await,
        1 => relay.call("alice", "PATCH", &path, json!({"paused": true})).await,
        _ => relay.call("alice", "PATCH", &path, json!({"uri": "http://127.0.0.1:8/"})).await,
    });
    for answer in join_all(changes).await {
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let shown = relay.get("alice", &path).await;
    assert_eq!((&shown["state"], &shown["uri"]), (&json!("paused"), &json!("http://127.0.0.1:8/")));
    let kept = relay.second_gateway().await;
    let id = made["id"].as_str().unwrap().parse().unwrap();
    let target = kept.queue().target(Scope::All, id).await.unwrap().unwrap();
    assert_eq!(target.revision, 61);
}

#[tokio::test]
async fn api_12_4_a_list_has_pages_and_a_replay_sends_again() {
    let relay = Relay::start().await;
    let target = Target::ok().await;
    let made = relay.target("carol", json!({"uri": target.uri()})).await;
    for n in 0..310 {
        relay.deliver(&event("carol", n)).await;
    }
    until("all arrive", async || target.received() >= 310).await;
    let path = format!("{}/deliveries", path_of(&made));
    let first = relay.get("carol", &path).await;
    assert_eq!(first["deliveries"].as_array().unwrap().len(), 300);
    let cursor = first["cursor"].as_str().unwrap();
    let next = format!("{path}?cursor={cursor}");
    let second = relay.get("carol", &next).await;
    assert_eq!(second["deliveries"].as_array().unwrap().len(), 10);
    assert_eq!(second["cursor"], Value::Null);
    let body = json!({"since": "2026-01-01T00:00:00Z", "all": true});
    let path = format!("{}/replay", path_of(&made));
    let replayed = relay.call("carol", "POST", &path, body).await.json();
    assert_eq!((&replayed["replayed"], &replayed["cursor"]), (&json!(310), &Value::Null));
    until("all arrive again", async || target.received() >= 620).await;
    // A target that is new gets those that it wants, by portions if it has a filter.
    let filter = json!({"user.uid": "carol"});
    let other = Target::ok().await;
    let made = json!({"uri": other.uri(), "eventFilter": filter});
    let made = relay.target("carol", made).await;
    let path = format!("{}/replay", path_of(&made));
    let (mut cursor, mut portions) = (Value::Null, Vec::new());
    loop {
        let body = json!({"since": "2026-01-01T00:00:00Z", "cursor": cursor});
        let replayed = relay.call("carol", "POST", &path, body).await.json();
        portions.push(replayed["replayed"].as_u64().unwrap());
        cursor = replayed["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(portions, [100, 100, 100, 10]);
    until("each arrives", async || other.received() == 310).await;

    // The same events as they are pulled.
    let (mut pulled, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("events{cursor}");
        let page = relay.get("carol", &path).await;
        let events = page["events"].as_array().unwrap();
        assert!(events.len() <= 300, "{}", events.len());
        if events.is_empty() {
            break;
        }
        pulled.extend(events.iter().map(|it| it["body"]["time"].as_u64().unwrap()));
        cursor = format!("?cursor={}", page["cursor"].as_str().unwrap());
    }
    assert_eq!(pulled, (0..310).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn api_12_4_a_retry_says_that_an_attempt_is_under_way() {
    let relay = Relay::start().await;
    let target = Target::serving(|target, stream| async move {
        tokio::time::sleep(Duration::from_secs(2)).await;
        target.http(stream, || status(StatusCode::OK)).await;
    });
    let target = target.await;
    let made = relay.target("alice", json!({"uri": target.uri()})).await;
    relay.deliver(&event("alice", 1)).await;
    until("an attempt begins", async || target.connections() == 1).await;
    let listed = relay.deliveries("alice", &made, |list| !list[0].is_null());
    let listed = listed.await;
    assert_eq!(
        (&listed[0]["state"], &listed[0]["next_attempt_at"]),
        (&json!("pending"), &Value::Null)
    );
    let path = format!("{}/retry", listed[0]["id"].as_str().unwrap());
    let retried = relay.call("alice", "POST", &path, Value::Null).await;
    assert_eq!(retried.json(), json!({"success": true, "message": "An attempt is under way"}));
    let is_done = |list: &Value| list[0]["state"] == "delivered";
    relay.deliveries("alice", &made, is_done).await;
    assert_eq!(target.received(), 1);
}

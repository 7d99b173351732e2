//! What somebody has not got: from a database that was restored, and while their target was disabled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::StatusCode;
use portreeve::deliveries::{Deliveries, Incoming, Limits, Queue};
use portreeve::groupware::EventClasses;
use portreeve::vault::{Keyring, SqliteStore, Vault};
use serde_json::{Value, json};

use crate::relay::{Relay, event, last_id, path_of};
use crate::target::{Target, status, until};

/// Positions are used again: a cursor of what was lost is told from one of what is there now. One before it is told, too.
#[tokio::test]
async fn api_12_5_after_a_restore_a_cursor_of_what_was_lost_is_a_gap() {
    let relay = Relay::start().await;
    let read = async |cursor: &Value| {
        let cursor = cursor.as_str().unwrap_or_default();
        let path = match cursor {
            "" => "events".to_owned(),
            cursor => format!("events?cursor={cursor}"),
        };
        relay.get("carol", &path).await
    };
    let target = relay.target("carol", json!({"uri": "http://127.0.0.1:9/"}));
    let target = path_of(&target.await);
    relay.deliver(&event("carol", 0)).await;
    let first = read(&Value::Null).await;
    for n in 1..3 {
        relay.deliver(&event("carol", n)).await;
    }
    let old = read(&Value::Null).await;
    assert_eq!(read(&old["cursor"]).await["gap"], false);
    // As if the backup had been made after the first one.
    let database = relay.database();
    let restore = "DELETE FROM unmatched_receipt; \
                   DELETE FROM receipt WHERE position > (SELECT min(position) FROM receipt)";
    database.execute_batch(restore).unwrap();
    for n in 10..14 {
        relay.deliver(&event("carol", n)).await;
    }
    let new = read(&old["cursor"]).await;
    let times = new["events"].as_array().unwrap().iter();
    let times: Vec<_> = times.map(|it| it["body"]["time"].as_u64().unwrap()).collect();
    assert_eq!((times, &new["gap"]), (vec![0, 10, 11, 12, 13], &json!(true)));
    let early = read(&first["cursor"]).await;
    assert_eq!((early["events"].as_array().unwrap().len(), &early["gap"]), (4, &json!(true)));
    let told = early["gaps"].as_array().unwrap();
    assert_eq!((told.len(), &told[0]["reason"]), (1, &json!("lost")));
    assert_eq!(
        (&new["gaps"], &relay.get("carol", &target).await["gaps"]),
        (&early["gaps"], &early["gaps"])
    );
    let now = read(&new["cursor"]).await;
    assert_eq!((&now["events"], &now["gap"]), (&json!([]), &json!(false)));
}

#[tokio::test]
async fn api_12_2_whoever_resumes_a_disabled_target_is_told_what_it_missed_and_a_replay_sends_it() {
    let relay = Relay::start().await;
    let is_back = Arc::new(AtomicBool::new(false));
    let answers = is_back.clone();
    let target = Target::answering(move || match answers.load(Ordering::SeqCst) {
        true => status(StatusCode::OK),
        false => status(StatusCode::GONE),
    })
    .await;
    let made = json!({"uri": target.uri(), "eventFilter": {"time": {"$lt": 3}}});
    let made = relay.target("carol", made).await;
    assert_eq!(made["missed"], Value::Null);
    let path = path_of(&made);
    let shown = async || relay.get("carol", &path).await;
    relay.deliver(&event("carol", 0)).await;
    until("it is disabled", async || shown().await["state"] == "disabled").await;
    for n in 1..5 {
        relay.deliver(&event("carol", n)).await;
    }
    until("those that it wanted are counted", async || shown().await["missed"] == 2).await;
    is_back.store(true, Ordering::SeqCst);
    let resumed = relay.call("carol", "PATCH", &path, json!({"paused": false})).await.json();
    let told = (&resumed["state"], &resumed["missed"]);
    assert_eq!(told, (&json!("active"), &json!(2)));
    assert_eq!(shown().await["missed"], Value::Null);
    let since = json!({"since": "2020-01-01T00:00:00Z"});
    let replay = relay.call("carol", "POST", &format!("{path}/replay"), since).await;
    // The one that was refused, too.
    assert_eq!(replay.json()["replayed"], 3);
    until("all have arrived", async || target.received() == 4).await;
}

/// Not even for whoever reads from the beginning: they cannot know it otherwise.
#[tokio::test]
async fn api_12_5_an_event_that_does_not_open_is_a_gap_from_the_beginning_too() {
    let relay = Relay::start().await;
    for n in 0..3 {
        relay.deliver(&event("carol", n)).await;
    }
    let database = relay.database();
    let change = |sealed| {
        let sql =
            "WHERE position = (SELECT position FROM receipt ORDER BY position LIMIT 1 OFFSET 1)";
        database.execute(&format!("UPDATE receipt SET sealed = {sealed} {sql}"), []).unwrap();
    };
    change("substr(sealed, 1, 20)");
    let read = relay.get("carol", "events").await;
    assert_eq!(read["events"].as_array().unwrap().len(), 2);
    assert_eq!(read["gap"], true);
    // What was given up for lack of room has gone, as what was removed.
    change("x''");
    let read = relay.get("carol", "events").await;
    assert_eq!((read["events"].as_array().unwrap().len(), &read["gap"]), (2, &json!(false)));
}

/// Another gateway that has the key opens it, and so does this one once it has.
#[tokio::test(flavor = "multi_thread")]
async fn api_12_5_an_event_whose_key_is_elsewhere_is_not_passed_over() {
    let relay = Relay::start().await;
    let (own, new) = (relay.dir.path().join("vault.key"), relay.dir.path().join("new.key"));
    std::fs::copy(&own, &new).unwrap();
    let added = Keyring::add_key(&new).unwrap();
    let store = SqliteStore::open(relay.dir.path().join("db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    let vault = Vault::new(Keyring::read(&new).unwrap(), store);
    let other = Deliveries::new(vault.clone(), queue, Limits::default());

    // For a second this gateway believes that its key seals.
    relay.deliver(&event("carol", 1)).await;
    let rotated = vault.clone();
    let rotating = tokio::spawn(async move { rotated.rotate_keys().await });
    until("it seals", async || vault.sealing_key().await.unwrap() == added).await;
    let incoming = Incoming::parse(event("carol", 2).as_bytes(), &EventClasses::default());
    other.receive(incoming.unwrap()).await.unwrap();
    for _ in 0..2 {
        let read = relay.call("carol", "GET", "events", Value::Null).await;
        read.assert_error(500, "Internal error");
    }
    rotating.await.unwrap().unwrap();

    std::fs::rename(&new, &own).unwrap();
    let mut read = Value::Null;
    until("it has the key", async || {
        read = relay.get("carol", "events").await;
        read["events"].is_array()
    })
    .await;
    assert_eq!((read["events"].as_array().unwrap().len(), &read["gap"]), (2, &json!(false)));
}

/// Each is told once, whether there are events or not; a target shows those since it was made.
#[tokio::test]
async fn api_12_5_the_time_without_a_gateway_is_told_once_with_its_reason() {
    let relay = Relay::start().await;
    let read = async |query: &str| {
        let path = format!("events{query}");
        relay.get("carol", &path).await
    };
    let target = relay.target("carol", json!({"uri": "http://127.0.0.1:9/"}));
    let path = format!("targets/{}", target.await["id"].as_str().unwrap());
    let shown = async || relay.get("carol", &path).await;
    assert_eq!(shown().await["gaps"], json!([]));
    let before = read("").await;
    assert_eq!((&before["gap"], &before["gaps"]), (&json!(false), &json!([])));
    // As if it had left its last sign of life an hour ago.
    let database = relay.database();
    let ago = "UPDATE delivery_presence SET seen_at = seen_at - 3600000, there_until = there_until - 3600000";
    until("it has left one", async || database.execute(ago, []).unwrap() == 1).await;

    let after = |page: &Value| format!("?cursor={}", page["cursor"].as_str().unwrap());
    let mut told = Value::Null;
    until("it leaves the next one", async || {
        told = read(&after(&before)).await;
        told["gap"] == true
    })
    .await;
    assert_eq!((&told["events"], &told["gap"]), (&json!([]), &json!(true)));
    let [gap] = &**told["gaps"].as_array().unwrap() else { panic!("{told}") };
    assert_eq!(gap["reason"], "downtime");
    let at = |name: &str| humantime::parse_rfc3339(gap[name].as_str().unwrap()).unwrap();
    let length = at("until").duration_since(at("from")).unwrap();
    assert!(length >= Duration::from_secs(3599), "{gap}");
    assert_eq!(shown().await["gaps"], told["gaps"]);
    let list = relay.get("carol", "targets").await;
    assert!(list["targets"][0]["gaps"].is_null(), "{list}");
    let later = relay.target("carol", json!({"uri": "http://127.0.0.1:9/"})).await;
    let later = path_of(&later);
    let later = relay.get("carol", &later).await;
    assert_eq!(later["gaps"], json!([]));

    // Whoever begins is told, too: what is kept has a hole there.
    for query in [after(&told), "?cursor=now".to_owned()] {
        let page = read(&query).await;
        assert_eq!((&page["gap"], &page["gaps"]), (&json!(false), &json!([])), "{query}");
    }
    assert_eq!(read("").await["gaps"], told["gaps"]);
    relay.deliver(&event("carol", 1)).await;
    let page = read(&after(&told)).await;
    assert_eq!((page["events"].as_array().unwrap().len(), &page["gap"]), (1, &json!(false)));
    let mut stream = relay.stream(&after(&before), "").await;
    let (id, text) = last_id(&mut stream).await;
    let data = text.split("event: gap\ndata: ").nth(1).unwrap();
    let data: Value = serde_json::from_str(data.lines().next().unwrap()).unwrap();
    assert_eq!(data, json!({"gaps": told["gaps"]}));
    let mut stream = relay.stream(&format!("?cursor={id}"), "").await;
    let (_, text) = last_id(&mut stream).await;
    assert!(!text.contains("gap"), "{text}");

    // Longer ago than anything is kept: it is told to those alone who read before it.
    let ago =
        "UPDATE delivery_gap SET from_at = from_at - 864000000, until_at = until_at - 864000000";
    assert_eq!(database.execute(ago, []).unwrap(), 1);
    let fresh = read("").await;
    assert_eq!((&fresh["gap"], &fresh["gaps"]), (&json!(false), &json!([])));
    assert_eq!(read(&after(&fresh)).await["gap"], false);
    assert_eq!(read(&after(&before)).await["gap"], true);
}

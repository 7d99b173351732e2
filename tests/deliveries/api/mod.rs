//! Deliveries over HTTP, from one end to the other (docs/API.md, section 12), and whose they are.

mod events;
mod filters;
mod histories;
mod lists;
mod secrets;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::{HeaderMap, StatusCode};
use portreeve::server::Bounds;
use serde_json::{Value, json};

use crate::relay::{NODE, Relay, event, path_of};
use crate::target::{Target, until};

#[tokio::test]
async fn api_12_what_is_received_arrives_signed_although_the_first_attempt_fails() {
    let relay = Relay::start().await;
    let target = Target::ok().await;
    let broken = Target::always(StatusCode::INTERNAL_SERVER_ERROR).await;
    let wanted = json!({"uri": broken.uri(), "events": [NODE], "eventFilter": {"event.node.path": "/\\.md$/"}});
    let made = relay.target("carol", wanted).await;
    let body = event("carol", 1).replace("\":", "\" : ");
    let sent = body.replacen('{', "{\"authentication\":{\"owner\":{\"token\":\"x\"}}, ", 1);
    relay.deliver(&sent).await;

    let has_failed = |list: &Value| list[0]["attempts"][0]["status"] == 500;
    let failed = relay.deliveries("carol", &made, has_failed).await;
    assert_eq!(failed[0]["state"], "pending");
    assert_eq!(failed[0]["event"], NODE);
    let id = failed[0]["id"].as_str().unwrap();
    let retry = async || {
        let path = format!("{id}/retry");
        let retried = relay.call("carol", "POST", &path, Value::Null).await;
        retried.json()["message"].clone()
    };
    assert_eq!(retry().await, "Delivery is sent again");
    let has_failed_again = |list: &Value| list[0]["attempts"][1]["status"] == 500;
    relay.deliveries("carol", &made, has_failed_again).await;
    // Its owner mends the address, and does not want to wait.
    let path = path_of(&made);
    let mended = json!({"uri": target.uri(), "paused": true});
    let mended = relay.call("carol", "PATCH", &path, mended).await.json();
    assert_eq!(mended["pending"], 1, "{mended}");
    let since = mended["failing_since"].as_str().unwrap();
    assert!(since.ends_with('Z'), "{mended}");
    let later = "Delivery is sent again once its target is active (it is paused)";
    assert_eq!(retry().await, later);
    let active = json!({"paused": false});
    let active = relay.call("carol", "PATCH", &path, active).await.json();
    assert_eq!(active["failing_since"], Value::Null);
    let is_done = |list: &Value| list[0]["state"] == "delivered";
    let done = relay.deliveries("carol", &made, is_done).await;
    assert_eq!(done[0]["attempts"][2]["outcome"], "delivered");
    let arrived = retry().await;
    assert!(arrived.as_str().unwrap().contains("has arrived"), "{arrived}");
    let now = relay.get("carol", &path).await;
    assert_eq!((&now["failing_since"], &now["pending"]), (&Value::Null, &json!(0)));
    // With "all" from when it was received, which is shown to the second, it is sent once more.
    let all = json!({"since": done[0]["received_at"], "all": true});
    let replay = format!("{path}/replay");
    relay.call("carol", "PATCH", &path, json!({"paused": true})).await;
    let replayed = relay.call("carol", "POST", &replay, all).await.json();
    let later = "Deliveries are sent again once their target is active (it is paused)";
    assert_eq!((&replayed["message"], &replayed["replayed"]), (&json!(later), &json!(1)));

    let (first, second) = (&broken.requests()[0], &target.requests()[0]);
    let verifier = standardwebhooks::Webhook::new(made["secret"].as_str().unwrap()).unwrap();
    for (head, received) in [first, second] {
        assert_eq!(head.headers["webhook-id"], id);
        assert_eq!(head.headers["content-type"], "application/json");
        // As it came, byte for byte, but for what must not be passed on.
        let kept = body.replacen('{', "{ ", 1);
        assert_eq!(std::str::from_utf8(received).unwrap(), kept);
        let mut headers = HeaderMap::new();
        for (name, value) in &head.headers {
            headers.insert(name.clone(), value.clone());
        }
        verifier.verify(received, &headers).unwrap();
    }
}

#[tokio::test]
async fn api_12_2_nobody_gets_an_event_of_somebody_else() {
    let relay = Relay::start().await;
    let (alices, bobs, all) = (Target::ok().await, Target::ok().await, Target::ok().await);
    let own = relay.target("alice", json!({"uri": alices.uri()})).await;
    // Whatever a filter asks for.
    for filter in [
        json!({"user.uid": "alice"}),
        json!({"$or": [{"user.uid": "alice"}, {"time": {"$exists": true}}]}),
        json!({"user.uid": {"$in": ["alice", "bob"]}}),
        json!({"user.uid": {"$ne": "bob"}}),
        Value::Null,
    ] {
        relay.target("bob", json!({"uri": bobs.uri(), "eventFilter": filter})).await;
    }
    let every = relay.target("root", json!({"uri": all.uri(), "user": "*"})).await;
    for n in 0..5 {
        relay.deliver(&event("alice", n)).await;
    }
    relay.deliver(&event("bob", 5)).await;
    relay.deliver(&json!({"event": {"class": NODE}, "user": null, "n": 6}).to_string()).await;
    let arrived = |count| {
        move |list: &Value| {
            let list = list.as_array().unwrap();
            list.len() == count && list.iter().all(|it| it["state"] == "delivered")
        }
    };
    relay.deliveries("alice", &own, arrived(5)).await;
    // The second, the third and the last filter pass bob's own event.
    until("bob gets his own", async || bobs.received() >= 3).await;
    let of_all = relay.deliveries("root", &every, arrived(7)).await;
    let users = |target: &Target| {
        let requests = target.requests();
        let bodies =
            requests.iter().map(|(_, body)| serde_json::from_slice::<Value>(body).unwrap());
        bodies.map(|body| body["user"]["uid"].clone()).collect::<Vec<_>>()
    };
    assert!(users(&alices).iter().all(|user| user == "alice"));
    assert_eq!(users(&all).len(), 7);
    assert!(users(&bobs).iter().all(|user| user == "bob"), "{:?}", users(&bobs));

    // Nor by an id: of a target, of a delivery, or both put together.
    let (target, every_id) = (own["id"].as_str().unwrap(), every["id"].as_str().unwrap());
    let of_alice = relay.deliveries("alice", &own, arrived(5)).await;
    let ids = of_alice.as_array().unwrap().iter().chain(of_all.as_array().unwrap());
    for id in ids.map(|delivery| delivery["id"].as_str().unwrap()) {
        let retried = relay.call("bob", "POST", &format!("{id}/retry"), Value::Null).await;
        assert_eq!(retried.status, 404, "{retried:?}");
        let mixed = format!("{}{}/retry", &id[..32], target);
        let retried = relay.call("carol", "POST", &mixed, Value::Null).await;
        assert_eq!(retried.status, 404, "{retried:?}");
    }
    for id in [target, every_id] {
        for (method, rest, body) in [
            ("GET", "", Value::Null),
            ("PATCH", "", json!({"uri": bobs.uri()})),
            ("DELETE", "", Value::Null),
            ("POST", "/secret", Value::Null),
            ("GET", "/deliveries", Value::Null),
            ("GET", "/deliveries?state=delivered", Value::Null),
            ("POST", "/replay", json!({"since": "2026-01-01T00:00:00Z", "all": true})),
        ] {
            let answer = relay.call("bob", method, &format!("targets/{id}{rest}"), body).await;
            assert_eq!(answer.status, 404, "{method} {rest}: {answer:?}");
        }
    }
    // Nor by a cursor, of which there is one for each account.
    let cursor = relay.get("alice", "events").await;
    let path = format!("events?cursor={}", cursor["cursor"].as_str().unwrap());
    assert_eq!(relay.call("bob", "GET", &path, Value::Null).await.status, 400);
    let events = relay.get("bob", "events").await;
    let events = events["events"].as_array().unwrap();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0]["body"]["user"]["uid"], "bob");
    assert_eq!(bobs.requests().len(), 3);
}

/// As real servers sent them: an invitation, an answer to one, and what others upload by a link.
#[tokio::test]
async fn api_12_3_who_causes_an_event_does_not_get_what_is_somebody_elses() {
    let relay = Relay::start().await;
    let (mut targets, mut received) = (Vec::new(), Vec::new());
    for user in ["alice", "bob"] {
        let target = Target::ok().await;
        relay.target(user, json!({"uri": target.uri()})).await;
        targets.push(target);
    }
    for release in ["nextcloud", "nextcloud-34.0.1"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings");
        let text = std::fs::read_to_string(format!("{folder}/{release}/owners.jsonl")).unwrap();
        for line in text.lines() {
            let recorded: Value = serde_json::from_str(line).unwrap();
            let owner = &recorded["owner"];
            if recorded["caused_by"] != *owner && (owner == "alice" || owner == "bob") {
                let body = recorded["body"].as_str().unwrap();
                relay.deliver(body).await;
                received.push((owner.clone(), serde_json::from_str::<Value>(body).unwrap()));
            }
        }
    }
    for (user, target) in ["alice", "bob"].into_iter().zip(&targets) {
        let of_user = received.iter().filter(|(owner, _)| owner == user);
        let own: Vec<_> = of_user.map(|(_, body)| body).collect();
        assert!(own.len() > 3, "{user}");
        until("each arrives", async || target.received() >= own.len()).await;
        let events = relay.get(user, "events").await;
        let events = events["events"].as_array().unwrap();
        assert_eq!(events.iter().map(|it| &it["body"]).collect::<Vec<_>>(), own);
        for (_, body) in target.requests() {
            let body: Value = serde_json::from_slice(&body).unwrap();
            assert!(own.contains(&&body), "{user}: {body}");
        }
    }
}

/// Names that were public when the targets were made: one is of an internal address afterwards, the other is gone.
#[tokio::test]
async fn api_12_4_whether_a_private_name_exists_is_not_revealed() {
    let is_made = Arc::new(AtomicBool::new(false));
    let later = is_made.clone();
    let relay = Relay::with(Bounds::default(), move |sender| {
        sender.resolver(move |name| {
            let answer = match (later.load(Ordering::SeqCst), name.as_str()) {
                (false, _) => Ok(vec![[9, 9, 9, 9].into()]),
                (true, "internal.example") => Ok(vec![[10, 0, 0, 1].into()]),
                (true, _) => Err(io::Error::other("no such name")),
            };
            async { answer }
        })
    })
    .await;
    let mut targets = Vec::new();
    for uri in ["https://internal.example/", "https://gone.example/"] {
        targets.push(relay.target("carol", json!({"uri": uri})).await);
    }
    is_made.store(true, Ordering::SeqCst);
    relay.deliver(&event("carol", 1)).await;
    for target in targets {
        let is_tried = |list: &Value| list[0]["attempts"][0].is_object();
        let list = relay.deliveries("carol", &target, is_tried).await;
        let attempt = &list[0]["attempts"][0];
        assert_eq!(
            (&attempt["outcome"], &attempt["status"]),
            (&json!("unresolved"), &Value::Null),
            "{target}"
        );
    }
}

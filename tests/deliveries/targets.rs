//! What a target may have besides, samples, and what whoever makes one is told (docs/API.md, section 12.2).

use std::time::Duration;

use http::StatusCode;
use portreeve::groupware::KnownEvent;
use serde_json::{Value, json};

use crate::relay::{CALENDAR, NODE, Relay, event, path_of};
use crate::target::{Target, until};

#[tokio::test]
async fn api_12_2_headers_are_sent_with_each_attempt_and_never_shown() {
    let relay = Relay::start().await;
    let receiver = Target::always(StatusCode::INTERNAL_SERVER_ERROR).await;
    let headers = json!({"X-Token": "the first token", "Authorization": "Bearer a-secret"});
    let wanted = json!({"uri": receiver.uri(), "headers": headers});
    let made = relay.target("carol", wanted).await;
    assert_eq!(made["headers"], json!(["authorization", "x-token"]));
    relay.deliver(&event("carol", 1)).await;
    until("it is attempted twice", async || receiver.received() == 2).await;
    for (head, _) in receiver.requests() {
        assert_eq!(head.headers["x-token"], "the first token");
        assert_eq!(head.headers["authorization"], "Bearer a-secret");
        assert_eq!(head.headers["content-type"], "application/json");
    }

    // Replaced as a whole, by whatever gateway.
    let path = path_of(&made);
    let change = async |change: Value| {
        let changed = relay.call("carol", "PATCH", &path, change).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        changed.json()
    };
    let changed = change(json!({"headers": {"x-other": "another token"}})).await;
    assert_eq!(changed["headers"], json!(["x-other"]));
    let changed = change(json!({"paused": false})).await;
    assert_eq!(changed["headers"], json!(["x-other"]));
    let other_path = receiver.uri() + "/below";
    let changed = change(json!({"uri": other_path})).await;
    assert_eq!(changed["headers"], json!(["x-other"]));
    relay.deliver(&event("carol", 2)).await;
    until("the second one arrives", async || {
        let requests = receiver.requests();
        requests.iter().any(|(head, _)| head.headers.contains_key("x-other"))
    })
    .await;
    let requests = receiver.requests();
    let (head, _) = requests.last().unwrap();
    assert!(!head.headers.contains_key("x-token"), "{head:?}");

    // Whoever may change it cannot have them sent to themselves.
    let elsewhere = Target::ok().await;
    let moved = change(json!({"uri": elsewhere.uri()})).await;
    let warning = moved["warnings"].to_string();
    assert!(moved["headers"].is_null() && warning.contains("headers were removed"), "{moved}");
    let changed = change(json!({"uri": receiver.uri(), "headers": {"x-a": "b"}})).await;
    assert_eq!(changed["headers"], json!(["x-a"]));
    let shown = relay.call("carol", "GET", &path, Value::Null).await;
    let removed = change(json!({"headers": null})).await;
    assert!(removed["headers"].is_null(), "{removed}");
    let list = relay.call("carol", "GET", "targets", Value::Null).await;
    for answer in [made, changed, shown.json(), list.json()] {
        let text = answer.to_string();
        for value in ["first token", "another token", "a-secret"] {
            assert!(!text.contains(value), "{text}");
        }
    }
    relay.assert_on_disk_is_no("the first token");
}

#[tokio::test]
async fn api_1_1_the_id_of_a_target_is_percent_decoded_once() {
    let relay = Relay::start().await;
    let made = relay.target("carol", json!({"uri": "http://127.0.0.1:9/"})).await;
    let id: String = made["id"].as_str().unwrap().bytes().map(|it| format!("%{it:02X}")).collect();
    let path = format!("targets/{id}");
    assert_eq!(relay.get("carol", &path).await["id"], made["id"]);
    let listed = relay.get("carol", &format!("{path}/deliveries")).await;
    assert_eq!(listed["deliveries"], json!([]));
    let paused = relay.call("carol", "PATCH", &path, json!({"paused": true})).await;
    assert_eq!(paused.json()["state"], "paused");
    let twice = path.replace('%', "%25");
    assert_eq!(relay.call("carol", "GET", &twice, Value::Null).await.status, 404);
}

#[tokio::test]
async fn api_12_2_a_test_sends_one_signed_sample_and_changes_nothing() {
    let relay = Relay::start().await;
    let receiver = Target::always(StatusCode::GONE).await;
    let wanted = json!({"uri": receiver.uri(), "headers": {"X-Token": "x"}});
    let made = relay.target("carol", wanted).await;
    let path = path_of(&made);
    let paused = relay.call("carol", "PATCH", &path, json!({"paused": true}));
    assert_eq!(paused.await.json()["state"], "paused");
    for known in KnownEvent::all().take(3) {
        let test = json!({"event": known.class});
        let answer = relay.call("carol", "POST", &format!("{path}/test"), test).await;
        let answer = answer.json();
        assert_eq!((&answer["outcome"], &answer["status"]), (&json!("gone"), &json!(410)));
        assert!(answer["milliseconds"].is_u64(), "{answer}");
        let requests = receiver.requests();
        let (head, body) = requests.last().unwrap();
        assert_eq!(*body, known.example());
        assert_eq!(head.headers["x-token"], "x");
        let signature = head.headers["webhook-signature"].to_str().unwrap();
        assert!(signature.starts_with("v1,"), "{signature}");
    }
    assert_eq!(receiver.received(), 3);
    let ids: std::collections::BTreeSet<_> = receiver
        .requests()
        .iter()
        .map(|(head, _)| head.headers["webhook-id"].to_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 3);
    let listed = format!("{path}/deliveries");
    let list = relay.call("carol", "GET", &listed, Value::Null);
    assert_eq!(list.await.json()["deliveries"], json!([]));
    let shown = relay.get("carol", &path).await;
    let now = (&shown["state"], &shown["pending"], &shown["failing_since"]);
    assert_eq!(now, (&json!("paused"), &json!(0), &Value::Null));
}

/// A receiver that hangs keeps nothing else of the account waiting.
#[tokio::test]
async fn api_12_2_a_user_has_one_test_at_a_time() {
    let relay = Relay::start().await;
    let hanging = Target::serving(|_, stream| async {
        tokio::time::sleep(Duration::from_hours(1)).await;
        drop(stream);
    })
    .await;
    let made = relay.target("carol", json!({"uri": hanging.uri()})).await;
    let (path, test) = (path_of(&made) + "/test", json!({"event": NODE}));
    let first = relay.call("carol", "POST", &path, test.clone());
    let meanwhile = async {
        until("the receiver has it", async || hanging.connections() == 1).await;
        let second = relay.call("carol", "POST", &path, test.clone()).await;
        let message = second.json()["message"].clone();
        assert_eq!((second.status, message), (429, json!("A test of this user is under way")));
        let list = relay.call("carol", "GET", "targets", Value::Null).await;
        assert_eq!(list.status, 200);
        let others = relay.target("alice", json!({"uri": hanging.uri()})).await;
        assert_eq!(others["state"], "active");
    };
    let (first, ()) = tokio::join!(first, meanwhile);
    let first = first.json();
    assert_eq!((&first["outcome"], &first["status"]), (&json!("timed_out"), &Value::Null));
    assert_eq!(hanging.connections(), 1);
}

async fn warnings_of(relay: &Relay, user: &str, target: Value) -> Vec<String> {
    let made = relay.target(user, target).await;
    let warnings = made.get("warnings").map(|it| serde_json::from_value(it.clone()).unwrap());
    warnings.unwrap_or_default()
}

#[tokio::test]
async fn api_12_2_a_filter_that_never_matches_has_a_warning() {
    let relay = Relay::start().await;
    relay.deliver(&event("carol", 1)).await;
    let tag = r"OCP\SystemTag\TagAssignedEvent";
    relay
        .deliver(&json!({"event": {"class": tag}, "user": {"uid": "carol"}, "time": 1}).to_string())
        .await;
    for (class, filter, warned) in [
        (Some(NODE), json!({"event.node.path": "/carol/files/Notes/"}), "must be written \\/"),
        (None, json!({"event.node.path": "/carol/files/Notes/"}), "must be written \\/"),
        (
            Some(NODE),
            json!({"user.uid": "carol", "event.node.id": "42"}),
            "a number does not equal a text",
        ),
        (Some(NODE), json!({"event.nod.path": "/a/"}), "event.nod.path is missing or null"),
        (Some(NODE), json!({"event.node.path.x": "a"}), "would be below a text"),
        (Some(tag), json!({"event.tagIds": "/1/"}), "not tried on the elements of a list"),
        (Some(tag), json!({"$and": [{"user.uid": "/(/"}]}), "is not a valid expression"),
    ] {
        let target = json!({"uri": "http://127.0.0.1:9/", "events": class.map(|it| [it]), "eventFilter": filter});
        let warnings = warnings_of(&relay, "carol", target).await;
        assert_eq!(warnings.len(), 1, "{filter}: {warnings:?}");
        assert!(warnings[0].starts_with("The filter never matches"), "{warnings:?}");
        assert!(warnings[0].contains(warned), "{warnings:?}");
    }
    for (class, filter) in [
        (NODE, json!({"event.node.path": "/^\\/carol\\//"})),
        (NODE, json!({"event.node.id": 42, "user.uid": "bob"})),
        (NODE, json!({"event.nod.path": {"$exists": false}})),
        (NODE, json!({"$or": [{"event.node.path": "/a/b/"}, {"user.uid": "carol"}]})),
        (tag, json!({"event.tagIds": "1"})),
        (tag, json!({"event.tagIds": {"$in": [1, 7]}})),
    ] {
        let target =
            json!({"uri": "http://127.0.0.1:9/", "events": [class], "eventFilter": filter});
        assert_eq!(warnings_of(&relay, "carol", target).await, [""; 0], "{filter}");
    }
}

#[tokio::test]
async fn api_12_2_a_class_that_nothing_brings_has_a_warning_that_names_the_preset() {
    let relay = Relay::start().await;
    let rename = r"OCP\Files\Events\Node\NodeCopiedEvent";
    let target = json!({"uri": "http://127.0.0.1:9/", "events": [NODE, CALENDAR, rename]});
    let none = |class: &str, so: &str| {
        format!("No event of the class {class} is among the newest that have arrived: {so}")
    };
    let of_calendar = none(CALENDAR, "the preset calendar brings them");
    let of_rename =
        none(rename, "no preset brings them, an administrator can register a webhook for it");
    let of_node = none(NODE, "the presets files and notes bring them");
    let warnings = warnings_of(&relay, "carol", target.clone()).await;
    assert_eq!(warnings, [of_node, of_calendar.clone(), of_rename.clone()]);
    // Whosever it is.
    relay.deliver(&event("alice", 1)).await;
    let made = relay.target("carol", target).await;
    assert_eq!(made["warnings"], json!([of_calendar, of_rename]));
    let change = async |change: Value| {
        let changed = relay.call("carol", "PATCH", &path_of(&made), change).await;
        changed.json()["warnings"].clone()
    };
    assert_eq!(change(json!({"paused": true})).await, Value::Null);
    assert_eq!(change(json!({"events": [NODE]})).await, Value::Null);
    assert_eq!(change(json!({"events": [CALENDAR]})).await, json!([of_calendar]));
    assert_eq!(change(json!({"events": null})).await, Value::Null);
}

#[tokio::test]
async fn api_12_2_an_account_that_the_presets_leave_out_has_a_warning() {
    let relay = Relay::start().await;
    // 37 bytes, which take 109 characters in the job queue.
    let long = "андрей-константинов";
    let target = |user: &str, events: Value| json!({"uri": "http://127.0.0.1:9/", "user": user, "events": events});
    let left_out = |warnings: &[String]| {
        let mut warnings = warnings.iter().filter(|it| it.contains("is too long"));
        warnings.next().cloned().unwrap_or_default()
    };
    let warning = left_out(&warnings_of(&relay, "root", target(long, Value::Null)).await);
    assert!(warning.contains(CALENDAR) && !warning.contains(NODE), "{warning}");
    let warning = left_out(&warnings_of(&relay, "root", target(long, json!([CALENDAR]))).await);
    assert!(warning.ends_with(&format!("classes through: {CALENDAR}")), "{warning}");
    for (user, events) in [
        (long, json!([NODE])),
        ("*", json!([CALENDAR])),
        ("carol", json!([CALENDAR])),
        ("мария", json!([CALENDAR])),
    ] {
        let warnings = warnings_of(&relay, "root", target(user, events)).await;
        assert_eq!(left_out(&warnings), "", "{user}");
    }
}

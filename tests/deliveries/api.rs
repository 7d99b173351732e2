//! Deliveries over HTTP, from one end to the other (docs/API.md, section 12), and whose they are.

mod histories;

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::future::join_all;
use http::{HeaderMap, StatusCode};
use portreeve::deliveries::{Deliveries, Incoming, Limits, Networks, Queue, Scope, Sender, Worker};
use portreeve::gateway::{Gateway, Settings};
use portreeve::groupware::{DeliveryAuth, EventClasses, KnownEvent};
use portreeve::server::Bounds;
use portreeve::vault::{Keyring, SqliteStore, Vault};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::support::gateway::{Answer, TestGateway};
use crate::target::{Target, status, until};

const ADDRESS: &str = "https://gate.example.org";
const CALENDAR: &str = r"OCP\Calendar\Events\CalendarObjectCreatedEvent";
/// One of `trusted_event_classes`.
const TRUSTED: &str = r"OCA\Approval\Events\ApprovedEvent";
/// One of those whose events belong to whoever causes them.
const TAG: &str = r"OCP\SystemTag\TagAssignedEvent";
const NODE: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";

/// A gateway that receives deliveries, and a worker that sends them.
pub(crate) struct Relay {
    pub(crate) gateway: TestGateway,
    credential: String,
    vault: Vault,
    _stop: DropGuard,
    dir: TempDir,
}

impl Relay {
    pub(crate) async fn start() -> Self {
        Self::with(Bounds::default(), |sender| sender).await
    }

    async fn with(bounds: Bounds, change: impl FnOnce(Sender) -> Sender) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path().join("db")).await.unwrap();
        let queue = Queue::in_sqlite(&store);
        let vault = Vault::new(Keyring::generate().unwrap(), store);
        let deliveries = Deliveries::new(vault.clone(), queue, Limits::default());
        let networks = Networks::new(["127.0.0.0/8".parse().unwrap()]);
        let sender = change(Sender::with_system_roots(networks));
        let classes = EventClasses::trusting([TRUSTED]);
        let worker = Worker::with_sender(deliveries, sender, &classes);
        let stop = CancellationToken::new();
        tokio::spawn(worker.clone().run(stop.clone()));
        let auth = DeliveryAuth::derived("a secret".into()).unwrap();
        let credential = auth.authorization_for(&format!("{ADDRESS}/webhooks/nextcloud"));
        let change = |gateway: Gateway<_>| {
            let mut settings = Settings::default();
            settings.event_classes = classes;
            settings.delivery = Some(auth);
            settings.public_url = Some(ADDRESS.parse().unwrap());
            settings.administrators.scope = Some("admin".into());
            gateway.settings(settings).deliveries(worker).unwrap()
        };
        let root = ("root".to_owned(), "root".to_owned(), vec!["admin".to_owned()]);
        Self {
            gateway: TestGateway::for_users(bounds, &[root], change).await,
            credential: credential.expose().to_owned(),
            vault,
            _stop: stop.drop_guard(),
            dir,
        }
    }

    /// What another gateway on the same database has.
    async fn second_gateway(&self) -> Deliveries {
        let store = SqliteStore::open(self.dir.path().join("db")).await;
        let queue = Queue::in_sqlite(&store.unwrap());
        Deliveries::new(self.vault.clone(), queue, Limits::default())
    }

    /// Sends an event of `user`, as the groupware server does.
    pub(crate) async fn deliver(&self, body: &str) {
        let head =
            format!("POST /webhooks/nextcloud HTTP/1.1\r\nAuthorization: {}\r\n", self.credential);
        let answer = self.gateway.send(&head, body).await;
        assert_eq!((answer.status, answer.json()), (200, json!({"status": "queued"})));
    }

    pub(crate) async fn call(&self, user: &str, method: &str, path: &str, body: Value) -> Answer {
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let path = format!("/api/v1/deliveries/{path}");
        self.gateway.call(user, method, &path, &body).await
    }

    pub(crate) async fn target(&self, user: &str, target: Value) -> Value {
        let answer = self.call(user, "POST", "targets", target).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()
    }

    /// Neither the database nor what is written beside it holds this text.
    pub(crate) fn assert_on_disk_is_no(&self, secret: &str) {
        for file in std::fs::read_dir(self.dir.path()).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            let holds = bytes.windows(secret.len()).any(|it| it == secret.as_bytes());
            assert!(!holds, "{secret} is on the disk");
        }
    }

    /// The deliveries to a target once `done` is satisfied with them.
    async fn deliveries(&self, user: &str, target: &Value, done: impl Fn(&Value) -> bool) -> Value {
        let path = format!("targets/{}/deliveries", target["id"].as_str().unwrap());
        let mut list = Value::Null;
        until("the deliveries are as they should be", async || {
            list = self.call(user, "GET", &path, Value::Null).await.json();
            done(&list["deliveries"])
        })
        .await;
        list["deliveries"].take()
    }
}

/// The body of a delivery with this `event`.
fn with_event(user: &str, event: &str) -> String {
    format!(r#"{{"event":{event},"user":{{"uid":"{user}"}},"time":1}}"#)
}

/// An event of `user`, number `n`.
pub(crate) fn event(user: &str, n: u32) -> String {
    let path = format!("/{user}/files/{n}.md");
    let event = json!({"node": {"id": n, "path": path}, "class": NODE});
    json!({"event": event, "user": {"uid": user, "displayName": user}, "time": n}).to_string()
}

#[tokio::test]
async fn api_12_what_is_received_arrives_signed_although_the_first_attempt_fails() {
    let relay = Relay::start().await;
    let target = Target::answering(|| status(StatusCode::OK)).await;
    let broken = Target::answering(|| status(StatusCode::INTERNAL_SERVER_ERROR)).await;
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
    let path = format!("targets/{}", made["id"].as_str().unwrap());
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
    let now = relay.call("carol", "GET", &path, Value::Null).await.json();
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
    let (alices, bobs, all) = (
        Target::answering(|| status(StatusCode::OK)).await,
        Target::answering(|| status(StatusCode::OK)).await,
        Target::answering(|| status(StatusCode::OK)).await,
    );
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
    let cursor = relay.call("alice", "GET", "events", Value::Null).await.json();
    let path = format!("events?cursor={}", cursor["cursor"].as_str().unwrap());
    assert_eq!(relay.call("bob", "GET", &path, Value::Null).await.status, 400);
    let events = relay.call("bob", "GET", "events", Value::Null).await.json();
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
        let target = Target::answering(|| status(StatusCode::OK)).await;
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
        let events = relay.call(user, "GET", "events", Value::Null).await.json();
        let events = events["events"].as_array().unwrap();
        assert_eq!(events.iter().map(|it| &it["body"]).collect::<Vec<_>>(), own);
        for (_, body) in target.requests() {
            let body: Value = serde_json::from_slice(&body).unwrap();
            assert!(own.contains(&&body), "{user}: {body}");
        }
    }
}

#[tokio::test]
async fn api_12_2_an_event_on_which_the_filter_cannot_be_evaluated_is_delivered() {
    let relay = Relay::start().await;
    let target = Target::answering(|| status(StatusCode::OK)).await;
    let filter = json!({"event.calendarData": {"$in": ["work"]}});
    let wanted = json!({"uri": target.uri(), "eventFilter": filter});
    let made = relay.target("carol", wanted).await;
    let node = json!({"path": "/carol/files/a"});
    // It is an object, with which the server compares nothing; and a class has another name than it is kept by.
    let data = json!({"calendarData": {"uri": "home", "principaluri": "principals/users/carol"}, "class": CALENDAR});
    relay.deliver(&with_event("carol", &data.to_string())).await;
    let data = json!({"node": node, "class": format!("\\{NODE}")});
    relay.deliver(&with_event("carol", &data.to_string())).await;
    // What can be decided is.
    relay.deliver(&event("carol", 1)).await;
    let data = json!({"calendarData": "work", "node": node, "class": NODE});
    relay.deliver(&with_event("carol", &data.to_string())).await;
    let is_done = |list: &Value| {
        let list = list.as_array().unwrap();
        list.len() >= 3 && list.iter().all(|it| it["state"] == "delivered")
    };
    let list = relay.deliveries("carol", &made, is_done).await;
    let classes: Vec<_> = list.as_array().unwrap().iter().map(|it| &it["event"]).collect();
    assert_eq!(classes, [NODE, NODE, CALENDAR]);
    assert_eq!(target.received(), 3);
}

#[tokio::test]
async fn api_12_2_a_filter_for_a_class_that_is_trusted_is_one() {
    let relay = Relay::start().await;
    let target = Target::answering(|| status(StatusCode::OK)).await;
    let wanted = |class: &str| json!({"uri": target.uri(), "events": [class], "eventFilter": {"event.level": {"$in": [3]}}});
    let made = relay.target("carol", wanted(TRUSTED)).await;
    for level in [1, 3] {
        let data = json!({"class": TRUSTED, "level": level});
        relay.deliver(&with_event("carol", &data.to_string())).await;
    }
    until("it arrives", async || target.received() > 0).await;
    let is_listed = |list: &Value| list.as_array().unwrap().len() == 1;
    relay.deliveries("carol", &made, is_listed).await;
    assert!(target.requests()[0].1.ends_with(br#""level":3},"user":{"uid":"carol"},"time":1}"#));
    // And one for another class is none, whichever of the two is changed.
    let other = wanted(r"OCA\Other\Event");
    let refused = relay.call("carol", "POST", "targets", other.clone()).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    let path = format!("targets/{}", made["id"].as_str().unwrap());
    for (events, expected) in [(&other["events"], 400), (&made["events"], 200)] {
        let changed = relay.call("carol", "PATCH", &path, json!({"events": events})).await;
        assert_eq!(changed.status, expected, "{changed:?}");
    }
}

/// A secret has leaked.
#[tokio::test]
async fn api_12_2_replaced_secrets_that_are_not_kept_sign_no_more() {
    let relay = Relay::start().await;
    let target = Target::answering(|| status(StatusCode::OK)).await;
    let made = relay.target("carol", json!({"uri": target.uri()})).await;
    let path = format!("targets/{}/secret", made["id"].as_str().unwrap());
    let mut secrets = vec![made["secret"].clone()];
    for body in [Value::Null, json!({"keep": true}), json!({"keep": false})] {
        let replaced = relay.call("carol", "POST", &path, body.clone()).await;
        assert_eq!(replaced.status, 200, "{replaced:?}");
        let replaced = replaced.json();
        let is_kept = replaced.get("previous_secret_until").is_some();
        assert_eq!(is_kept, body != json!({"keep": false}), "{replaced}");
        secrets.push(replaced["secret"].clone());
    }
    for (body, message) in [
        (
            json!({"keep": "no"}),
            "The body must be empty, or a JSON object with keep, which is true or false",
        ),
        (json!([]), "The body must be empty, or a JSON object with keep, which is true or false"),
        (json!({"kept": true}), "Unknown member kept: is it keep?"),
    ] {
        let refused = relay.call("carol", "POST", &path, body).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(refused.json()["message"], message);
    }
    relay.deliver(&event("carol", 1)).await;
    until("it arrives", async || target.received() == 1).await;
    let (head, body) = &target.requests()[0];
    let verifies = secrets.iter().map(|secret| {
        let verifier = standardwebhooks::Webhook::new(secret.as_str().unwrap()).unwrap();
        verifier.verify(body, &head.headers).is_ok()
    });
    assert_eq!(verifies.collect::<Vec<_>>(), [false, false, false, true]);
}

#[tokio::test]
async fn api_12_2_for_a_day_the_secret_before_signs_too() {
    let relay = Relay::start().await;
    let target = Target::answering(|| status(StatusCode::OK)).await;
    let made = relay.target("carol", json!({"uri": target.uri()})).await;
    let path = format!("targets/{}/secret", made["id"].as_str().unwrap());
    let mut secrets = vec![made["secret"].clone()];
    for _ in 0..9 {
        let rotated = relay.call("carol", "POST", &path, Value::Null).await;
        assert_eq!(rotated.status, 200, "{rotated:?}");
        let rotated = rotated.json();
        let until = humantime::parse_rfc3339(rotated["previous_secret_until"].as_str().unwrap());
        let left = until.unwrap().duration_since(SystemTime::now()).unwrap();
        assert!(left > Duration::from_hours(23), "{rotated}");
        secrets.push(rotated["secret"].clone());
    }
    relay.deliver(&event("carol", 1)).await;
    until("it arrives", async || target.received() == 1).await;
    let (head, body) = &target.requests()[0];
    let verifies = secrets.iter().map(|secret| {
        let verifier = standardwebhooks::Webhook::new(secret.as_str().unwrap()).unwrap();
        verifier.verify(body, &head.headers).is_ok()
    });
    // The last one, and the eight before it.
    let expected = [&[false][..], &[true; 9]].concat();
    assert_eq!(verifies.collect::<Vec<_>>(), expected);
    // The worker tests that it does not sign after that time.
    let kept = relay.second_gateway().await;
    let target = kept.queue().target(Scope::All, made["id"].as_str().unwrap().parse().unwrap());
    let settings = kept.open_target(&target.await.unwrap().unwrap()).await;
    let until = UNIX_EPOCH + Duration::from_secs(settings.unwrap().previous[7].until);
    let left = until.duration_since(SystemTime::now()).unwrap();
    let day = Duration::from_hours(24);
    assert!(left <= day && left > day - Duration::from_mins(5), "{left:?}");
}

#[tokio::test]
async fn api_12_4_a_list_has_pages_and_a_replay_sends_again() {
    let relay = Relay::start().await;
    let target = Target::answering(|| status(StatusCode::OK)).await;
    let made = relay.target("carol", json!({"uri": target.uri()})).await;
    for n in 0..310 {
        relay.deliver(&event("carol", n)).await;
    }
    until("all arrive", async || target.received() >= 310).await;
    let path = format!("targets/{}/deliveries", made["id"].as_str().unwrap());
    let first = relay.call("carol", "GET", &path, Value::Null).await.json();
    assert_eq!(first["deliveries"].as_array().unwrap().len(), 300);
    let cursor = first["cursor"].as_str().unwrap();
    let next = format!("{path}?cursor={cursor}");
    let second = relay.call("carol", "GET", &next, Value::Null).await.json();
    assert_eq!(second["deliveries"].as_array().unwrap().len(), 10);
    assert_eq!(second["cursor"], Value::Null);
    let body = json!({"since": "2026-01-01T00:00:00Z", "all": true});
    let path = format!("targets/{}/replay", made["id"].as_str().unwrap());
    let replayed = relay.call("carol", "POST", &path, body).await.json();
    assert_eq!((&replayed["replayed"], &replayed["cursor"]), (&json!(310), &Value::Null));
    until("all arrive again", async || target.received() >= 620).await;
    // A target that is new gets those that it wants, by portions if it has a filter.
    let filter = json!({"user.uid": "carol"});
    let other = Target::answering(|| status(StatusCode::OK)).await;
    let made = json!({"uri": other.uri(), "eventFilter": filter});
    let made = relay.target("carol", made).await;
    let path = format!("targets/{}/replay", made["id"].as_str().unwrap());
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
        let page = relay.call("carol", "GET", &path, Value::Null).await.json();
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

/// Nested lists, a hundred thousand of them: parsed they would take a hundred megabytes.
#[tokio::test(flavor = "multi_thread")]
async fn api_12_2_a_filter_is_not_evaluated_on_very_many_values() {
    let relay = Relay::start().await;
    let target = Target::answering(|| status(StatusCode::OK)).await;
    let filter = json!({"event.node.path": r"/^\/bob\//"});
    relay.target("alice", json!({"uri": target.uri(), "eventFilter": filter})).await;
    for (lists, arrived) in [(1_000, 0), (100_000, 1)] {
        let lists = vec![[(); 0]; lists];
        let event = json!({"class": NODE, "node": {"id": 1, "path": "/alice/a"}, "lists": lists});
        relay.deliver(&with_event("alice", &event.to_string())).await;
        let queue = relay.second_gateway().await;
        until("all is matched", async || queue.queue().counts().await.unwrap().pending == 0).await;
        let requests = target.requests().into_iter();
        let with_lists = requests.filter(|(_, body)| body.windows(5).any(|it| it == b"lists"));
        assert_eq!(with_lists.count(), arrived);
    }
}

/// As many as one user may have under way: each is made, and none undoes another.
#[tokio::test(flavor = "multi_thread")]
async fn api_12_2_changes_of_one_target_at_once_are_all_made() {
    let relay = Relay::start().await;
    let made = relay.target("alice", json!({"uri": "http://127.0.0.1:9/"}));
    let made = made.await;
    let path = format!("targets/{}", made["id"].as_str().unwrap());
    let secret = format!("{path}/secret");
    let changes = (0..60).map(async |number| match number % 3 {
        0 => relay.call("alice", "POST", &secret, Value::Null).await,
        1 => relay.call("alice", "PATCH", &path, json!({"paused": true})).await,
        _ => relay.call("alice", "PATCH", &path, json!({"uri": "http://127.0.0.1:8/"})).await,
    });
    for answer in join_all(changes).await {
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let shown = relay.call("alice", "GET", &path, Value::Null).await.json();
    assert_eq!((&shown["state"], &shown["uri"]), (&json!("paused"), &json!("http://127.0.0.1:8/")));
    let kept = relay.second_gateway().await;
    let id = made["id"].as_str().unwrap().parse().unwrap();
    let target = kept.queue().target(Scope::All, id).await.unwrap().unwrap();
    assert_eq!(target.revision, 61);
}

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

#[tokio::test]
async fn api_12_5_who_waits_gets_an_event_when_it_arrives() {
    let relay = Relay::start().await;
    let began = relay.call("carol", "GET", "events", Value::Null).await.json();
    let path = format!("events?timeout=30&cursor={}", began["cursor"].as_str().unwrap());
    let (answer, ()) = tokio::join!(relay.call("carol", "GET", &path, Value::Null), async {
        relay.deliver(&event("alice", 1)).await;
        relay.deliver(&event("carol", 2)).await;
    });
    assert_eq!(answer.json()["events"][0]["body"]["time"], 2, "{answer:?}");

    // As a stream, which goes on after the last event that was seen.
    let mut stream = relay.stream("", "").await;
    let text = read_until(&mut stream, "\"time\":2").await;
    assert!(text.contains("content-type: text/event-stream"), "{text}");
    let id = text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
    relay.deliver(&event("carol", 3)).await;
    read_until(&mut stream, "\"time\":3").await;
    let mut again = relay.stream("", &format!("Last-Event-ID: {id}\r\n")).await;
    let text = read_until(&mut again, "\"time\":3").await;
    assert!(!text.contains("\"time\":2"), "{text}");

    // Two are open; there may be eight.
    let mut more = Vec::new();
    for _ in 0..6 {
        let mut stream = relay.stream("", "").await;
        read_until(&mut stream, "\"time\":3").await;
        more.push(stream);
    }
    let path = format!("{path}&x=1");
    let refused =
        relay.call("carol", "GET", &path.replace("timeout=30", "timeout=1"), Value::Null).await;
    // There is something to read at once, so nobody waits.
    assert_eq!(refused.status, 200, "{refused:?}");
    let refused = relay.call("carol", "GET", "events?cursor=now&timeout=1", Value::Null).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let other = relay.call("alice", "GET", "events?cursor=now&timeout=1", Value::Null).await;
    assert_eq!(other.status, 200, "{other:?}");
}

/// What waits is woken by one look for all, however it was received.
#[tokio::test]
async fn api_12_5_who_waits_gets_an_event_that_another_gateway_has_received() {
    let relay = Relay::start().await;
    let other = relay.second_gateway().await;
    let receive = async |user, n| {
        let incoming =
            Incoming::parse(event(user, n).as_bytes(), &EventClasses::default()).unwrap();
        other.receive(incoming).await.unwrap();
    };
    receive("carol", 1).await;
    let now = async |user| {
        let newest = relay.call(user, "GET", "events?cursor=now", Value::Null);
        let newest = newest.await.json();
        newest["cursor"].as_str().unwrap().to_owned()
    };
    let waiting = async |user, cursor: &str| {
        let path = format!("events?cursor={cursor}&timeout=30");
        let answer = relay.call(user, "GET", &path, Value::Null).await;
        let answer = answer.json();
        assert_eq!(answer["events"].as_array().unwrap().len(), 1, "{answer}");
        answer["events"][0]["body"]["time"].clone()
    };
    // The first who wait find the watch asleep, the last ones awake; and then it sleeps again.
    for n in 2..5 {
        let (of_carol, of_alice) = (now("carol").await, now("alice").await);
        let began = Instant::now();
        let (carol, also_carol, alice, ()) = tokio::join!(
            waiting("carol", &of_carol),
            waiting("carol", &of_carol),
            waiting("alice", &of_alice),
            async {
                tokio::time::sleep(Duration::from_millis(300)).await;
                receive("carol", n).await;
                receive("alice", n + 10).await;
            }
        );
        assert_eq!((carol, also_carol, alice), (n.into(), n.into(), (n + 10).into()));
        // Otherwise they would have waited to the end.
        assert!(began.elapsed() < Duration::from_secs(25));
    }
}

/// Whatever the classes, it takes no longer than for one.
#[tokio::test]
async fn api_12_2_a_filter_is_evaluated_on_all_classes_within_one_budget() {
    let relay = Relay::start().await;
    let target = |classes: &[&str], conditions: usize| {
        let conditions = vec![json!({"user.uid": "/^(?:alice|dave)$/"}); conditions];
        json!({"uri": "http://127.0.0.1:9", "events": classes, "eventFilter": {"$and": conditions}})
    };
    let all: Vec<_> = KnownEvent::all().map(|known| known.class).collect();
    // The same class is looked at once, and what is compiled once counts once.
    let made = relay.target("carol", target(&[NODE; 64], 20)).await;
    relay.target("carol", target(&all, 2)).await;
    let refused = |answer: Answer| {
        let message = answer.json()["message"].to_string();
        assert_eq!(answer.status, 400, "{message}");
        assert!(message.contains("take too much work"), "{message}");
    };
    let many = target(&all, 20);
    refused(relay.call("carol", "POST", "targets", many.clone()).await);
    // Whichever of the two is new.
    let path = format!("targets/{}", made["id"].as_str().unwrap());
    refused(relay.call("carol", "PATCH", &path, many).await);
    let classes = json!({"events": all});
    refused(relay.call("carol", "PATCH", &path, classes).await);
    let paused = relay.call("carol", "PATCH", &path, json!({"paused": true}));
    assert_eq!(paused.await.json()["events"], json!(vec![NODE; 64]));
}

/// Otherwise a few callers would fill the memory.
#[tokio::test]
async fn api_12_5_answers_that_nobody_takes_have_bounded_room() {
    let mut bounds = Bounds::default();
    bounds.stall_timeout = Duration::from_mins(10);
    let relay = Relay::with(bounds, |sender| sender).await;
    let users = ["alice", "bob", "carol", "root"];
    for user in users {
        let large = "x".repeat(1_048_000);
        let body = json!({"event": {"class": TAG}, "user": {"uid": user}, "x": large}).to_string();
        for _ in 0..6 {
            relay.deliver(&body).await;
        }
    }
    // 4 MiB, and the event that goes beyond them.
    let page = relay.call("alice", "GET", "events", Value::Null).await;
    assert_eq!(page.json()["events"].as_array().unwrap().len(), 5);
    let mut open = Vec::new();
    for user in &users[..3] {
        let answers = (0..9).map(|_| relay.untaken(user));
        let (answers, mut statuses): (Vec<_>, Vec<_>) = join_all(answers).await.into_iter().unzip();
        statuses.sort_unstable();
        assert_eq!(statuses, [&["200"; 8][..], &["429"]].concat());
        open.extend(answers);
    }
    // 26 of them have room.
    let answers = join_all((0..3).map(|_| relay.untaken("root"))).await;
    let (_open, statuses): (Vec<_>, Vec<_>) = answers.into_iter().unzip();
    assert_eq!(statuses.iter().filter(|it| **it == "503").count(), 2);
    // Small ones need none.
    let small = relay.call("root", "GET", "events?cursor=now", Value::Null);
    assert_eq!(small.await.status, 200);
    drop(open);
    until("there is room again", async || {
        let large = relay.call("root", "GET", "events", Value::Null);
        large.await.status == 200
    })
    .await;
}

impl Relay {
    /// A connection on which nobody takes the answer, and its status.
    async fn untaken(&self, user: &str) -> (TcpStream, String) {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let mut stream = socket.connect(self.gateway.address).await.unwrap();
        let token = self.gateway.token(user);
        let head = format!(
            "GET /api/v1/deliveries/events HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.unwrap();
        let status = head[9..].iter().map(|byte| char::from(*byte)).collect();
        (stream, status)
    }
}

/// Nothing is lost in the pause before a client connects again, though no event has come before it.
#[tokio::test]
async fn api_12_5_a_stream_without_events_goes_on_where_it_ended() {
    let relay = Relay::start().await;
    relay.deliver(&event("carol", 1)).await;
    let id = last_id(&mut relay.stream("?cursor=now", "").await).await.0;
    relay.deliver(&event("carol", 2)).await;
    // It asks for the same again.
    let field = format!("Last-Event-ID: {id}\r\n");
    let (next, text) = last_id(&mut relay.stream("?cursor=now", &field).await).await;
    assert!(text.contains("\"time\":2") && !text.contains("\"time\":1"), "{text}");
    assert_ne!(next, id);
}

#[tokio::test]
async fn api_12_5_a_stream_tells_of_a_gap_once() {
    let relay = Relay::start().await;
    let id = last_id(&mut relay.stream("", "").await).await.0;
    relay.deliver(&event("carol", 1)).await;
    let store = SqliteStore::open(relay.dir.path().join("db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    until("it is removed", async || queue.clean(Duration::ZERO).await.unwrap() > 0).await;
    let field = format!("Last-Event-ID: {id}\r\n");
    let (id, text) = last_id(&mut relay.stream("", &field).await).await;
    assert!(text.contains("event: gap\ndata: {\"gaps\":[]}\n\n"), "{text}");
    let field = format!("Last-Event-ID: {id}\r\n");
    let (_, text) = last_id(&mut relay.stream("", &field).await).await;
    assert!(!text.contains("gap"), "{text}");
}

/// The first piece of a stream, and the id that it leaves a client with.
async fn last_id(stream: &mut TcpStream) -> (String, String) {
    let (mut text, mut piece) = (String::new(), [0; 4096]);
    let read = async {
        loop {
            let read = stream.read(&mut piece).await.unwrap();
            assert_ne!(read, 0, "{text}");
            text += std::str::from_utf8(&piece[..read]).unwrap();
            let blocks = text.rsplit_once("\n\n").map_or("", |it| it.0);
            let last = blocks.rsplit_once("event: cursor\nid: ");
            let last = last.and_then(|(_, it)| it.split_once("\ndata: "));
            if let Some((id, data)) = last {
                assert_eq!(id, data);
                return id.to_owned();
            }
        }
    };
    let id = tokio::time::timeout(Duration::from_mins(2), read).await;
    (id.expect("the stream has an id"), text)
}

impl Relay {
    async fn stream(&self, query: &str, field: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.gateway.address).await.unwrap();
        let token = self.gateway.token("carol");
        let head = format!(
            "GET /api/v1/deliveries/events{query} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer {token}\r\n\
             Accept: text/event-stream\r\n{field}\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    }
}

async fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut text = String::new();
    let mut piece = [0; 4096];
    let read = async {
        while !text.contains(wanted) {
            let read = stream.read(&mut piece).await.unwrap();
            assert_ne!(read, 0, "{text}");
            text += std::str::from_utf8(&piece[..read]).unwrap();
        }
    };
    tokio::time::timeout(Duration::from_mins(2), read).await.unwrap();
    text
}

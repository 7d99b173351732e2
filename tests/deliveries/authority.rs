//! On whose authority targets get events, and for how long (docs/API.md, section 12.2, rules 7 and 8).

mod redirected;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use portreeve::audit::{Actor, AuditObserver, Auditor, Record};
use portreeve::deliveries::{Deliveries, Incoming, Limits, Networks, Queue, Worker};
use portreeve::gateway::{AccountPolicy, AnswerBody, Binding, Gateway, Settings, Shared};
use portreeve::groupware::{DeliveryAuth, EventClasses, Groupware};
use portreeve::identity::{BearerToken, Caller, Person, RefusalReason, TokenVerifier, VerifyError};
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Vault};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;
use tower::util::BoxCloneSyncService;

use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;
use crate::target::{Target, status, until};

const ISSUER: &str = "https://id.example.org";
const NODE: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";
const HOUR: Duration = Duration::from_hours(1);

type Service = BoxCloneSyncService<Request<Full<Bytes>>, Response<AnswerBody>, Infallible>;

/// A token says who has it: `alice=` has that account, `f3a1` is a person, `f3a1~admin` with a scope.
#[derive(Clone, Default)]
struct Tokens(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    refused: HashMap<String, RefusalReason>,
    expire: HashMap<String, SystemTime>,
    is_away: bool,
}

impl Tokens {
    fn refuse(&self, token: &str, reason: RefusalReason) {
        let mut state = self.0.lock().unwrap();
        state.refused.insert(token.to_owned(), reason);
    }

    fn expire(&self, token: &str, at: SystemTime) {
        let mut state = self.0.lock().unwrap();
        state.expire.insert(token.to_owned(), at);
    }
}

impl TokenVerifier for Tokens {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        let token = token.expose();
        let state = self.0.lock().unwrap();
        if state.is_away {
            return Err(VerifyError::unavailable("away"));
        }
        if let Some(reason) = state.refused.get(token) {
            return Err((*reason).into());
        }
        let (name, scope) = token.split_once('~').unwrap_or((token, ""));
        let caller = match name.strip_suffix('=') {
            Some(account) => Caller::new(account),
            None => {
                let mut person = Person::new(ISSUER, name);
                person.subject = Some(name.into());
                Caller::of_person(person)
            }
        };
        let caller = caller.with_scopes([scope]);
        match state.expire.get(token) {
            Some(at) if *at <= SystemTime::now() => Err(RefusalReason::Expired.into()),
            Some(at) => Ok(caller.with_expiry(*at)),
            None => Ok(caller),
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Audit(Arc<Mutex<Vec<Record>>>);

impl AuditObserver for Audit {
    fn recorded(&self, record: &Record) {
        self.0.lock().unwrap().push(record.clone());
    }
}

/// A database with a worker, and the gateways on it.
struct House {
    vault: Vault,
    deliveries: Deliveries,
    worker: Worker,
    nextcloud: Nextcloud,
    tokens: Tokens,
    audit: Audit,
    /// What its clock is ahead, in milliseconds.
    ahead: Arc<AtomicI64>,
    _stop: DropGuard,
    dir: TempDir,
}

impl House {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path().join("db")).await.unwrap();
        let ahead = Arc::<AtomicI64>::default();
        let queue = Queue::in_sqlite(&store).clock_ahead(ahead.clone());
        let vault = Vault::new(Keyring::generate().unwrap(), store);
        let audit = Audit::default();
        let deliveries = Deliveries::new(vault.clone(), queue, Limits::default())
            .audit(Auditor::new(Actor::Gateway).observer(Some(Arc::new(audit.clone()))));
        let networks = Networks::new(["127.0.0.0/8".parse().unwrap()]);
        let worker = Worker::new(deliveries.clone(), networks, &EventClasses::default());
        let stop = CancellationToken::new();
        tokio::spawn(worker.clone().run(stop.clone()));
        let nextcloud = Nextcloud::start().await;
        nextcloud.answer("user-admin");
        let password = AppPassword::new(PASSWORD).unwrap();
        vault.put("admin", "admin", &password).await.unwrap();
        Self {
            vault,
            deliveries,
            worker,
            nextcloud,
            tokens: Tokens::default(),
            audit,
            ahead,
            _stop: stop.drop_guard(),
            dir,
        }
    }

    /// One that looks after the makers of targets at once, as each does when it starts.
    fn gateway(&self, change: impl FnOnce(&mut Settings)) -> Service {
        let mut settings = Settings::default();
        change(&mut settings);
        let tasks = TaskTracker::new();
        let shared = Shared::new(self.vault.clone(), &settings, tasks);
        self.replacing(&shared, &self.tokens, settings)
    }

    /// One that takes the place of another one.
    fn replacing(&self, shared: &Shared, tokens: &Tokens, mut settings: Settings) -> Service {
        settings.delivery = Some(DeliveryAuth::derived("a secret".into()).unwrap());
        settings.receives_at = Some("https://hooks.example".parse().unwrap());
        let url = self.nextcloud.url().parse().unwrap();
        let gateway = Gateway::new(tokens.clone(), self.vault.clone())
            .shared(shared.clone())
            .settings(settings)
            .audit(Some(Arc::new(self.audit.clone()) as Arc<dyn AuditObserver>))
            .groupware(Groupware::new(url, Default::default()).unwrap())
            .deliveries(self.worker.clone())
            .unwrap();
        BoxCloneSyncService::new(gateway.into_service())
    }

    fn pass(&self, time: Duration) {
        let millis = i64::try_from(time.as_millis()).unwrap();
        self.ahead.fetch_add(millis, Ordering::SeqCst);
    }

    async fn receive(&self, user: &str) {
        let event = json!({"node": {"path": format!("/{user}/files/a")}, "class": NODE});
        let body = json!({"event": event, "user": null, "time": 1}).to_string();
        let incoming = Incoming::parse(body.as_bytes(), &EventClasses::default()).unwrap();
        self.deliveries.receive(incoming).await.unwrap();
    }

    /// When an administrator was last confirmed to be one.
    fn last_confirmed(&self) -> i64 {
        let database = rusqlite::Connection::open(self.dir.path().join("deliveries.db")).unwrap();
        let sql = "SELECT max(confirmed_at) FROM delivery_target";
        database.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// What was recorded of targets: the action, who did it, and why.
    fn recorded(&self) -> Vec<String> {
        let records = self.audit.0.lock().unwrap();
        let of_targets = records.iter().filter(|it| it.target_id.is_some());
        let shown = of_targets.map(|record| {
            let by = record.actor.caller().unwrap_or_else(|| record.actor.kind());
            let whose = record.user.as_deref().unwrap_or_default();
            let why = record.reason.as_deref().unwrap_or_default();
            let action = record.action.as_str().trim_start_matches("target.");
            format!(
                "{action} {} of {whose} by {by} {why}",
                record.outcome.as_str()
            )
        });
        shown.map(|line| line.trim_end().to_owned()).collect()
    }
}

async fn call(
    service: &Service,
    token: &str,
    method: &str,
    path: &str,
    body: Value,
) -> (u16, Value) {
    let body = match body {
        Value::Null => Bytes::new(),
        body => body.to_string().into(),
    };
    let request = Request::builder()
        .method(method)
        .uri(format!("/api/v1/deliveries/{path}"))
        .header("authorization", format!("Bearer {token}"));
    let request = request.body(Full::new(body)).unwrap();
    let answer = service.clone().oneshot(request).await.unwrap();
    let (head, body) = answer.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (head.status.as_u16(), serde_json::from_slice(&body).unwrap())
}

/// Makes a target, and returns its path.
async fn make(service: &Service, token: &str, target: Value) -> String {
    let (status, made) = call(service, token, "POST", "targets", target).await;
    assert_eq!(status, 201, "{made}");
    format!("targets/{}", made["id"].as_str().unwrap())
}

async fn state(service: &Service, token: &str, path: &str) -> (Value, Value) {
    let (status, shown) = call(service, token, "GET", path, Value::Null).await;
    assert_eq!(status, 200, "{shown}");
    (shown["state"].clone(), shown["suspended"].clone())
}

async fn until_state(house: &House, path: &str, wanted: Option<&str>) {
    let id = path.trim_start_matches("targets/").parse().unwrap();
    until("it has the state", async || {
        let queue = house.deliveries.queue();
        let all = portreeve::deliveries::Scope::All;
        let target = queue.target(all, id).await.unwrap().unwrap();
        target.suspended.map(|it| it.as_str()) == wanted
    })
    .await;
}

#[tokio::test]
async fn api_12_2_a_target_of_a_former_member_of_the_administrators_is_suspended() {
    let house = House::new().await;
    let target = Target::answering(|| status(StatusCode::OK)).await;
    let first = house.gateway(|_| {});
    let all = make(&first, "admin=", json!({"uri": target.uri(), "user": "*"})).await;
    let bobs = make(
        &first,
        "admin=",
        json!({"uri": target.uri(), "user": "bob"}),
    )
    .await;
    let own = make(&first, "admin=", json!({"uri": target.uri()})).await;
    house.receive("alice").await;
    until("it arrives", async || target.received() == 1).await;

    // He leaves the group. The server is asked once in an hour, by one gateway of all.
    let former = house.nextcloud.recording("user-admin");
    let former = former
        .response
        .body
        .unwrap()
        .replace(r#""groups":["admin"]"#, r#""groups":[]"#);
    house.nextcloud.answer_with("user-admin", 200, former);
    let seen = house.nextcloud.seen().len();
    let second = house.gateway(|_| {});
    assert_eq!(house.nextcloud.seen().len(), seen);
    house.pass(HOUR);
    let (third, _fourth) = (house.gateway(|_| {}), house.gateway(|_| {}));
    for path in [&all, &bobs] {
        until_state(&house, path, Some("not_administrator")).await;
    }
    assert_eq!(house.nextcloud.seen().len(), seen + 1);
    until_state(&house, &own, None).await;
    assert_eq!(
        house.deliveries.queue().counts().await.unwrap().suspended,
        2
    );

    // Nothing arrives but what is his own, and bob sees why.
    for user in ["alice", "bob", "admin"] {
        house.receive(user).await;
    }
    until("his own arrives", async || target.received() == 2).await;
    let waiting = async || call(&third, "bob=", "GET", &bobs, Value::Null).await.1;
    until("it waits", async || waiting().await["pending"] == 1).await;
    let shown = waiting().await;
    assert_eq!(
        (&shown["state"], &shown["suspended"], &shown["made_by"]),
        (
            &json!("suspended"),
            &json!("not_administrator"),
            &json!("admin")
        )
    );
    let resumed = call(&third, "bob=", "PATCH", &bobs, json!({"paused": false})).await;
    assert_eq!(resumed.1["state"], "suspended");
    let warning = resumed.1["warnings"][0].as_str().unwrap();
    assert!(warning.contains("stays suspended"), "{warning}");
    let (_, listed) = call(
        &third,
        "bob=",
        "GET",
        &format!("{bobs}/deliveries"),
        Value::Null,
    )
    .await;
    let retry = format!("{}/retry", listed["deliveries"][0]["id"].as_str().unwrap());
    let (_, retried) = call(&third, "bob=", "POST", &retry, Value::Null).await;
    let later = "Delivery is sent again once its target is active (it is suspended)";
    assert_eq!(retried["message"], later);
    assert_eq!(
        call(&third, "admin=", "GET", &all, Value::Null).await.0,
        404
    );
    assert_eq!(target.received(), 2);

    // Bob may have his own events; and whoever is an administrator again, those of all.
    let adopted = call(&third, "bob=", "PATCH", &bobs, json!({"adopt": true}))
        .await
        .1;
    assert_eq!(
        (
            &adopted["state"],
            &adopted["suspended"],
            &adopted["made_by"]
        ),
        (&json!("active"), &Value::Null, &json!("bob"))
    );
    until("it arrives", async || target.received() == 3).await;
    house.nextcloud.answer("user-admin");
    house.pass(HOUR);
    let fifth = house.gateway(|_| {});
    until_state(&house, &all, None).await;
    until("what waited arrives", async || target.received() == 6).await;
    assert_eq!(state(&fifth, "admin=", &all).await.0, "active");
    drop(second);
    let recorded = house.recorded();
    for line in [
        "create done of * by admin",
        "create done of admin by admin",
        "suspend done of * by gateway not_administrator",
        "suspend done of bob by gateway not_administrator",
        "change done of bob by bob",
        "replay done of bob by bob",
        "adopt done of bob by bob",
        "resume done of * by gateway",
        "read done of * by admin",
    ] {
        assert!(
            recorded.iter().any(|it| it == line),
            "{line}: {recorded:#?}"
        );
    }
}

#[tokio::test]
async fn api_12_2_who_cannot_be_asked_about_counts_as_an_administrator_for_a_day() {
    for has_password in [true, false] {
        let house = House::new().await;
        let first = house.gateway(|_| {});
        let uri = "http://127.0.0.1:9/";
        let all = make(&first, "admin=", json!({"uri": uri, "user": "*"})).await;
        match has_password {
            true => house.nextcloud.answer_with("user-admin", 503, "busy"),
            false => assert!(house.vault.remove("admin").await.unwrap()),
        }
        house.pass(23 * HOUR);
        let seen = house.nextcloud.seen().len();
        let _second = house.gateway(|_| {});
        if has_password {
            house.nextcloud.until_seen(seen + 1).await;
        }
        until_state(&house, &all, None).await;
        house.pass(HOUR);
        let _third = house.gateway(|_| {});
        until_state(&house, &all, Some("unconfirmed")).await;
        // It ends when an answer can be had.
        house.nextcloud.answer("user-admin");
        let password = AppPassword::new(PASSWORD).unwrap();
        house.vault.put("admin", "admin", &password).await.unwrap();
        house.pass(HOUR);
        let _fourth = house.gateway(|_| {});
        until_state(&house, &all, None).await;
    }
}

#[tokio::test]
async fn api_12_2_who_redirects_a_target_of_somebody_else_answers_for_it() {
    let house = House::new().await;
    let service = house.gateway(|settings| settings.administrators.scope = Some("admin".into()));
    let alices = make(&service, "alice", json!({"uri": "http://127.0.0.1:9/"})).await;
    let change = async |what| {
        let (status, shown) = call(&service, "root~admin", "PATCH", &alices, what).await;
        assert_eq!((status, &shown["user"]), (200, &json!("alice")), "{shown}");
        shown["made_by"].clone()
    };
    assert_eq!(change(json!({"paused": false})).await, "alice");
    let elsewhere = json!({"uri": "http://127.0.0.1:9/of-root"});
    assert_eq!(change(elsewhere).await, "root");
    call(&service, "root", "GET", "events", Value::Null).await;
    until_state(&house, &alices, Some("not_administrator")).await;
}

#[tokio::test]
async fn api_12_2_a_request_without_the_scope_of_administrators_suspends_at_once() {
    let house = House::new().await;
    let by_scope = |settings: &mut Settings| settings.administrators.scope = Some("admin".into());
    let service = house.gateway(by_scope);
    let uri = json!({"uri": "http://127.0.0.1:9/", "user": "*"});
    let all = make(&service, "root~admin", uri.clone()).await;
    let others = make(&service, "boss~admin", uri).await;
    // Somebody else of this name, and any other request with it.
    for token in ["root=", "root~admin", "alice"] {
        let (status, _) = call(&service, token, "GET", "targets", Value::Null).await;
        assert_eq!(status, 200);
    }
    assert_eq!(state(&service, "boss~admin", &all).await.0, "active");
    call(&service, "root", "GET", "events", Value::Null).await;
    until_state(&house, &all, Some("not_administrator")).await;
    assert_eq!(state(&service, "boss~admin", &others).await.0, "active");
    // A token with the scope does not end it; another administrator's adopting it does.
    let (_, shown) = call(&service, "root~admin", "GET", &all, Value::Null).await;
    assert_eq!(shown["suspended"], "not_administrator");
    assert_eq!(
        (&shown["made_by_issuer"], &shown["made_by_subject"]),
        (&json!(ISSUER), &json!("root"))
    );
    let (_, adopted) = call(
        &service,
        "boss~admin",
        "PATCH",
        &all,
        json!({"adopt": true}),
    )
    .await;
    assert_eq!(
        (&adopted["made_by"], &adopted["user"], &adopted["suspended"]),
        (&json!("boss"), &json!("*"), &Value::Null)
    );
    assert_eq!(adopted["made_by_subject"], "boss");

    // For thirty days, or as long as requests have the scope.
    let day = 24 * HOUR;
    house.pass(29 * day);
    let before = house.last_confirmed();
    call(&service, "boss~admin", "GET", "targets", Value::Null).await;
    until("it is noted", async || house.last_confirmed() > before).await;
    house.pass(29 * day);
    let again = house.gateway(by_scope);
    assert_eq!(state(&again, "boss~admin", &all).await.0, "active");
    house.pass(31 * day);
    let _last = house.gateway(by_scope);
    for path in [&all, &others] {
        until_state(&house, path, Some("unconfirmed")).await;
    }
}

#[tokio::test]
async fn api_12_2_a_target_goes_with_the_binding_of_its_maker() {
    let house = House::new().await;
    let target = Target::answering(|| status(StatusCode::OK)).await;
    let service = house.gateway(|settings| {
        settings.account = AccountPolicy::Bound(Binding::Operator);
    });
    house.vault.bind(ISSUER, "f3a1", "alice").await.unwrap();
    let path = make(&service, "f3a1", json!({"uri": target.uri()})).await;
    let of_token = make(&service, "alice=", json!({"uri": target.uri()})).await;
    house.receive("alice").await;
    until("it arrives at both", async || target.received() == 2).await;

    // The account is given to somebody else: not one event more, before anybody has looked.
    assert!(house.vault.unbind(ISSUER, "f3a1").await.unwrap());
    house.vault.bind(ISSUER, "b7c2", "alice").await.unwrap();
    house.receive("alice").await;
    until_state(&house, &path, Some("unbound")).await;
    until("that of the token goes on", async || target.received() == 3).await;
    assert_eq!(state(&service, "b7c2", &of_token).await.0, "active");
    let (_, shown) = call(&service, "b7c2", "GET", &path, Value::Null).await;
    assert_eq!(
        (
            &shown["state"],
            &shown["suspended"],
            shown.get("made_by_subject")
        ),
        (&json!("suspended"), &json!("unbound"), None)
    );
    // It ends when the account is theirs again, or with whoever has it now.
    assert!(house.vault.unbind(ISSUER, "b7c2").await.unwrap());
    house.vault.bind(ISSUER, "f3a1", "alice").await.unwrap();
    let _looks = house.gateway(|_| {});
    until_state(&house, &path, None).await;
    until("what waited arrives", async || target.received() == 4).await;
    assert!(house.vault.unbind(ISSUER, "f3a1").await.unwrap());
    house.vault.bind(ISSUER, "b7c2", "alice").await.unwrap();
    let _looks = house.gateway(|_| {});
    until_state(&house, &path, Some("unbound")).await;
    let (_, adopted) = call(&service, "b7c2", "PATCH", &path, json!({"adopt": true})).await;
    assert_eq!(adopted["state"], "active");
    house.receive("alice").await;
    until("it arrives at both", async || target.received() == 6).await;
    let lines = house.recorded();
    assert!(
        lines.contains(&"suspend done of alice by gateway unbound".to_owned()),
        "{lines:#?}"
    );
}

/// Whether somebody else's exists is not told by a question that fails.
#[tokio::test]
async fn api_12_2_the_id_of_a_target_of_somebody_else_is_like_one_of_none() {
    let house = House::new().await;
    let service = house.gateway(|_| {});
    let path = make(&service, "alice=", json!({"uri": "http://127.0.0.1:9/"})).await;
    let none = "targets/0000000000000000";
    house.nextcloud.answer_with("user-admin", 503, "busy");
    for token in ["admin=", "bob="] {
        let [found, unknown] = [&*path, none].map(|path| {
            let service = service.clone();
            let path = path.to_owned();
            async move { call(&service, token, "GET", &path, Value::Null).await }
        });
        assert_eq!(found.await, unknown.await, "{token}");
    }
}

/// A stream of events, and what it has brought.
struct Stream(AnswerBody, String);

impl Stream {
    async fn open(service: &Service, token: &str) -> Result<Self, u16> {
        let request = Request::get("/api/v1/deliveries/events?cursor=now")
            .header("authorization", format!("Bearer {token}"))
            .header("accept", "text/event-stream");
        let request = request.body(Full::default()).unwrap();
        let answer = service.clone().oneshot(request).await.unwrap();
        match answer.status().as_u16() {
            200 => Ok(Self(answer.into_body(), String::new())),
            other => Err(other),
        }
    }

    /// Reads until it has this, or its end.
    async fn read_until(&mut self, wanted: &str) -> &str {
        let reading = async {
            while !self.1.contains(wanted)
                && let Some(frame) = self.0.frame().await
            {
                let data = frame.unwrap().into_data().unwrap();
                self.1.push_str(std::str::from_utf8(&data).unwrap());
            }
        };
        let read = tokio::time::timeout(Duration::from_hours(2), reading).await;
        assert!(read.is_ok(), "it has no end");
        &self.1
    }

    /// Everything to its end, and why it ended.
    async fn end(mut self) -> (String, Option<String>) {
        self.read_until("nothing has this").await;
        let end = "event: end\ndata: ";
        let (before, reason) = self.1.split_once(end).expect("it says why it ends");
        let reason: Value = serde_json::from_str(reason.trim_end()).unwrap();
        (
            before.to_owned(),
            reason["reason"].as_str().map(str::to_owned),
        )
    }
}

/// So that what was verified or given just now was so long ago.
async fn let_pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn api_12_5_a_stream_ends_with_the_authority_of_its_token() {
    type Change = fn(&House);
    let changes: [(&str, Change); 3] = [
        ("refused", |house| {
            house.tokens.refuse("f3a1", RefusalReason::Unknown);
        }),
        ("expired", |house| {
            house.tokens.refuse("f3a1", RefusalReason::Expired);
        }),
        ("unverified", |house| {
            house.tokens.0.lock().unwrap().is_away = true;
        }),
    ];
    for (reason, change) in changes {
        let house = House::new().await;
        let service = house.gateway(|_| {});
        let mut stream = Stream::open(&service, "f3a1").await.unwrap();
        stream.read_until("id: ").await;
        house.receive("f3a1").await;
        stream.read_until("data: {").await;
        let_pass(Duration::from_secs(1)).await;
        change(&house);
        // It is no longer given.
        house.receive("f3a1").await;
        let (text, end) = stream.end().await;
        assert_eq!(end.as_deref(), Some(reason), "{text}");
        assert_eq!(text.matches("data: {").count(), 1, "{reason}: {text}");
    }
}

#[tokio::test]
async fn api_12_5_a_stream_ends_with_the_settings_and_the_binding_that_let_it_begin() {
    let house = House::new().await;
    let bound = || {
        let mut settings = Settings::default();
        settings.account = AccountPolicy::Bound(Binding::Operator);
        settings
    };
    let shared = Shared::new(house.vault.clone(), &bound(), TaskTracker::new());
    let service = house.replacing(&shared, &house.tokens, bound());
    let open = async || {
        let mut stream = Stream::open(&service, "f3a1").await.unwrap();
        stream.read_until("id: ").await;
        let_pass(Duration::from_secs(1)).await;
        stream
    };
    house.vault.bind(ISSUER, "f3a1", "alice").await.unwrap();
    let stream = open().await;
    assert!(house.vault.unbind(ISSUER, "f3a1").await.unwrap());
    house.receive("alice").await;
    let (text, end) = stream.end().await;
    assert_eq!(
        (end.as_deref(), text.contains("data: {")),
        (Some("unbound"), false)
    );
    // Given to somebody else, and to another account.
    house.vault.bind(ISSUER, "f3a1", "alice").await.unwrap();
    let stream = open().await;
    assert!(house.vault.unbind(ISSUER, "f3a1").await.unwrap());
    house.vault.bind(ISSUER, "f3a1", "bob").await.unwrap();
    house.receive("alice").await;
    assert_eq!(stream.end().await.1.as_deref(), Some("unbound"));
    // A reload that accepts other tokens.
    let stream = open().await;
    let others = Tokens::default();
    others.refuse("f3a1", RefusalReason::Audience);
    let _reloaded = house.replacing(&shared, &others, bound());
    house.receive("bob").await;
    let (text, end) = stream.end().await;
    assert_eq!(
        (end.as_deref(), text.contains("data: {")),
        (Some("refused"), false)
    );
    let stream = Stream::open(&service, "alice=").await.unwrap();
    shared.stop_waits();
    assert_eq!(stream.end().await.1.as_deref(), Some("stopping"));
}

/// Not with the next sign of life.
#[tokio::test]
async fn api_12_5_a_stream_ends_when_its_token_expires() {
    let house = House::new().await;
    let service = house.gateway(|_| {});
    let at = SystemTime::now() + Duration::from_secs(2);
    house.tokens.expire("alice=", at);
    let stream = Stream::open(&service, "alice=").await.unwrap();
    let (text, end) = stream.end().await;
    assert_eq!(end.as_deref(), Some("expired"));
    assert!(
        SystemTime::now() >= at && text.matches("id: ").count() <= 2,
        "{text}"
    );
}

#[tokio::test]
async fn api_12_5_a_long_poll_whose_token_ends_is_answered_without_what_came_since() {
    let house = House::new().await;
    let service = house.gateway(|_| {});
    let request = Request::get("/api/v1/deliveries/events?cursor=now&timeout=60");
    let request = request.header("authorization", "Bearer alice=");
    let request = request.body(Full::default()).unwrap();
    // Its head comes once it waits.
    let answer = service.clone().oneshot(request).await.unwrap();
    house.tokens.refuse("alice=", RefusalReason::Unknown);
    let_pass(Duration::from_secs(1)).await;
    house.receive("alice").await;
    let page = answer.into_body().collect().await.unwrap().to_bytes();
    let page: Value = serde_json::from_slice(&page).unwrap();
    assert_eq!((&page["events"], &page["gap"]), (&json!([]), &json!(false)));
    let (status, _) = call(&service, "alice=", "GET", "events", Value::Null).await;
    assert_eq!(status, 401);
}

#[tokio::test]
async fn api_12_5_a_ninth_stream_ends_the_one_that_has_got_nothing_for_longest() {
    let house = House::new().await;
    let service = house.gateway(|_| {});
    let mut streams = Vec::new();
    for _ in 0..8 {
        streams.push(Stream::open(&service, "alice=").await.unwrap());
    }
    // Those that have just begun are left alone, and so are those of others.
    assert_eq!(Stream::open(&service, "alice=").await.err(), Some(429));
    let mut bobs = Stream::open(&service, "bob=").await.unwrap();
    let_pass(Duration::from_secs(30)).await;
    house.receive("alice").await;
    streams[0].read_until("data: {").await;
    let ninth = Stream::open(&service, "alice=").await.unwrap();
    assert_eq!(streams.remove(1).end().await.1.as_deref(), Some("replaced"));
    // A poll takes a place, too, and gives it back.
    let (status, _) = call(
        &service,
        "alice=",
        "GET",
        "events?cursor=now&timeout=1",
        Value::Null,
    )
    .await;
    assert_eq!(status, 200);
    assert_eq!(streams.remove(1).end().await.1.as_deref(), Some("replaced"));
    house.receive("bob").await;
    bobs.read_until("data: {").await;
    // Nobody waits any more, and nothing is left of it.
    drop((streams, ninth));
    for _ in 0..2 {
        let mut eight = Vec::new();
        for _ in 0..8 {
            eight.push(Stream::open(&service, "alice=").await.unwrap());
        }
    }
}

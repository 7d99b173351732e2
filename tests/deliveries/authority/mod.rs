//! On whose authority targets get events, and for how long (docs/API.md, section 12.2, rules 7 and 8).

mod redirected;
mod streams;
mod targets;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use portreeve::audit::{Actor, AuditObserver, Auditor, Record};
use portreeve::deliveries::{Deliveries, Incoming, Limits, Networks, Queue, Worker};
use portreeve::gateway::{AccountPolicy, AnswerBody, BindingPolicy, Gateway, Settings, Shared};
use portreeve::groupware::{DeliveryAuth, EventClasses, Groupware};
use portreeve::identity::{BearerToken, Caller, Person, RefusalReason, TokenVerifier, VerifyError};
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Vault};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;
use tower::util::BoxCloneSyncService;

use crate::relay::path_of;
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;
use crate::target::{Target, until};

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
        let mut auditor = Auditor::new(Actor::Gateway);
        auditor.observer = Some(Arc::new(audit.clone()));
        let deliveries = Deliveries::new(vault.clone(), queue, Limits::default()).auditor(auditor);
        let networks = Networks::new(["127.0.0.0/8".parse().unwrap()]);
        let worker = Worker::new(deliveries.clone(), networks);
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
            .audit(Arc::new(self.audit.clone()))
            .groupware(Groupware::new(url, Default::default()).unwrap())
            .deliveries(self.worker.clone());
        BoxCloneSyncService::new(gateway.into_service().unwrap())
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
            format!("{action} {} of {whose} by {by} {why}", record.outcome.as_str())
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
    path_of(&made)
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

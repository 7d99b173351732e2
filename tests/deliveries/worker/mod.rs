//! The worker: what was received arrives where it is wanted, and again if it has to.

mod fairness;
mod interrupted;
mod keys;
mod runs;
mod shares;

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU16, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::StatusCode;
use portreeve::deliveries::{
    AttemptOutcome, Deliveries, Delivery, DeliveryState, Incoming, Limits, Maker, Networks,
    PreviousSecret, Queue, Scope, Sender, TargetId, TargetSettings, TargetState, Worker,
};
use portreeve::groupware::{EventClasses, WebhookSecret};
use portreeve::vault::{Keyring, SqliteStore, StoreObserver, Vault};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

use crate::support::certificates::{Authority, client};
use crate::support::changed;
use crate::target::{Target, status, until};

const CREATED: &str = r"OCP\\Files\\Events\\Node\\NodeCreatedEvent";
const WRITTEN: &str = r"OCP\\Files\\Events\\Node\\NodeWrittenEvent";

/// A gateway's queue and worker.
struct Gateway {
    deliveries: Deliveries,
    /// What its clock is ahead, in milliseconds.
    ahead: Arc<AtomicI64>,
    stop: CancellationToken,
    running: Option<JoinHandle<()>>,
    /// The folder of its database, if no other gateway has that.
    dir: Option<TempDir>,
}

impl Gateway {
    async fn new() -> Self {
        Self::observed(None).await
    }

    async fn observed(observer: Option<Arc<dyn StoreObserver>>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let gateway = Self::open_observed(dir.path(), observer).await;
        Self { dir: Some(dir), ..gateway }
    }

    /// One of several on a database.
    async fn open(dir: &Path) -> Self {
        Self::open_observed(dir, None).await
    }

    async fn open_observed(dir: &Path, observer: Option<Arc<dyn StoreObserver>>) -> Self {
        let mut store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
        store.observer = observer;
        let keyring = Keyring::read_or_create(dir.join("vault.key")).unwrap();
        let ahead = Arc::<AtomicI64>::default();
        let queue = Queue::in_sqlite(&store).clock_ahead(ahead.clone());
        Self::on(Vault::new(keyring, store), queue, ahead)
    }

    fn on(vault: Vault, queue: Queue, ahead: Arc<AtomicI64>) -> Self {
        Self {
            deliveries: Deliveries::new(vault, queue, Limits::default()),
            ahead,
            stop: CancellationToken::new(),
            running: None,
            dir: None,
        }
    }

    fn start(&mut self) {
        self.start_with(Duration::from_secs(15));
    }

    /// Starts its worker, whose attempts take this long at most.
    fn start_with(&mut self, timeout: Duration) {
        let tls = client(&Authority::new("nobody").pem(), None, &[]);
        let listed = Networks::new(["127.0.0.0/8".parse().unwrap()]);
        let sender = Sender::new(listed, Arc::unwrap_or_clone(tls))
            .resolver(async |name| match name.as_str() {
                "panics.example" => panic!("as a fault in here would"),
                _ => Ok(vec![IpAddr::from([127, 0, 0, 1])]),
            })
            .timeout(timeout);
        let worker = Worker::with_sender(self.deliveries.clone(), sender);
        self.stop = CancellationToken::new();
        self.running = Some(tokio::spawn(worker.run(self.stop.clone())));
    }

    async fn stop(&mut self) {
        self.stop.cancel();
        if let Some(running) = self.running.take() {
            running.await.unwrap();
        }
    }

    fn kill(&mut self) {
        self.running.take().unwrap().abort();
    }

    fn forward(&self, time: Duration) {
        let millis = i64::try_from(time.as_millis()).unwrap();
        self.ahead.fetch_add(millis, Ordering::SeqCst);
    }

    async fn receive(&self, account: &str, class: &str) -> String {
        let path = format!(
            r#"{{"node":{{"id":7,"path":"\/{account}\/files\/a.txt"}},"class":"{class}"}}"#
        );
        let user = format!(r#"{{"uid":"{account}","displayName":"x"}}"#);
        let body = format!(r#"{{"event":{path}, "user":{user},"time":1}}"#);
        let incoming = Incoming::parse(body.as_bytes(), &EventClasses::default()).unwrap();
        self.deliveries.receive(incoming).await.unwrap();
        body
    }

    async fn target(&self, account: Option<&str>, settings: &TargetSettings) -> TargetId {
        let maker = Maker::of(account.unwrap_or("root"));
        let added = self.deliveries.add_target(account, settings, maker).await;
        added.unwrap().id
    }

    async fn state(&self, id: TargetId) -> TargetState {
        let target = self.deliveries.queue().target(Scope::All, id).await;
        target.unwrap().unwrap().state
    }

    async fn all(&self, id: TargetId) -> Vec<Delivery> {
        let queue = self.deliveries.queue();
        let all = queue.deliveries(Scope::All, id, None, None, 300).await;
        all.unwrap().unwrap()
    }
}

fn settings(uri: String) -> TargetSettings {
    TargetSettings::new(uri, WebhookSecret::generate().unwrap().expose())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_arrives_at_the_targets_that_want_it_and_at_no_other() {
    let mut gateway = Gateway::new().await;
    let (own, every, class, filter, others, elsewhere) = (
        Target::ok().await,
        Target::ok().await,
        Target::ok().await,
        Target::ok().await,
        Target::ok().await,
        Target::ok().await,
    );
    gateway.target(Some("alice"), &settings(own.uri())).await;
    gateway.target(None, &settings(every.uri())).await;
    let created = CREATED.replace(r"\\", r"\");
    let of_class = changed(settings(class.uri()), |it| it.events = vec![created]);
    gateway.target(Some("alice"), &of_class).await;
    let created = r#"{"event.node.path": "/^\\/alice\\/files\\//", "event.class": "/Created/"}"#;
    let filtered = changed(settings(filter.uri()), |it| it.filter = Some(created.to_owned()));
    gateway.target(Some("alice"), &filtered).await;
    gateway.target(Some("bob"), &settings(others.uri())).await;
    // Whatever the filter says, it is asked only about the events of its account.
    let of_alice = Some(r#"{"user.uid": "alice"}"#.to_owned());
    let greedy = changed(settings(elsewhere.uri()), |it| it.filter = of_alice);
    gateway.target(Some("bob"), &greedy).await;
    gateway.start();

    let created = gateway.receive("alice", CREATED).await;
    let written = gateway.receive("alice", WRITTEN).await;
    let of_bob = gateway.receive("bob", CREATED).await;
    until("all are delivered", async || {
        let counts = gateway.deliveries.queue().counts().await.unwrap();
        let is_matched = gateway.deliveries.attempts(AttemptOutcome::Delivered) >= 8;
        counts.pending == 0 && is_matched
    })
    .await;
    gateway.stop().await;

    let got = |target: &Target| {
        let mut bodies: Vec<_> = target.requests().into_iter().map(|(_, body)| body).collect();
        bodies.sort();
        bodies
    };
    let sorted = |bodies: &[&String]| {
        let mut bodies: Vec<_> = bodies.iter().map(|body| (**body).clone()).collect();
        bodies.sort();
        bodies
    };
    assert_eq!(got(&own), sorted(&[&created, &written]));
    assert_eq!(got(&every), sorted(&[&created, &written, &of_bob]));
    assert_eq!(got(&class), sorted(&[&created]));
    assert_eq!(got(&filter), sorted(&[&created]));
    assert_eq!(got(&others), sorted(&[&of_bob]));
    assert!(got(&elsewhere).is_empty());
    assert_eq!(gateway.deliveries.received(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_attempt_is_repeated_by_the_schedule_with_the_same_id() {
    let mut gateway = Gateway::new().await;
    let target = Target::always(StatusCode::SERVICE_UNAVAILABLE).await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start();
    gateway.receive("alice", CREATED).await;

    let steps = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    let mut parts = Vec::new();
    for (made, step) in (1..).zip(steps) {
        until("the attempt ends", async || {
            let all = gateway.all(id).await;
            all.len() == 1 && all[0].attempts.len() == made
        })
        .await;
        let delivery = &gateway.all(id).await[0];
        let ended_at = delivery.attempts.last().unwrap().at;
        let wait = delivery.due_at.unwrap().duration_since(ended_at).unwrap();
        let part = wait.as_secs_f64() / f64::from(step);
        assert!((0.799..=1.201).contains(&part), "{made} {wait:?}");
        parts.push(part);
        assert_eq!(target.requests().len(), made);
        gateway.forward(wait);
    }
    // What failed together does not come again together.
    let varies = parts.iter().any(|part| (part - parts[0]).abs() > 0.01);
    assert!(varies, "{parts:?}");
    until("it has failed", async || gateway.all(id).await[0].state == DeliveryState::Failed).await;
    gateway.stop().await;
    let requests = target.requests();
    assert_eq!(requests.len(), 10);
    let named = gateway.all(id).await[0].id.to_string();
    for (head, body) in &requests {
        assert_eq!(head.headers["webhook-id"], *named);
        assert_eq!(body, &requests[0].1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_answers_410_gets_nothing_more() {
    let mut gateway = Gateway::new().await;
    let target = Target::always(StatusCode::GONE).await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start();
    gateway.receive("alice", CREATED).await;
    until("it is disabled", async || gateway.state(id).await == TargetState::Disabled).await;
    gateway.receive("alice", CREATED).await;
    gateway.forward(Duration::from_mins(10));
    until("the second receipt is matched", async || {
        gateway.deliveries.queue().counts().await.unwrap().pending == 0
    })
    .await;
    gateway.stop().await;
    assert_eq!(target.requests().len(), 1);
    assert_eq!(gateway.deliveries.given_up(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_fails_for_five_days_is_disabled_and_one_success_starts_anew() {
    let mut gateway = Gateway::new().await;
    let answer = Arc::new(AtomicU16::new(0));
    let answers = answer.clone();
    let target = Target::answering(move || {
        status(StatusCode::from_u16(answers.load(Ordering::SeqCst)).unwrap())
    })
    .await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    for (days, code, state, is_failing) in [
        (0, 404, TargetState::Active, true),
        (4, 200, TargetState::Active, false),
        (4, 404, TargetState::Active, true),
        (3, 404, TargetState::Active, true),
        (1, 404, TargetState::Active, true),
        (1, 404, TargetState::Disabled, true),
    ] {
        gateway.forward(Duration::from_hours(24 * days));
        answer.store(code, Ordering::SeqCst);
        gateway.start();
        // What waits from before is tried as well, and counts the same.
        gateway.receive("alice", CREATED).await;
        until("an attempt is noted", async || {
            let kept = gateway.deliveries.queue().target(Scope::All, id).await;
            let kept = kept.unwrap().unwrap();
            (kept.state, kept.failing_since.is_some()) == (state, is_failing)
        })
        .await;
        // None is under way while time passes.
        gateway.stop().await;
        assert_eq!(gateway.state(id).await, state);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_secret_is_replaced_both_sign() {
    let mut gateway = Gateway::new().await;
    let target = Target::ok().await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let (new, old) = (WebhookSecret::generate().unwrap(), WebhookSecret::generate().unwrap());
    for until in [now + 3600, now - 1] {
        let mut rotated = settings(target.uri());
        rotated.secret = new.expose();
        let secret = Zeroizing::new(old.expose().to_string());
        rotated.previous = vec![PreviousSecret { secret, until }];
        gateway.target(Some("alice"), &rotated).await;
    }
    gateway.start();
    gateway.receive("alice", CREATED).await;
    until("both are delivered", async || target.received() == 2).await;
    gateway.stop().await;
    let verified = |secret: &WebhookSecret| {
        let requests = target.requests().into_iter();
        let verified = requests.filter(|(head, body)| {
            let secrets = [secret.clone()];
            WebhookSecret::verify(&secrets, &head.headers, body, SystemTime::now()).is_ok()
        });
        verified.count()
    };
    assert_eq!(verified(&new), 2);
    assert_eq!(verified(&old), 1);
}

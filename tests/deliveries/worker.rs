//! The worker: what was received arrives where it is wanted, again if it has to, and nothing holds up the rest.

mod interrupted;

use std::collections::{HashMap, HashSet};
use std::future::pending;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU16, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use http::header::CONNECTION;
use http::{HeaderValue, StatusCode};
use portreeve::deliveries::queue::AT_ONCE;
use portreeve::deliveries::{
    Deliveries, Delivery, DeliveryState, Incoming, Limits, Maker, Networks, Outcome,
    PreviousSecret, Queue, Scope, Sender, Shares, TargetId, TargetSettings, TargetState, Worker,
};
use portreeve::groupware::{EventClasses, WebhookSecret};
use portreeve::vault::{Keyring, SqliteStore, StoreObserver, Vault};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

#[cfg(feature = "postgres")]
use crate::queue::Place;
use crate::support::certificates::{Authority, client};
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
}

impl Gateway {
    async fn open(dir: &Path) -> Self {
        Self::open_observed(dir, None).await
    }

    async fn open_observed(dir: &Path, observer: Option<Arc<dyn StoreObserver>>) -> Self {
        let mut store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
        if let Some(observer) = observer {
            store = store.observed(observer);
        }
        let keyring = Keyring::read_or_create(dir.join("vault.key")).unwrap();
        let ahead = Arc::<AtomicI64>::default();
        let queue = Queue::in_sqlite(&store).clock_ahead(ahead.clone());
        let vault = Vault::new(keyring, store);
        Self {
            deliveries: Deliveries::new(vault, queue, Limits::default()),
            ahead,
            stop: CancellationToken::new(),
            running: None,
        }
    }

    /// Starts its worker, whose attempts take this long at most.
    fn start(&mut self, timeout: Duration) {
        let tls = client(&Authority::new("nobody").pem(), None, &[]);
        let listed = Networks::new(["127.0.0.0/8".parse().unwrap()]);
        let sender = Sender::new(listed, Arc::unwrap_or_clone(tls))
            .resolver(async |name| match name.as_str() {
                "panics.example" => panic!("as a fault in here would"),
                _ => Ok(vec![IpAddr::from([127, 0, 0, 1])]),
            })
            .timeout(timeout);
        let worker = Worker::with_sender(self.deliveries.clone(), sender, &EventClasses::default());
        self.stop = CancellationToken::new();
        self.running = Some(tokio::spawn(worker.run(self.stop.clone())));
    }

    async fn stop(&mut self) {
        self.stop.cancel();
        if let Some(running) = self.running.take() {
            running.await.unwrap();
        }
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
    TargetSettings {
        uri,
        events: Vec::new(),
        filter: None,
        secret: WebhookSecret::generate().unwrap().expose(),
        previous: Vec::new(),
        person: None,
        headers: Vec::new(),
    }
}

async fn ok() -> Target {
    Target::answering(|| status(StatusCode::OK)).await
}

/// Its filters take as long as filters may.
#[tokio::test(flavor = "multi_thread")]
async fn the_filters_of_one_account_do_not_hold_up_the_events_of_others() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let (own, slow) = (ok().await, ok().await);
    gateway.target(Some("alice"), &settings(own.uri())).await;
    for n in 0..100 {
        let part = |k| format!(r#"{{"event.node.path": "/(?:a?){{{}}}b/"}}"#, 200 + 5 * n + k);
        let parts = [0, 1, 2, 3, 4].map(part).join(",");
        let filter = format!(r#"{{"$or": [{parts}]}}"#);
        let slow = TargetSettings { filter: Some(filter), ..settings(slow.uri()) };
        gateway.target(Some("mallory"), &slow).await;
    }
    // All in one batch.
    for _ in 0..60 {
        gateway.receive("mallory", WRITTEN).await;
    }
    gateway.receive("alice", WRITTEN).await;
    let began = Instant::now();
    gateway.start(Duration::from_secs(10));
    until("it arrives", async || own.received() == 1).await;
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_arrives_at_the_targets_that_want_it_and_at_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let (own, every, class, filter, others, elsewhere) =
        (ok().await, ok().await, ok().await, ok().await, ok().await, ok().await);
    gateway.target(Some("alice"), &settings(own.uri())).await;
    gateway.target(None, &settings(every.uri())).await;
    let of_class =
        TargetSettings { events: vec![CREATED.replace(r"\\", r"\")], ..settings(class.uri()) };
    gateway.target(Some("alice"), &of_class).await;
    let filtered = TargetSettings {
        filter: Some(
            r#"{"event.node.path": "/^\\/alice\\/files\\//", "event.class": "/Created/"}"#
                .to_owned(),
        ),
        ..settings(filter.uri())
    };
    gateway.target(Some("alice"), &filtered).await;
    gateway.target(Some("bob"), &settings(others.uri())).await;
    // Whatever the filter says, it is asked only about the events of its account.
    let greedy = TargetSettings {
        filter: Some(r#"{"user.uid": "alice"}"#.to_owned()),
        ..settings(elsewhere.uri())
    };
    gateway.target(Some("bob"), &greedy).await;
    gateway.start(Duration::from_secs(15));

    let created = gateway.receive("alice", CREATED).await;
    let written = gateway.receive("alice", WRITTEN).await;
    let of_bob = gateway.receive("bob", CREATED).await;
    until("all are delivered", async || {
        let counts = gateway.deliveries.queue().counts().await.unwrap();
        let is_matched = gateway.deliveries.attempts(Outcome::Delivered) >= 8;
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
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let target = Target::answering(|| status(StatusCode::SERVICE_UNAVAILABLE)).await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start(Duration::from_secs(15));
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
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let target = Target::answering(|| status(StatusCode::GONE)).await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start(Duration::from_secs(15));
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
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
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
        gateway.start(Duration::from_secs(15));
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
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let target = ok().await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let (new, old) = (WebhookSecret::generate().unwrap(), WebhookSecret::generate().unwrap());
    for until in [now + 3600, now - 1] {
        let rotated = TargetSettings {
            secret: new.expose(),
            previous: vec![PreviousSecret {
                secret: Zeroizing::new(old.expose().to_string()),
                until,
            }],
            ..settings(target.uri())
        };
        gateway.target(Some("alice"), &rotated).await;
    }
    gateway.start(Duration::from_secs(15));
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

/// It has its place in the schedule, and the place for attempts is free again.
#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_panics_is_noted() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let uri = "https://panics.example/".to_owned();
    let id = gateway.target(Some("alice"), &settings(uri)).await;
    gateway.start(Duration::from_secs(15));
    gateway.receive("alice", CREATED).await;
    until("it is noted", async || {
        let all = gateway.all(id).await;
        all.len() == 1 && all[0].attempts.len() == 1
    })
    .await;
    let delivery = &gateway.all(id).await[0];
    assert_eq!(delivery.attempts[0].outcome, Outcome::Broken);
    assert_eq!(delivery.state, DeliveryState::Waiting);
    gateway.stop().await;
}

/// 100 of the targets never answer: their attempts end after the test only.
#[tokio::test(flavor = "multi_thread")]
async fn targets_that_hang_hold_up_none_of_ten_thousand() {
    const ACCOUNTS: usize = 100;
    const TARGETS: usize = 100;
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let (good, hanging) = (
        ok().await,
        Target::serving(|_, stream| async move {
            let _open = stream;
            pending::<()>().await;
        })
        .await,
    );
    let targets = iter(0..ACCOUNTS * TARGETS).map(|number| {
        let uri = if number % 100 == 7 { hanging.uri() } else { good.uri() };
        let gateway = &gateway;
        async move {
            let account = format!("user{}", number / TARGETS);
            gateway.target(Some(&account), &settings(uri)).await;
        }
    });
    targets.buffer_unordered(256).collect::<Vec<_>>().await;
    let receipts = iter(0..ACCOUNTS).map(|account| {
        let gateway = &gateway;
        async move { gateway.receive(&format!("user{account}"), CREATED).await }
    });
    receipts.buffer_unordered(ACCOUNTS).collect::<Vec<_>>().await;

    gateway.start(Duration::from_hours(1));
    let mut tried = 0;
    while tried < ACCOUNTS * TARGETS {
        let before = tried;
        until("another one is tried", async || {
            tried = good.received() + hanging.connections();
            tried > before
        })
        .await;
    }
    assert_eq!(hanging.connections(), ACCOUNTS);
    gateway.running.take().unwrap().abort();
}

/// Counts the transactions of deliveries.
#[derive(Debug, Default)]
struct Changes(AtomicUsize);

impl StoreObserver for Changes {
    fn store_operation(&self, operation: &'static str, _: bool) {
        let is_change = operation == "change deliveries";
        self.0.fetch_add(usize::from(is_change), Ordering::SeqCst);
    }
}

/// A burst of another account, each event for 20 targets, comes before it.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_attempted_after_a_few_transactions_whatever_waits_for_others() {
    let dir = tempfile::tempdir().unwrap();
    let changes = Arc::<Changes>::default();
    let mut gateway = Gateway::open_observed(dir.path(), Some(changes.clone() as _)).await;
    let (good, other) = (ok().await, ok().await);
    gateway.target(Some("zoe"), &settings(good.uri())).await;
    for _ in 0..20 {
        gateway.target(Some("mallory"), &settings(other.uri())).await;
    }
    let gateway_of_all = &gateway;
    let burst = iter(0..2000).for_each_concurrent(256, async |_| {
        gateway_of_all.receive("mallory", CREATED).await;
    });
    burst.await;
    gateway.receive("zoe", CREATED).await;
    let before = changes.0.load(Ordering::SeqCst);
    gateway.start(Duration::from_secs(15));
    until("it arrives", async || good.received() == 1).await;
    let taken = changes.0.load(Ordering::SeqCst) - before;
    // One after the other, the events before it take 66 for matching alone, and more for 40,000 attempts.
    assert!(taken <= 60, "{taken}");
    gateway.running.take().unwrap().abort();
}

#[test]
fn places_that_were_given_beyond_all_of_them_are_not_more_afterwards() {
    let mut shares = Shares::new(2);
    for account in ["alice", "bob", "carol"] {
        shares.take(account);
        assert!(!shares.has_room("dave") || account == "alice");
    }
    assert_eq!(shares.free(), 0);
    for (account, free) in [("carol", 0), ("bob", 1), ("alice", 2), ("alice", 2)] {
        shares.give_back(account);
        assert_eq!(shares.free(), free);
    }
}

#[test]
fn however_many_accounts_take_all_they_may_some_places_are_left() {
    for (accounts, each, left) in [(1, 256, 768), (3, 128, 640), (100, 5, 500)] {
        let mut shares = Shares::new(1024);
        let names: Vec<_> = (0..accounts).map(|number| number.to_string()).collect();
        let mut taken = vec![0; accounts];
        loop {
            let before = shares.free();
            for (name, taken) in names.iter().zip(&mut taken) {
                if shares.has_room(name) {
                    shares.take(name);
                    *taken += 1;
                }
            }
            if shares.free() == before {
                break;
            }
        }
        assert!(taken.iter().all(|it| [each, each + 1].contains(it)), "{taken:?}");
        assert!(shares.free() >= left && shares.has_room("new"));
        for _ in 0..taken[0] {
            shares.give_back("0");
        }
        assert!(shares.has_room("0"));
        shares.give_back("0");
        assert_eq!(shares.free(), 1024 - taken[1..].iter().sum::<usize>());
    }
}

/// As those come whose targets hang.
#[test]
fn those_who_come_one_after_the_other_leave_places_too() {
    let mut shares = Shares::new(1024);
    for account in (0..120).map(|number| number.to_string()) {
        assert!(shares.has_room(&account), "{account}");
        while shares.has_room(&account) {
            shares.take(&account);
        }
    }
    assert!(shares.has_room("alice") && shares.free() > 0);
}

/// They answer once and then hang, and are removed and made again.
#[tokio::test(flavor = "multi_thread")]
async fn an_account_leaves_places_to_others_whatever_its_targets_do() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let hanging = Target::serving(|target, stream| async move {
        if target.received() < 100 {
            let answer = || {
                let mut answer = status(StatusCode::OK);
                let close = HeaderValue::from_static("close");
                answer.headers_mut().insert(CONNECTION, close);
                answer
            };
            return target.http(stream, answer).await;
        }
        let _open = stream;
        pending::<()>().await;
    })
    .await;
    gateway.start(Duration::from_hours(1));
    let scope = Scope::Account("mallory");
    for _ in 0..3 {
        let mut made = Vec::new();
        for _ in 0..100 {
            let settings = settings(hanging.uri());
            made.push(gateway.target(Some("mallory"), &settings).await);
        }
        for _ in 0..5 {
            gateway.receive("mallory", CREATED).await;
        }
        let share = || hanging.connections() - hanging.received() >= 200;
        until("all that may be are under way", async || share()).await;
        for id in made {
            let removed = gateway.deliveries.queue().remove_target(scope, id).await;
            assert!(removed.unwrap());
        }
    }
    let good = ok().await;
    gateway.target(Some("alice"), &settings(good.uri())).await;
    for number in 1..=20 {
        gateway.receive("alice", CREATED).await;
        until("it is delivered", async || good.received() == number).await;
    }
    let held = hanging.connections() - hanging.received();
    assert!((256 - 64..=256).contains(&held), "{held}");
    gateway.running.take().unwrap().abort();
}

/// More targets than there are attempts at once, of many accounts, which fail and then hang.
#[tokio::test(flavor = "multi_thread")]
async fn targets_that_fail_leave_half_of_the_places_to_the_others() {
    const ACCOUNTS: usize = 12;
    const TARGETS: usize = 100;
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let is_hanging = Arc::new(AtomicBool::new(false));
    let hangs = is_hanging.clone();
    let bad = Target::serving(move |target, stream| {
        let hangs = hangs.load(Ordering::SeqCst);
        async move {
            if hangs {
                let _open = stream;
                pending::<()>().await;
            } else {
                let answer = || status(StatusCode::SERVICE_UNAVAILABLE);
                target.http(stream, answer).await;
            }
        }
    })
    .await;
    for account in 0..ACCOUNTS {
        let account = format!("user{account}");
        for _ in 0..TARGETS {
            let settings = settings(bad.uri());
            gateway.target(Some(&account), &settings).await;
        }
        gateway.receive(&account, CREATED).await;
    }
    gateway.start(Duration::from_hours(1));
    until("each has answered", async || {
        let requests = bad.requests().into_iter();
        let ids = requests.map(|(head, _)| head.headers["webhook-id"].clone());
        ids.collect::<HashSet<_>>().len() == ACCOUNTS * TARGETS
    })
    .await;
    // None is under way when they begin to hang. Which targets fail is known to the queue.
    gateway.stop().await;

    is_hanging.store(true, Ordering::SeqCst);
    let before = bad.connections();
    gateway.forward(Duration::from_secs(10));
    gateway.start(Duration::from_hours(1));
    let hanging = || bad.connections() - before;
    // Each account has as many as are left.
    until("their places are taken", async || hanging() >= 230).await;
    let good = ok().await;
    gateway.target(Some("alice"), &settings(good.uri())).await;
    gateway.receive("alice", CREATED).await;
    until("it is delivered", async || good.received() == 1).await;
    assert!(hanging() < 512, "{}", hanging());
    gateway.running.take().unwrap().abort();
}

/// After an outage everything is due at once, for two gateways.
#[tokio::test(flavor = "multi_thread")]
async fn a_restart_after_an_outage_does_not_stampede() {
    const WAITING: usize = 400;
    let dir = tempfile::tempdir().unwrap();
    let mut gateways = [Gateway::open(dir.path()).await, Gateway::open(dir.path()).await];
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (in_flight, highest) = (now.clone(), most.clone());
    let busy = Target::serving(move |target, stream| {
        let (now, most) = (in_flight.clone(), highest.clone());
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(20)).await;
            // One request on each connection: it is over before the answer is sent.
            now.fetch_sub(1, Ordering::SeqCst);
            target.http(stream, || status(StatusCode::OK)).await;
        }
    })
    .await;
    gateways[0].target(Some("alice"), &settings(busy.uri())).await;
    for _ in 0..WAITING {
        gateways[0].receive("alice", CREATED).await;
    }
    for gateway in &gateways {
        gateway.forward(Duration::from_hours(24));
    }
    for gateway in &mut gateways {
        gateway.start(Duration::from_secs(15));
    }
    until("all are delivered", async || busy.received() >= WAITING).await;
    for gateway in &mut gateways {
        gateway.stop().await;
    }
    let highest = most.load(Ordering::SeqCst);
    assert!(highest as i64 <= AT_ONCE, "{highest}");
    let mut ids = HashMap::<_, usize>::new();
    for (head, _) in busy.requests() {
        *ids.entry(head.headers["webhook-id"].clone()).or_default() += 1;
    }
    assert_eq!(ids.len(), WAITING);
    assert!(ids.values().all(|times| *times == 1), "{ids:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_flight_ends_before_the_worker_does() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let target = Target::serving(|target, stream| async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        target.http(stream, || status(StatusCode::OK)).await;
    })
    .await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start(Duration::from_secs(15));
    gateway.receive("alice", CREATED).await;
    until("the attempt begins", async || target.connections() == 1).await;
    gateway.stop().await;
    assert_eq!(target.requests().len(), 1);
    assert_eq!(gateway.all(id).await[0].state, DeliveryState::Delivered);
}

/// Another process holds the database for longer than a statement waits, while the worker stops.
#[tokio::test(flavor = "multi_thread")]
async fn what_has_arrived_is_noted_although_the_queue_fails_while_the_worker_stops() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let target = Target::serving(|target, stream| async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        target.http(stream, || status(StatusCode::OK)).await;
    })
    .await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start(Duration::from_secs(15));
    gateway.receive("alice", CREATED).await;
    until("the attempt begins", async || target.connections() == 1).await;
    let other = rusqlite::Connection::open(dir.path().join("deliveries.db")).unwrap();
    other.busy_timeout(Duration::from_secs(1)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    gateway.stop.cancel();
    tokio::time::sleep(Duration::from_millis(6500)).await;
    assert!(!gateway.running.as_ref().unwrap().is_finished());
    other.execute_batch("ROLLBACK").unwrap();
    gateway.stop().await;
    assert_eq!(target.requests().len(), 1);
    let delivery = &gateway.all(id).await[0];
    assert_eq!(delivery.state, DeliveryState::Delivered);
    assert_eq!(delivery.attempts.len(), 1);
}

/// There is more due than they have in hand at once, so that it does not matter who was first.
#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn three_gateways_on_one_database_share_the_attempts() {
    const ACCOUNTS: usize = 4;
    const TARGETS: usize = 50;
    const RECEIPTS: usize = 40;
    let Some(place) = Place::postgres().await else {
        return;
    };
    let vault = Vault::new(Keyring::generate().unwrap(), portreeve::vault::MemoryStore::new());
    let target = Target::serving(|target, stream| async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        target.http(stream, || status(StatusCode::OK)).await;
    })
    .await;
    let mut gateways: Vec<_> = (place.gateways.iter())
        .map(|queue| Gateway {
            deliveries: Deliveries::new(vault.clone(), queue.clone(), Limits::default()),
            ahead: Arc::default(),
            stop: CancellationToken::new(),
            running: None,
        })
        .collect();
    for account in 0..ACCOUNTS {
        let account = format!("user{account}");
        for _ in 0..TARGETS {
            let settings = settings(target.uri());
            gateways[0].target(Some(&account), &settings).await;
        }
        for _ in 0..RECEIPTS {
            gateways[1].receive(&account, CREATED).await;
        }
    }
    for gateway in &mut gateways {
        gateway.start(Duration::from_secs(15));
    }
    let made = |gateways: &[Gateway]| {
        let made = gateways.iter();
        let made = made.map(|it| it.deliveries.attempts(Outcome::Delivered));
        made.collect::<Vec<_>>()
    };
    until("each has begun", async || made(&gateways).iter().all(|made| *made > 0)).await;
    let before = made(&gateways);
    until("2,000 more are made", async || {
        made(&gateways).iter().sum::<u64>() >= before.iter().sum::<u64>() + 2000
    })
    .await;
    let shares = made(&gateways).into_iter().zip(before);
    let shares: Vec<_> = shares.map(|(made, before)| made - before).collect();
    let twentieth = shares.iter().sum::<u64>() / 20;
    assert!(shares.iter().all(|it| *it >= twentieth), "{shares:?}");
    for gateway in &mut gateways {
        gateway.stop().await;
    }
    let requests = target.requests();
    let ids: HashSet<_> =
        (requests.iter()).map(|(head, _)| head.headers["webhook-id"].clone()).collect();
    assert_eq!(ids.len(), requests.len(), "none is made twice");
}

//! The worker: what was received arrives where it is wanted, again if it has to, and nothing holds up the rest.

use std::collections::HashMap;
use std::future::pending;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use http::StatusCode;
use portreeve::deliveries::queue::AT_ONCE;
use portreeve::deliveries::{
    Deliveries, Delivery, DeliveryState, Incoming, Limits, Networks, Outcome, PreviousSecret,
    Queue, Scope, Sender, TargetId, TargetSettings, TargetState, Worker,
};
use portreeve::groupware::{EventClasses, WebhookSecret};
use portreeve::vault::{Keyring, SqliteStore, Vault};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

#[cfg(feature = "postgres")]
use crate::queue::Place;
use crate::support::certificates::{Authority, client};
use crate::target::{Target, status};

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
        let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
        let keyring = Keyring::read_or_create(dir.join("vault.key")).unwrap();
        let ahead = Arc::<AtomicI64>::default();
        let queue = Queue::in_sqlite(&store).unwrap().clock_ahead(ahead.clone());
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
            .resolver(async |_| Ok(vec![IpAddr::from([127, 0, 0, 1])]))
            .timeout(timeout);
        let worker = Worker::new(self.deliveries.clone(), sender, EventClasses::default());
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
        let incoming = Incoming::parse(body.as_bytes()).unwrap();
        self.deliveries.receive(incoming).await.unwrap();
        body
    }

    async fn target(&self, account: Option<&str>, settings: &TargetSettings) -> TargetId {
        self.deliveries.add_target(account, settings).await.unwrap()
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
        previous: None,
    }
}

/// Waits until `is_so`, for two minutes.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let waited = tokio::time::timeout(Duration::from_mins(2), async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    waited.await.unwrap_or_else(|_| panic!("{what}"));
}

async fn ok() -> Target {
    Target::answering(|| status(StatusCode::OK)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_arrives_at_the_targets_that_want_it_and_at_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let (own, every, class, filter, others, elsewhere) = (
        ok().await,
        ok().await,
        ok().await,
        ok().await,
        ok().await,
        ok().await,
    );
    gateway.target(Some("alice"), &settings(own.uri())).await;
    gateway.target(None, &settings(every.uri())).await;
    let of_class = TargetSettings {
        events: vec![CREATED.replace(r"\\", r"\")],
        ..settings(class.uri())
    };
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
        let is_matched = gateway.deliveries.counted().attempts(Outcome::Delivered) >= 8;
        counts.pending == 0 && is_matched
    })
    .await;
    gateway.stop().await;

    let got = |target: &Target| {
        let mut bodies: Vec<_> = target
            .requests()
            .into_iter()
            .map(|(_, body)| body)
            .collect();
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
    assert_eq!(gateway.deliveries.counted().received(), 3);
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
    for (made, step) in (1..).zip(steps) {
        until("the attempt ends", async || {
            let all = gateway.all(id).await;
            all.len() == 1 && all[0].attempts.len() == made
        })
        .await;
        let now =
            SystemTime::now() + Duration::from_millis(gateway.ahead.load(Ordering::SeqCst) as u64);
        let delivery = &gateway.all(id).await[0];
        let wait = delivery
            .due_at
            .unwrap()
            .duration_since(now)
            .unwrap_or_default();
        // Some of it has passed already.
        let (least, most) = (f64::from(step) * 0.8 - 2.0, f64::from(step) * 1.2);
        assert!(
            (least..=most).contains(&wait.as_secs_f64()),
            "{made} {wait:?}"
        );
        assert_eq!(target.requests().len(), made);
        gateway.forward(wait);
    }
    until("it has failed", async || {
        gateway.all(id).await[0].state == DeliveryState::Failed
    })
    .await;
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
    until("it is disabled", async || {
        gateway.state(id).await == TargetState::Disabled
    })
    .await;
    gateway.receive("alice", CREATED).await;
    gateway.forward(Duration::from_mins(10));
    until("the second receipt is matched", async || {
        gateway.deliveries.queue().counts().await.unwrap().pending == 0
    })
    .await;
    gateway.stop().await;
    assert_eq!(target.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_fails_for_five_days_is_disabled_and_one_success_starts_anew() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let answers = Arc::new(AtomicUsize::new(0));
    let count = answers.clone();
    // The third attempt of all succeeds.
    let target = Target::answering(move || match count.fetch_add(1, Ordering::SeqCst) {
        2 => status(StatusCode::OK),
        _ => status(StatusCode::NOT_FOUND),
    })
    .await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start(Duration::from_secs(15));
    for attempt in 1..=3 {
        gateway.receive("alice", CREATED).await;
        until("the attempt ends", async || {
            answers.load(Ordering::SeqCst) >= attempt
                && gateway.all(id).await[0].attempts.len() == 1
        })
        .await;
        assert_eq!(gateway.state(id).await, TargetState::Active, "{attempt}");
        // What waits from before is tried as well, and counts the same.
        gateway.forward(Duration::from_hours(72));
    }
    until("it is disabled", async || {
        gateway.forward(Duration::from_hours(12));
        gateway.receive("alice", CREATED).await;
        gateway.state(id).await == TargetState::Disabled
    })
    .await;
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_secret_is_replaced_both_sign() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::open(dir.path()).await;
    let target = ok().await;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let (new, old) = (
        WebhookSecret::generate().unwrap(),
        WebhookSecret::generate().unwrap(),
    );
    for until in [now + 3600, now - 1] {
        let rotated = TargetSettings {
            secret: new.expose(),
            previous: Some(PreviousSecret {
                secret: Zeroizing::new(old.expose().to_string()),
                until,
            }),
            ..settings(target.uri())
        };
        gateway.target(Some("alice"), &rotated).await;
    }
    gateway.start(Duration::from_secs(15));
    gateway.receive("alice", CREATED).await;
    until("both are delivered", async || target.requests().len() == 2).await;
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
        let uri = if number % 100 == 7 {
            hanging.uri()
        } else {
            good.uri()
        };
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
    receipts
        .buffer_unordered(ACCOUNTS)
        .collect::<Vec<_>>()
        .await;

    gateway.start(Duration::from_hours(1));
    until("all others are delivered", async || {
        good.requests().len() == ACCOUNTS * (TARGETS - 1)
    })
    .await;
    assert_eq!(hanging.connections(), ACCOUNTS);
    gateway.running.take().unwrap().abort();
}

/// After an outage everything is due at once, for two gateways.
#[tokio::test(flavor = "multi_thread")]
async fn a_restart_after_an_outage_does_not_stampede() {
    const WAITING: usize = 400;
    let dir = tempfile::tempdir().unwrap();
    let mut gateways = [
        Gateway::open(dir.path()).await,
        Gateway::open(dir.path()).await,
    ];
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
    gateways[0]
        .target(Some("alice"), &settings(busy.uri()))
        .await;
    for _ in 0..WAITING {
        gateways[0].receive("alice", CREATED).await;
    }
    for gateway in &gateways {
        gateway.forward(Duration::from_hours(24));
    }
    for gateway in &mut gateways {
        gateway.start(Duration::from_secs(15));
    }
    until("all are delivered", async || {
        busy.requests().len() >= WAITING
    })
    .await;
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

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn three_gateways_on_one_database_share_the_attempts() {
    let Some(place) = Place::postgres().await else {
        return;
    };
    let vault = Vault::new(
        Keyring::generate().unwrap(),
        portreeve::vault::MemoryStore::new(),
    );
    let target = ok().await;
    let mut gateways: Vec<_> = (place.gateways.iter())
        .map(|queue| Gateway {
            deliveries: Deliveries::new(vault.clone(), queue.clone(), Limits::default()),
            ahead: Arc::default(),
            stop: CancellationToken::new(),
            running: None,
        })
        .collect();
    for _ in 0..20 {
        gateways[0]
            .target(Some("alice"), &settings(target.uri()))
            .await;
    }
    for gateway in &mut gateways {
        gateway.start(Duration::from_secs(15));
    }
    for _ in 0..30 {
        gateways[1].receive("alice", CREATED).await;
    }
    until("all are delivered", async || target.requests().len() >= 600).await;
    let mut shares = Vec::new();
    for gateway in &mut gateways {
        gateway.stop().await;
        shares.push(gateway.deliveries.counted().attempts(Outcome::Delivered));
    }
    assert_eq!(shares.iter().sum::<u64>(), 600);
    assert!(shares.iter().all(|share| *share >= 30), "{shares:?}");
}

//! Nothing holds up the rest: neither filters, nor targets that hang or fail, nor a burst of others.

use std::collections::{HashMap, HashSet};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use http::header::CONNECTION;
use http::{HeaderValue, StatusCode};
use portreeve::deliveries::Scope;
use portreeve::deliveries::queue::MAX_CONCURRENT_PER_TARGET;
use portreeve::vault::StoreObserver;

use super::{CREATED, Gateway, WRITTEN, settings};
use crate::support::changed;
use crate::target::{Target, status, until};

/// Its filters take as long as filters may.
#[tokio::test(flavor = "multi_thread")]
async fn the_filters_of_one_account_do_not_hold_up_the_events_of_others() {
    let mut gateway = Gateway::new().await;
    let (own, slow) = (Target::ok().await, Target::ok().await);
    gateway.target(Some("alice"), &settings(own.uri())).await;
    for n in 0..100 {
        let part = |k| format!(r#"{{"event.node.path": "/(?:a?){{{}}}b/"}}"#, 200 + 5 * n + k);
        let parts = [0, 1, 2, 3, 4].map(part).join(",");
        let filter = format!(r#"{{"$or": [{parts}]}}"#);
        let slow = changed(settings(slow.uri()), |it| it.filter = Some(filter));
        gateway.target(Some("mallory"), &slow).await;
    }
    // All in one batch.
    for _ in 0..60 {
        gateway.receive("mallory", WRITTEN).await;
    }
    gateway.receive("alice", WRITTEN).await;
    let began = Instant::now();
    gateway.start_with(Duration::from_secs(10));
    until("it arrives", async || own.received() == 1).await;
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    gateway.stop().await;
}

/// 100 of the targets never answer: their attempts end after the test only.
#[tokio::test(flavor = "multi_thread")]
async fn targets_that_hang_hold_up_none_of_ten_thousand() {
    const ACCOUNTS: usize = 100;
    const TARGETS: usize = 100;
    let mut gateway = Gateway::new().await;
    let (good, hanging) = (
        Target::ok().await,
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

    gateway.start_with(Duration::from_hours(1));
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
    gateway.kill();
}

/// Counts the transactions of deliveries.
#[derive(Debug, Default)]
pub(super) struct Changes(pub(super) AtomicUsize);

impl StoreObserver for Changes {
    fn store_operation(&self, operation: &'static str, _: bool) {
        let is_change = operation == "change deliveries";
        self.0.fetch_add(usize::from(is_change), Ordering::SeqCst);
    }
}

/// A burst of another account, each event for 20 targets, comes before it.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_attempted_after_a_few_transactions_whatever_waits_for_others() {
    let changes = Arc::<Changes>::default();
    let mut gateway = Gateway::observed(Some(changes.clone() as _)).await;
    let (good, other) = (Target::ok().await, Target::ok().await);
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
    gateway.start();
    until("it arrives", async || good.received() == 1).await;
    let taken = changes.0.load(Ordering::SeqCst) - before;
    // One after the other, the events before it take 66 for matching alone, and more for 40,000 attempts.
    assert!(taken <= 60, "{taken}");
    gateway.kill();
}

/// Each of them has a backlog, and a target that wants all of it.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_attempted_after_a_few_transactions_however_many_accounts_have_more() {
    const ACCOUNTS: usize = 100;
    let changes = Arc::<Changes>::default();
    let mut gateway = Gateway::observed(Some(changes.clone() as _)).await;
    let other = Target::ok().await;
    let (so_far, arrived) = (changes.clone(), Arc::<AtomicUsize>::default());
    let at = arrived.clone();
    let good = Target::answering(move || {
        at.store(so_far.0.load(Ordering::SeqCst), Ordering::SeqCst);
        status(StatusCode::OK)
    });
    let good = good.await;
    gateway.target(Some("zoe"), &settings(good.uri())).await;
    for number in 0..ACCOUNTS {
        let account = format!("mallory{number}");
        gateway.target(Some(&account), &settings(other.uri())).await;
    }
    let gateway_of_all = &gateway;
    let burst = iter(0..60 * ACCOUNTS).for_each_concurrent(256, async |event| {
        let account = format!("mallory{}", event % ACCOUNTS);
        gateway_of_all.receive(&account, CREATED).await;
    });
    burst.await;
    gateway.start();
    // Everybody has had a turn.
    until("others' are attempted", async || other.received() > 500).await;
    let before = changes.0.load(Ordering::SeqCst);
    gateway.receive("zoe", CREATED).await;
    until("it arrives", async || good.received() == 1).await;
    let taken = arrived.load(Ordering::SeqCst) - before;
    // If each of the others has as many receipts in its turn as a batch has room for, a round takes 100 and more.
    assert!(taken <= 60, "{taken}");
    gateway.kill();
}

/// They answer once and then hang, and are removed and made again.
#[tokio::test(flavor = "multi_thread")]
async fn an_account_leaves_places_to_others_whatever_its_targets_do() {
    let mut gateway = Gateway::new().await;
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
    gateway.start_with(Duration::from_hours(1));
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
    let good = Target::ok().await;
    gateway.target(Some("alice"), &settings(good.uri())).await;
    for number in 1..=20 {
        gateway.receive("alice", CREATED).await;
        until("it is delivered", async || good.received() == number).await;
    }
    let held = hanging.connections() - hanging.received();
    assert!((256 - 64..=256).contains(&held), "{held}");
    gateway.kill();
}

/// More targets than there are attempts at once, of many accounts, which fail and then hang.
#[tokio::test(flavor = "multi_thread")]
async fn targets_that_fail_leave_half_of_the_places_to_the_others() {
    const ACCOUNTS: usize = 12;
    const TARGETS: usize = 100;
    let mut gateway = Gateway::new().await;
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
    gateway.start_with(Duration::from_hours(1));
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
    gateway.start_with(Duration::from_hours(1));
    let hanging = || bad.connections() - before;
    // Each account has as many as are left.
    until("their places are taken", async || hanging() >= 230).await;
    let good = Target::ok().await;
    gateway.target(Some("alice"), &settings(good.uri())).await;
    gateway.receive("alice", CREATED).await;
    until("it is delivered", async || good.received() == 1).await;
    assert!(hanging() < 512, "{}", hanging());
    gateway.kill();
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
        gateway.start();
    }
    until("all are delivered", async || busy.received() >= WAITING).await;
    for gateway in &mut gateways {
        gateway.stop().await;
    }
    let highest = most.load(Ordering::SeqCst);
    assert!(highest as i64 <= MAX_CONCURRENT_PER_TARGET, "{highest}");
    let mut ids = HashMap::<_, usize>::new();
    for (head, _) in busy.requests() {
        *ids.entry(head.headers["webhook-id"].clone()).or_default() += 1;
    }
    assert_eq!(ids.len(), WAITING);
    assert!(ids.values().all(|times| *times == 1), "{ids:?}");
}

/// There is more due than they have in hand at once, so that it does not matter who was first.
#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn three_gateways_on_one_database_share_the_attempts() {
    const ACCOUNTS: usize = 4;
    const TARGETS: usize = 50;
    const RECEIPTS: usize = 40;
    use portreeve::deliveries::AttemptOutcome;
    use portreeve::vault::{Keyring, Vault};

    use crate::queue::Place;

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
        .map(|queue| Gateway::on(vault.clone(), queue.clone(), Arc::default()))
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
        gateway.start();
    }
    let made = |gateways: &[Gateway]| {
        let made = gateways.iter();
        let made = made.map(|it| it.deliveries.attempts(AttemptOutcome::Delivered));
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

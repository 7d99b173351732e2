//! Attempts that ended with their gateway.

use super::*;

/// A target that takes what comes, and answers nothing at first.
#[tokio::test(flavor = "multi_thread")]
async fn ten_gateways_that_were_killed_during_an_attempt_cost_no_step() {
    let dir = tempfile::tempdir().unwrap();
    let hangs = Arc::new(AtomicBool::new(true));
    let hanging = hangs.clone();
    let target = Target::serving(move |target, stream| {
        let hangs = hanging.load(Ordering::SeqCst);
        async move {
            if hangs {
                pending::<()>().await;
            }
            target.http(stream, || status(StatusCode::INTERNAL_SERVER_ERROR)).await;
        }
    })
    .await;
    let gateway = Gateway::open(dir.path()).await;
    let id = gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.receive("alice", CREATED).await;
    drop(gateway);
    for attempts in 1..=10 {
        let mut gateway = Gateway::open(dir.path()).await;
        gateway.start(Duration::from_secs(600));
        until("an attempt is under way", async || target.connections() == attempts).await;
        let killed = gateway.running.take().unwrap();
        killed.abort();
        killed.await.unwrap_err();
    }
    hangs.store(false, Ordering::SeqCst);
    let mut gateway = Gateway::open(dir.path()).await;
    gateway.start(Duration::from_secs(15));
    until("an attempt is noted", async || !gateway.all(id).await[0].attempts.is_empty()).await;
    gateway.stop().await;
    let delivery = &gateway.all(id).await[0];
    assert_eq!(delivery.state, DeliveryState::Waiting);
    let attempt = delivery.attempts[0];
    assert_eq!(attempt.status, Some(500));
    let wait = delivery.due_at.unwrap().duration_since(attempt.at).unwrap();
    assert!(wait < Duration::from_secs(7), "{wait:?}");
}

/// Panics so many times, as a fault beside the statements would.
#[derive(Debug, Default)]
struct Faults(AtomicUsize);

impl StoreObserver for Faults {
    fn store_operation(&self, _: &'static str, _: bool) {
        let is_one = |left: usize| left.checked_sub(1);
        let left = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, is_one);
        assert!(left.is_err(), "as a fault in here would");
    }
}

/// In whatever it does.
#[tokio::test(flavor = "multi_thread")]
async fn a_panic_of_the_worker_holds_nothing_up_until_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let faults = Arc::<Faults>::default();
    let mut gateway = Gateway::open_observed(dir.path(), Some(faults.clone())).await;
    let target = ok().await;
    gateway.target(Some("alice"), &settings(target.uri())).await;
    gateway.start(Duration::from_secs(15));
    for number in 1..=3 {
        faults.0.store(10, Ordering::SeqCst);
        until("all have come", async || faults.0.load(Ordering::SeqCst) == 0).await;
        gateway.receive("alice", CREATED).await;
        until("it is delivered", async || target.received() == number).await;
    }
    gateway.stop().await;
}

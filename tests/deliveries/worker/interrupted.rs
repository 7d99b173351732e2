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
            target
                .http(stream, || status(StatusCode::INTERNAL_SERVER_ERROR))
                .await;
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
        until("an attempt is under way", async || {
            target.connections() == attempts
        })
        .await;
        let killed = gateway.running.take().unwrap();
        killed.abort();
        killed.await.unwrap_err();
    }
    hangs.store(false, Ordering::SeqCst);
    let mut gateway = Gateway::open(dir.path()).await;
    gateway.start(Duration::from_secs(15));
    until("an attempt is noted", async || {
        !gateway.all(id).await[0].attempts.is_empty()
    })
    .await;
    gateway.stop().await;
    let delivery = &gateway.all(id).await[0];
    assert_eq!(delivery.state, DeliveryState::Waiting);
    let attempt = delivery.attempts[0];
    assert_eq!(attempt.status, Some(500));
    let wait = delivery.due_at.unwrap().duration_since(attempt.at).unwrap();
    assert!(wait < Duration::from_secs(7), "{wait:?}");
}

//! Connections to targets, which are kept for a moment.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use http_body_util::Full;
use portreeve::deliveries::{AttemptOutcome, Message, Networks, Sender};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::certificates::{Authority, client};
use crate::target::Target;

/// How long one is kept while it is idle.
const IDLE: Duration = Duration::from_secs(1);

/// A sender that trusts `authority`, for which every name is this machine; and how many it has looked up.
fn sender(authority: &Authority) -> (Sender, Arc<AtomicUsize>) {
    let listed = Networks::new(["127.0.0.0/8".parse().unwrap()]);
    let tls = client(&authority.pem(), None, &[]);
    let looked_up = Arc::<AtomicUsize>::default();
    let count = looked_up.clone();
    let sender = Sender::new(listed, Arc::unwrap_or_clone(tls)).resolver(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) }
    });
    (sender, looked_up)
}

async fn attempt(sender: &Sender, account: &str, uri: &str) -> AttemptOutcome {
    let message = Message {
        account,
        id: "dlv_7",
        body: &Bytes::from_static(b"{}"),
        secrets: &[],
        headers: &HeaderMap::new(),
    };
    sender.send(&uri.parse().unwrap(), message).await.outcome
}

async fn deliver(sender: &Sender, account: &str, uri: &str) {
    assert_eq!(attempt(sender, account, uri).await, AttemptOutcome::Delivered);
}

/// Unless the machine stands still for a second in between.
#[tokio::test]
async fn a_burst_takes_one_connection_and_one_look_up() {
    let authority = Authority::new("ours");
    let target = Target::with_tls(&authority, &["hooks.example"]).await;
    let uri = format!("https://hooks.example:{}/", target.address.port());
    let (sender, looked_up) = sender(&authority);
    for _ in 0..50 {
        deliver(&sender, "alice", &uri).await;
    }
    assert_eq!(target.received(), 50);
    let connections = target.connections();
    assert!(connections < 10, "{connections}");
    assert_eq!(looked_up.load(Ordering::SeqCst), connections);
}

#[tokio::test]
async fn none_is_shared_between_accounts_or_names() {
    let authority = Authority::new("ours");
    let names = ["one.example", "two.example"];
    let target = Target::with_tls(&authority, &names).await;
    let (sender, _) = sender(&authority);
    for account in ["alice", "bob"] {
        for name in names {
            let uri = format!("https://{name}:{}/", target.address.port());
            deliver(&sender, account, &uri).await;
        }
    }
    assert_eq!(target.connections(), 4);
}

#[tokio::test]
async fn none_is_kept_that_was_idle_for_a_second() {
    let (sender, _) = sender(&Authority::new("nobody"));
    let target = Target::ok().await;
    for connections in 1..=3 {
        deliver(&sender, "alice", &target.uri()).await;
        assert_eq!(target.connections(), connections);
        tokio::time::sleep(IDLE).await;
    }
}

/// However often it is used.
#[tokio::test]
async fn the_name_is_looked_up_again_after_ten_seconds() {
    let (sender, looked_up) = sender(&Authority::new("nobody"));
    let target = Target::ok().await;
    let uri = format!("http://hooks.example:{}/", target.address.port());
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(21) {
        deliver(&sender, "alice", &uri).await;
        tokio::time::sleep(IDLE / 10).await;
    }
    assert!(looked_up.load(Ordering::SeqCst) >= 3);
}

/// As those do that close it after each answer without a word, or while it is idle.
#[tokio::test]
async fn a_connection_that_the_target_closes_costs_no_attempt() {
    let (sender, _) = sender(&Authority::new("nobody"));
    let target = Target::serving(async |_, mut stream| {
        let mut request = vec![0; 64 * 1024];
        if stream.read(&mut request).await.is_ok_and(|read| read > 0) {
            let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
            stream.write_all(answer).await.ok();
        }
    })
    .await;
    for at in 0..50 {
        deliver(&sender, "alice", &target.uri()).await;
        if at % 2 == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    assert!(target.connections() >= 50);
}

/// What is left of it would be taken for the next answer.
#[tokio::test]
async fn none_is_kept_after_an_answer_that_was_not_read_whole() {
    let (sender, _) = sender(&Authority::new("nobody"));
    let long = || {
        let mut answer = Response::new(Full::from(vec![b'a'; 100_000]));
        *answer.status_mut() = StatusCode::ACCEPTED;
        answer
    };
    let target = Target::answering(long).await;
    for connections in 1..=5 {
        deliver(&sender, "alice", &target.uri()).await;
        assert_eq!(target.connections(), connections);
    }
}

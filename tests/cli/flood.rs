//! A flood of random tokens while the identity provider is slow: known callers are still served.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::support::binary::{Served, serve_in, token};
use crate::support::gateway::Answer as HttpAnswer;
use crate::support::issuer::{Answer, StandIn, in_seconds};

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_random_tokens_does_not_turn_known_callers_away() {
    let issuer = StandIn::start().await;
    let slow = Duration::from_millis(300);
    issuer.set("/introspect", Answer::json(&json!({"active": false})).after(slow));
    let active = json!({"active": true, "sub": "bob", "aud": "portreeve", "exp": in_seconds(300)});
    issuer.set_for("/introspect", "token=known&", Answer::json(&active).after(slow));
    let dir = tempfile::tempdir().unwrap();
    let fixed = token(dir.path(), "alice");
    let mut command = serve_in(dir.path());
    command
        .args(["--introspection-url", &format!("{}/introspect", issuer.url)])
        .args(["--introspection-client-id", "gateway", "--audience", "portreeve"])
        // Known tokens are checked again during the flood.
        .args(["--token-cache-ttl", "1s", "--max-in-flight", "100"])
        .env("PORTREEVE_INTROSPECTION_CLIENT_SECRET", "the client secret of it")
        .env("RUST_LOG", "error,portreeve::cli=info");
    let served = Served::start(&mut command);
    let address = served.address;
    assert_eq!(get(address, "known").await.status, 200);

    let done = Arc::new(AtomicBool::new(false));
    let seen = Arc::<Mutex<HashMap<u16, usize>>>::default();
    let flood: Vec<_> = (0..250)
        .map(|caller| {
            let (done, seen) = (done.clone(), seen.clone());
            tokio::spawn(async move {
                for at in 0.. {
                    if done.load(Ordering::Relaxed) {
                        return;
                    }
                    let answer = get(address, &format!("random-{caller}-{at}")).await;
                    if answer.status == 503 {
                        answer.assert_error(503, "Overloaded");
                        assert_eq!(answer.header("retry-after"), Some("1"));
                    }
                    *seen.lock().unwrap().entry(answer.status).or_default() += 1;
                    sleep(Duration::from_millis(200)).await;
                }
            })
        })
        .collect();
    sleep(Duration::from_millis(500)).await;
    let start = Instant::now();
    let (mut asked, mut rejected) = (0, 0);
    while start.elapsed() < Duration::from_secs(4) || asked < 50 {
        for token in ["known", &fixed] {
            asked += 1;
            rejected += usize::from(get(address, token).await.status != 200);
        }
        sleep(Duration::from_millis(20)).await;
    }
    done.store(true, Ordering::Relaxed);
    for caller in flood {
        caller.await.unwrap();
    }
    let seen = seen.lock().unwrap();
    // Of the flood nine of ten are; on a busy machine one of a hundred others may meet it.
    assert!(rejected * 20 <= asked, "{rejected} of {asked}; the flood got {seen:?}");
    assert!(seen.keys().all(|status| [401, 503].contains(status)), "{seen:?}");
    assert!(seen.len() == 2, "the flood did not overload the gateway: {seen:?}");
}

async fn get(address: SocketAddr, token: &str) -> HttpAnswer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "GET /api/v1/background-sync/status HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    HttpAnswer::parse(&bytes)
}

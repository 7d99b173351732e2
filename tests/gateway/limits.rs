//! Limits: permits, fairness, probes that need no permit, and the drain (docs/API.md, sections 7 and 9).

use std::time::Duration;

use portreeve::server::Drained;

use crate::support::gateway::{PASSWORD, TestGateway, set};
use crate::support::nextcloud::Nextcloud;

#[tokio::test]
async fn api_7_requests_over_the_limit_are_503_before_authentication() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    nextcloud.delay(Duration::from_millis(800));
    let change = set(|settings| settings.max_in_flight = 2);
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    let busy = async {
        let call = || gateway.call("admin", "GET", "/api/v1/webhooks", "");
        tokio::join!(call(), call())
    };
    let third = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let refused = gateway.send("GET /api/v1/webhooks HTTP/1.1\r\n", "").await;
        // So are public paths.
        let public = gateway.send("GET /api/v1/status HTTP/1.1\r\n", "").await;
        public.assert_error(503, "Overloaded");
        let probes = (
            gateway.send("GET /healthz HTTP/1.1\r\n", "").await,
            gateway.send("GET /readyz HTTP/1.1\r\n", "").await,
        );
        (refused, probes)
    };
    let ((first, second), (refused, (healthy, ready))) = tokio::join!(busy, third);
    assert_eq!((first.status, second.status), (200, 200));
    refused.assert_error(503, "Overloaded");
    assert!(
        refused
            .header("retry-after")
            .unwrap()
            .parse::<u32>()
            .is_ok()
    );
    assert_eq!((healthy.status, ready.status), (200, 200));
    // The permits are free again.
    assert_eq!(
        gateway
            .call("admin", "GET", "/api/v1/webhooks", "")
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn api_7_limits_as_large_as_a_number_can_be_are_none() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    let change = set(|settings| {
        settings.max_in_flight = usize::MAX;
        settings.max_in_flight_per_caller = usize::MAX;
        settings.request_timeout = Duration::MAX;
        settings.max_body = usize::MAX;
    });
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    let answer = gateway.call("admin", "GET", "/api/v1/webhooks", "").await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn api_7_one_caller_never_holds_all_permits() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    nextcloud.accounts([("alice", "alice", PASSWORD), ("bob", "bob", PASSWORD)]);
    nextcloud.delay(Duration::from_millis(800));
    let change = set(|settings| settings.max_in_flight_per_caller = 1);
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    let call = |user| gateway.call(user, "GET", "/api/v1/webhooks", "");
    let later = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        tokio::join!(call("alice"), call("bob"))
    };
    let (first, (same, other)) = tokio::join!(call("alice"), later);
    assert_eq!((first.status, other.status), (200, 200));
    same.assert_error(429, "Too many requests");
    assert!(same.header("retry-after").is_some());
    assert_eq!(call("alice").await.status, 200);
}

#[tokio::test]
async fn a_shutdown_waits_for_requests_in_flight() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    nextcloud.delay(Duration::from_millis(500));
    let mut gateway = TestGateway::before(nextcloud.url()).await;
    let address = gateway.address;
    let head = format!(
        "GET /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {}\r\n\r\n",
        gateway.token("admin")
    );
    let under_way = tokio::spawn(async move {
        use tokio::io::AsyncWriteExt as _;
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        crate::support::gateway::Answer::read(&mut stream).await
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    gateway.begin_stop();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(
        tokio::net::TcpStream::connect(address).await.is_err(),
        "new connections are refused"
    );
    let answer = under_way.await.unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("connection"),
        Some("close"),
        "an idle connection would hold the drain"
    );
    assert_eq!(gateway.finish().await, Drained::Completely);
}

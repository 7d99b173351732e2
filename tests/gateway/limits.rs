//! Limits: permits, fairness, probes that need no permit, and the drain (docs/API.md, sections 7 and 9).

use std::time::Duration;

use portreeve::server::Drained;

use crate::support::gateway::{TestGateway, set};
use crate::support::nextcloud::Nextcloud;

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
async fn a_shutdown_waits_for_requests_in_flight() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    nextcloud.holds();
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
    nextcloud.until_seen(1).await;
    gateway.begin_stop();
    // Until new connections are refused.
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    nextcloud.goes_on();
    let answer = under_way.await.unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("connection"),
        Some("close"),
        "an idle connection would hold the drain"
    );
    assert_eq!(gateway.finish().await, Drained::Completely);
}

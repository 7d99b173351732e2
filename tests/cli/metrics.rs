//! The connections in the metrics of `serve` (docs/OPERATIONS.md, "Metrics"); the others are in `transcripts/metrics.txt`.

use tokio::net::TcpStream;

use super::scrape::{self, Scrape};
use crate::support::binary::{Served, serve_in, token, wait};

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_counted_by_protocol_until_they_end() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "admin");
    let mut command = serve_in(dir.path());
    command.args(["--max-connections-per-address", "5"]);
    let served = Served::start(command.args(["--metrics-listen", "127.0.0.1:0"]));
    let metrics = scrape::address(&served);
    let counts = || {
        let scrape = Scrape::of(metrics);
        ["new", "http1", "http2"].map(|protocol| {
            scrape.value(&format!("portreeve_connections{{protocol={protocol:?}}}"))
        })
    };
    let open = async |bytes: &[u8]| {
        use tokio::io::AsyncWriteExt as _;
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream
    };
    let silent = open(b"").await;
    let first = open(b"GET /healthz HTTP/1.1\r\nHost: g\r\n\r\n").await;
    let second = [
        open(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await,
        open(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await,
    ];
    wait("they are counted", || counts() == [1.0, 1.0, 2.0]);
    drop(second);
    wait("two have ended", || counts() == [1.0, 1.0, 0.0]);
    let others = [open(b"").await, open(b"").await, open(b"").await];
    wait("there are five", || counts() == [4.0, 1.0, 0.0]);
    for _ in 0..7 {
        open(b"").await;
    }
    wait("those over the limit were counted", || {
        let refused = r#"portreeve_rejected_total{kind="connections_of_address"}"#;
        Scrape::of(metrics).value(refused) == 7.0
    });
    drop((silent, first, others));
    wait("all have ended", || counts() == [0.0; 3]);
}

/// Otherwise the first burst of them after a start would be no increase, and no alert.
#[test]
fn deliveries_that_are_lost_are_counted_from_zero() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "admin");
    let served = Served::start(serve_in(dir.path()).args(["--metrics-listen", "127.0.0.1:0"]));
    let metrics = Scrape::of(scrape::address(&served));
    for route in ["/webhooks/nextcloud", "/api/v1/webhooks/callback"] {
        let labels = format!(r#"method="POST",route="{route}",status="503""#);
        let lost = format!("portreeve_http_requests_total{{{labels}}}");
        assert_eq!(metrics.value(&lost), 0.0);
    }
}

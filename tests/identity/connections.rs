//! Connections of the provider that end between two requests over HTTP/2 (RFC 9113, section 6.8), or bring no answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use portreeve::identity::{OpenIdProvider, ProviderClient};
use portreeve::outbound::PlainHttp;
use portreeve::outbound::certificates;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::support::http2_frames::{END_HEADERS, Frames, HEADERS};
use crate::support::nextcloud::{Fault, Nextcloud, tls_acceptor};

/// A call beyond the last processed stream is repeated.
#[tokio::test]
async fn a_connection_that_ends_between_two_requests_fails_no_call() {
    let (acceptor, ca) = tls_acceptor(true);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let document = json!({"issuer": url, "jwks_uri": format!("{url}/jwks"), "keys": []});
    let document = document.to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(acceptor.clone(), stream, document.clone()));
        }
    });
    let client = ProviderClient::with_system_roots(certificates(ca.as_bytes()).unwrap()).unwrap();
    for at in 0..6 {
        // Each provider makes its own calls; they share their connections.
        let provider = OpenIdProvider::new(&url, PlainHttp::Loopback, client.clone()).unwrap();
        // Both of its calls are answered: the document, and a key set without keys.
        let fault = format!("{:?}", provider.discover().await.err());
        assert!(fault.contains("none of its 0 keys"), "call {at}: {fault}");
    }
}

/// Long before the time limit of a call.
#[tokio::test]
async fn a_provider_that_sends_interim_answers_without_end_is_given_up() {
    let server = Nextcloud::start().await;
    server.fault(Fault::EndlessInterim).await;
    let client = ProviderClient::with_system_roots([]).unwrap();
    let provider = OpenIdProvider::new(server.url(), PlainHttp::Loopback, client).unwrap();
    let fault = timeout(Duration::from_secs(5), provider.discover());
    let fault = fault.await.unwrap().unwrap_err().to_string();
    assert!(fault.contains("interim answers (1xx) without end"), "{fault}");
}

/// The same over HTTP/2.
#[tokio::test]
async fn interim_answers_without_end_over_http2_are_given_up() {
    let (acceptor, ca) = tls_acceptor(true);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let accepted = connections.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            accepted.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(flood(acceptor.clone(), stream));
        }
    });
    let client = ProviderClient::with_system_roots(certificates(ca.as_bytes()).unwrap()).unwrap();
    for at in 1..=3 {
        let provider = OpenIdProvider::new(&url, PlainHttp::Loopback, client.clone()).unwrap();
        let fault = timeout(Duration::from_secs(5), provider.discover()).await;
        let fault = fault.unwrap().unwrap_err().to_string();
        assert!(fault.contains("interim answers (1xx) without end"), "{fault}");
        // One that floods is not used again, and its call is not repeated.
        assert_eq!(connections.load(Ordering::Relaxed), at);
    }
}

/// Answers each request by interim answers alone, 103 and 100 in turn, some of them split between two writes.
async fn flood(acceptor: TlsAcceptor, stream: TcpStream) -> Option<()> {
    let mut frames = Frames::accept(&acceptor, stream, &[]).await?;
    // `:status` with a value of its own, not indexed (RFC 7541, section 6.2.2).
    let interim =
        |status: &[u8]| [&[0, 0, 5, HEADERS, END_HEADERS, 0, 0, 0, 1, 8, 3], status].concat();
    let answers = [interim(b"103"), interim(b"100")].concat();
    while frames.next().await?.0 != HEADERS {}
    loop {
        for part in answers.chunks(7) {
            frames.0.write_all(part).await.ok()?;
        }
        frames.0.flush().await.ok()?;
        tokio::task::yield_now().await;
    }
}

/// Answers two requests of a connection with `body`, and ends it at the next one without processing that.
async fn serve(acceptor: TlsAcceptor, stream: TcpStream, body: String) -> Option<()> {
    let mut frames = Frames::accept(&acceptor, stream, &[]).await?;
    let (mut answered, mut last) = (0, 0);
    loop {
        match frames.next().await? {
            (HEADERS, id) if answered < 2 => {
                (answered, last) = (answered + 1, id);
                frames.answer(id, &body).await?;
            }
            (HEADERS, _) => return frames.go_away(last, 0).await,
            _ => {}
        }
    }
}

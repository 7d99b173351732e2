//! Connections of the provider that end between two requests over HTTP/2 (RFC 9113, section 6.8), or bring no answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use portreeve::identity::{OpenIdProvider, ProviderClient};
use portreeve::outbound::PlainHttp;
use portreeve::outbound::certificates;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::support::nextcloud::{Fault, Nextcloud, tls_acceptor};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

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
    assert!(
        fault.contains("interim answers (1xx) without end"),
        "{fault}"
    );
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
        assert!(
            fault.contains("interim answers (1xx) without end"),
            "{fault}"
        );
        // One that floods is not used again, and its call is not repeated.
        assert_eq!(connections.load(Ordering::Relaxed), at);
    }
}

/// Answers each request by interim answers alone, 103 and 100 in turn, some of them split between two writes.
async fn flood(acceptor: TlsAcceptor, stream: TcpStream) -> Option<()> {
    let mut stream = acceptor.accept(stream).await.ok()?;
    let mut preface = [0; 24];
    stream.read_exact(&mut preface).await.ok()?;
    write(&mut stream, SETTINGS, 0, 0, &[]).await?;
    // `:status` with a value of its own, not indexed (RFC 7541, section 6.2.2).
    let frame =
        |status: &[u8]| [&[0, 0, 5, HEADERS, END_HEADERS, 0, 0, 0, 1, 8, 3], status].concat();
    let frames = [frame(b"103"), frame(b"100")].concat();
    loop {
        for part in frames.chunks(7) {
            stream.write_all(part).await.ok()?;
        }
        stream.flush().await.ok()?;
        tokio::task::yield_now().await;
    }
}

/// Answers two requests of a connection with `body`, and ends it at the next one without processing that.
async fn serve(acceptor: TlsAcceptor, stream: TcpStream, body: String) -> Option<()> {
    let mut stream = acceptor.accept(stream).await.ok()?;
    let mut preface = [0; 24];
    stream.read_exact(&mut preface).await.ok()?;
    write(&mut stream, SETTINGS, 0, 0, &[]).await?;
    let (mut answered, mut last) = (0, 0);
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await.ok()?;
        let len = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let id = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        let mut payload = vec![0; len];
        stream.read_exact(&mut payload).await.ok()?;
        match head[3] {
            SETTINGS if head[4] & ACK == 0 => write(&mut stream, SETTINGS, ACK, 0, &[]).await?,
            HEADERS if answered < 2 => {
                answered += 1;
                last = id;
                // `:status: 200`, of the static table.
                write(&mut stream, HEADERS, END_HEADERS, id, &[0x88]).await?;
                write(&mut stream, DATA, END_STREAM, id, body.as_bytes()).await?;
            }
            HEADERS => {
                let go_away = [last.to_be_bytes(), 0_u32.to_be_bytes()].concat();
                write(&mut stream, GOAWAY, 0, 0, &go_away).await?;
                stream.shutdown().await.ok()?;
                copy(&mut stream, &mut sink()).await.ok()?;
                return None;
            }
            _ => {}
        }
    }
}

/// Writes one frame (RFC 9113, section 4.1).
async fn write(
    stream: &mut TlsStream<TcpStream>,
    kind: u8,
    flags: u8,
    id: u32,
    payload: &[u8],
) -> Option<()> {
    let len = (payload.len() as u32).to_be_bytes();
    let mut frame = vec![len[1], len[2], len[3], kind, flags];
    frame.extend(id.to_be_bytes());
    frame.extend(payload);
    stream.write_all(&frame).await.ok()?;
    stream.flush().await.ok()
}

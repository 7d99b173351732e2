//! TCP, WebSocket and TLS, and servers that speak something else.

use std::fs;

use portreeve::game::connection::Address;
use portreeve::game::testing::Server;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::{Connect, PING};
use crate::support::binary::{assert_contains, failure, portreeve};
use crate::support::certificates::Authority;

/// The same address, as that of another transport.
fn with_scheme(scheme: &str, address: &Address) -> String {
    format!("{scheme}://{}:{}", address.host(), address.port())
}

/// In both directions, without waiting for a timeout.
#[tokio::test(flavor = "multi_thread")]
async fn the_other_transport_is_named() {
    let server = Server::start().await.unwrap();
    let wrong = with_scheme("tcp", &server.websocket);
    let line = failure(portreeve().args(["game", "connect", &wrong]), 1);
    let right = server.websocket.to_string();
    assert_contains(&line, &["expects WebSocket", &format!("use {right}")]);
    let wrong = with_scheme("ws", &server.tcp);
    let line = failure(portreeve().args(["game", "connect", &wrong]), 1);
    assert_contains(&line, &["does not speak HTTP", &server.tcp.to_string()]);

    // A web server that is no game server: there is nothing to recommend.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("tcp://{}", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4];
            let _ = stream.read_exact(&mut request).await;
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").await;
        }
    });
    let line = failure(portreeve().args(["game", "connect", &url]), 1);
    assert_contains(&line, &["not a game server"]);
    assert!(!line.contains("ws://"), "{line}");
    served.abort();

    // A server that waits for the request.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("tcp://{}", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let (silent, _) = listener.accept().await.unwrap();
        let (probe, _) = listener.accept().await.unwrap();
        tokio_tungstenite::accept_async(probe).await.unwrap();
        silent
    });
    let line = failure(portreeve().args(["game", "connect", &url]), 1);
    assert_contains(&line, &["expects WebSocket"]);
    served.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_certificate_authority_is_trusted_if_it_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new("game");
    let file = dir.path().join("ca.pem");
    let path = file.to_str().unwrap();
    fs::write(&file, authority.pem()).unwrap();
    let server = Server::start().await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("wss://localhost:{}", listener.local_addr().unwrap().port());
    let tls = TlsAcceptor::from(authority.ending_in(90).server());
    let behind = server.websocket.port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            if let Ok(mut stream) = tls.accept(stream).await {
                let mut server = TcpStream::connect(("127.0.0.1", behind)).await.unwrap();
                let _ = copy_bidirectional(&mut stream, &mut server).await;
            }
        }
    });
    let mut connect = Connect::start(&url, &["--ca", path]);
    connect.write(&format!("{PING}\n"));
    connect.close_input();
    let (code, lines, said) = connect.end();
    assert_eq!((code, lines.len()), (Some(0), 2), "{said}");

    // The other transport is named here too.
    let plain = url.replace("wss", "tcp");
    let line = failure(portreeve().args(["game", "connect", &plain]), 1);
    assert_contains(&line, &["expects WebSocket", &format!("use {url}")]);
    let plain = url.replace("wss", "ws");
    let line = failure(portreeve().args(["game", "connect", &plain]), 1);
    assert_contains(&line, &["expects TLS", &format!("use {url}")]);

    let line = failure(portreeve().args(["game", "connect", &url]), 1);
    assert_contains(&line, &["no trusted authority signed its certificate", "--ca FILE"]);
}

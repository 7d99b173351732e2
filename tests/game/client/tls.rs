//! `wss`: real handshakes over sockets, with trusted and untrusted servers.

use std::sync::Arc;
use std::time::Duration;

use portreeve::game::client::StartError;
use portreeve::game::connection::{CaError, ConnectError, Connector, PemError};
use portreeve::game::{Command, ResponseCode};
use portreeve_test_support::certificates::{Authority, client};
use rustls::ServerConfig;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use super::hostile::upgrade;
use super::script::{fragment, websocket_message};
use super::server::{IDENTIFICATION, answer, cmd_id, with};

/// A server for one client; how many commands it got, or `None` if there was no handshake.
async fn serve(config: Arc<ServerConfig>) -> (u16, JoinHandle<Option<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let stream = TlsAcceptor::from(config).accept(stream).await.ok()?;
        let mut stream = upgrade(stream).await;
        stream.write_all(&fragment(0x82, IDENTIFICATION)).await.unwrap();
        let mut commands = 0;
        while let Some((2, command)) = websocket_message(&mut stream).await {
            commands += 1;
            let answer = answer(cmd_id(&command), ResponseCode::RespOk);
            stream.write_all(&fragment(0x82, &answer)).await.unwrap();
        }
        Some(commands)
    });
    (port, served)
}

/// A session with one command in it.
async fn session(connector: Connector, host: &str, port: u16) -> Result<(), StartError> {
    let address = format!("wss://{host}:{port}").parse().unwrap();
    let settings = with(|settings| {
        settings.connector = connector;
        // A keep-alive would be counted as a command.
        settings.keep_alive = Duration::from_secs(3600);
    });
    let (client, _events) = settings.connect(&address).await?;
    client.send(Command::ping()).await.unwrap();
    client.close().await;
    Ok(())
}

/// The message of the TLS error.
fn refused(session: Result<(), StartError>) -> String {
    match session {
        Err(StartError::Connect(error @ ConnectError::Tls { .. })) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_with_a_trusted_certificate_is_accepted() {
    let authority = Authority::new("game");
    let pem = authority.pem();
    let certificate = authority.ending_in(90);
    let mut with_settings = Connector::default();
    with_settings.tls = Some(client(&pem, None, &[]));
    let with_authority = Connector::default().extra_ca(pem.as_bytes()).unwrap();
    for connector in [with_authority, with_settings] {
        for host in ["localhost", "127.0.0.1"] {
            let (port, served) = serve(certificate.server()).await;
            session(connector.clone(), host, port).await.unwrap();
            assert_eq!(served.await.unwrap(), Some(1));
        }
    }
}

/// None of these servers gets a request, and each error says what is wrong.
#[tokio::test]
async fn a_server_with_an_untrusted_certificate_gets_no_request() {
    let authority = Authority::new("game");
    let pem = authority.pem();
    let known = || Connector::default().extra_ca(pem.as_bytes()).unwrap();
    for (server, connector, problem) in [
        (
            authority.ending_in(90),
            Connector::default(),
            "no trusted authority signed its certificate",
        ),
        (
            Authority::new("game").ending_in(90),
            known(),
            "no trusted authority signed its certificate",
        ),
        (
            authority.naming(&["elsewhere.example"], 90),
            known(),
            "its certificate is for another name",
        ),
        (authority.ending_in(-1), known(), "its certificate has expired"),
    ] {
        let (port, served) = serve(server.server()).await;
        let said = refused(session(connector, "localhost", port).await);
        let start = format!(
            "TLS to the game server at wss://localhost:{port}/servatrice failed: {problem}: "
        );
        assert!(said.starts_with(&start), "{said}");
        assert_eq!(served.await.unwrap(), None);
    }
}

/// Servers without TLS: one that talks first, and one that hangs up.
#[tokio::test]
async fn a_server_without_tls_is_reported() {
    for (hello, problem) in
        [(&b"<?xml version=\"1.0\"?>"[..], "it does not use TLS on this port: "), (b"", "eof")]
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            // The client's hello is read first, so that closing does not reset the connection.
            let mut head = [0; 5];
            tokio::io::AsyncReadExt::read_exact(&mut stream, &mut head).await.unwrap();
            let length = u16::from_be_bytes([head[3], head[4]]);
            let mut rest = vec![0; length.into()];
            tokio::io::AsyncReadExt::read_exact(&mut stream, &mut rest).await.unwrap();
            stream.write_all(hello).await.unwrap();
        });
        let said = refused(session(Connector::default(), "localhost", port).await);
        assert!(said.contains(problem), "{said}");
        served.await.unwrap();
    }
}

#[test]
fn invalid_ca_certificates_are_refused() {
    let with = |pem: &str| Connector::default().extra_ca(pem.as_bytes()).unwrap_err();
    let none = with("no certificate");
    assert!(matches!(none, CaError::Pem(PemError::NoCertificate)));
    let broken = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
    assert!(matches!(with(broken), CaError::Certificate(_)));
    let cut = "-----BEGIN CERTIFICATE-----\nMAA=\n";
    assert!(matches!(with(cut), CaError::Pem(_)));
}

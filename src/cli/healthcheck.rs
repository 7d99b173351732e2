//! `portreeve healthcheck`: checks that the gateway running with the same settings is alive.

use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use clap::{ArgMatches, Command};
use http::{Request, StatusCode};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::{Failure, current_thread};
use crate::any_server::AnyServer;
use crate::causes::causes;
use crate::config::setting::{Group, LISTEN};
use crate::config::{ConfigError, Listen, ListenConfig, Sources, TlsFiles};

pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

const TIME: Duration = Duration::from_secs(5);

const PATH: &str = "/healthz";

pub(super) const SETTINGS: &[Group] = &[Group::Healthcheck];

pub(super) fn command() -> Command {
    Command::new("healthcheck")
        .about("Check that the running gateway is alive: exit code 0 if it is, 1 if not")
        .after_help(
            "It reads `listen` from the same flags, variables and file as `serve`, and requests \
             /healthz at each of its addresses, with a time limit of 5 seconds. For an address such \
             as 0.0.0.0 it uses loopback. With TLS it accepts any certificate.",
        )
}

pub(super) fn run(_: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = ListenConfig::read(sources)?;
    let any_port = |address: &&Listen| address.tcp().is_some_and(|address| address.port() == 0);
    if let Some(address) = config.addresses.iter().find(any_port) {
        let problem = "means any free port, so the gateway's port is unknown; name a port";
        return Err(ConfigError::of(LISTEN, format_args!("{address} {problem}")).into());
    }
    current_thread()?.block_on(async {
        for address in config.addresses {
            check(&reached(&address), config.tls.as_ref()).await?;
        }
        Ok(())
    })
}

/// Where this machine reaches a listener on `address`.
fn reached(address: &Listen) -> Listen {
    match address {
        Listen::Tcp(address) if address.ip().is_unspecified() => Listen::Tcp(match address {
            SocketAddr::V4(_) => (Ipv4Addr::LOCALHOST, address.port()).into(),
            SocketAddr::V6(_) => (Ipv6Addr::LOCALHOST, address.port()).into(),
        }),
        other => other.clone(),
    }
}

pub(super) fn is_alive(address: &Listen, tls: Option<&TlsFiles>) -> bool {
    current_thread().is_ok_and(|runtime| runtime.block_on(check(&reached(address), tls)).is_ok())
}

async fn check(address: &Listen, tls: Option<&TlsFiles>) -> Result<(), Failure> {
    let problem = match timeout(TIME, ask(address, tls)).await {
        Ok(Ok(StatusCode::OK)) => return Ok(()),
        Ok(Ok(status)) => format!("it answered {status}; is another program listening there?"),
        Ok(Err(problem)) => problem,
        Err(_) => format!("there was no answer within {} seconds", TIME.as_secs()),
    };
    Err(Failure::new(format_args!("the gateway at {address} is not healthy: {problem}")))
}

async fn ask(address: &Listen, tls: Option<&TlsFiles>) -> Result<StatusCode, String> {
    let unreached = |error| {
        format!("cannot connect: {error}; is `portreeve serve` running with the same `listen`?")
    };
    let unread = |error| format!("cannot read its answer: {error}");
    let tcp = match address {
        Listen::Tcp(address) => TcpStream::connect(address).await.map_err(unreached)?,
        Listen::Unix(path) => {
            let stream = UnixStream::connect(path).await.map_err(unreached)?;
            return status(Box::new(stream), "localhost").await.map_err(unread);
        }
    };
    let Some(tls) = tls else {
        let tls_on = "; with TLS on, set the same tls_cert and tls_key as for `portreeve serve`";
        return status(Box::new(tcp), &address.to_string()).await.map_err(|error| {
            // A TLS listener answers anything else with an alert.
            let advice = if error.is_parse() { tls_on } else { "" };
            unread(error) + advice
        });
    };
    // It is alive, and requires a certificate that only its clients have. In TLS 1.3 it says so after the handshake.
    let wants_other = |error: &(dyn Error + 'static)| tls.client_ca.is_some() && is_alert(error);
    match connect_to_any(tcp).await {
        Ok(stream) => match status(Box::new(stream), "localhost").await {
            Err(error) if wants_other(&error) => Ok(StatusCode::OK),
            answer => answer.map_err(unread),
        },
        Err(error) if wants_other(&error) => Ok(StatusCode::OK),
        Err(error) => Err(format!(
            "the TLS handshake failed: {error}; is `portreeve serve` running with the same tls_cert?"
        )),
    }
}

/// Accepts any certificate: the gateway is on this machine, addressed by IP, and is sent no secret.
async fn connect_to_any(stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
    let provider = aws_lc_rs::default_provider();
    let any = AnyServer { chain: None, algorithms: provider.signature_verification_algorithms };
    let config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(any))
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

fn is_alert(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|error| {
        // The source of an `io::Error` skips its inner error.
        let inner = error.downcast_ref::<io::Error>().and_then(|error| error.get_ref());
        let tls = inner.map_or_else(|| error.downcast_ref(), |inner| inner.downcast_ref());
        matches!(tls, Some(rustls::Error::AlertReceived(_)))
    })
}

/// The status of `/healthz` over one connection.
pub(super) async fn status(stream: Box<dyn Stream>, host: &str) -> hyper::Result<StatusCode> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Ends with the runtime.
    tokio::spawn(connection);
    let request = Request::get(PATH)
        .header(http::header::HOST, host)
        .body(Empty::<Bytes>::new())
        .expect("a fixed path and an address make a request");
    Ok(sender.send_request(request).await?.status())
}

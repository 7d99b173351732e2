//! `portreeve healthcheck`: whether the gateway that runs with the same settings lives.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use clap::{ArgMatches, Command};
use http::{Request, StatusCode};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Failure, sources};
use crate::config::setting::LISTEN;
use crate::config::{ConfigError, listen, with_settings};

/// Time for the whole question. A supervisor has a limit of its own, usually 30 seconds.
const TIME: Duration = Duration::from_secs(5);

const PATH: &str = "/healthz";

pub(super) fn command() -> Command {
    let command = Command::new("healthcheck")
        .about("Ask the running gateway whether it lives: exit code 0 if it does, 1 if not")
        .after_help(
            "It reads `listen` from the same flags, variables and file as `serve`, and asks \
             /healthz there, for 5 seconds at most. An address such as 0.0.0.0 is asked on loopback.",
        );
    with_settings(command, &[LISTEN])
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let sources = sources(matches)?;
    let address = listen(&sources)?;
    if address.port() == 0 {
        return Err(ConfigError::of(
            LISTEN,
            format!("{address} is any free port, so nothing says where to ask; name a port"),
        )
        .into());
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(check(reachable(address)))
}

/// The address at which this machine reaches a listener that is bound to `address`.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Asks once.
async fn check(address: SocketAddr) -> Result<(), Failure> {
    let problem = match timeout(TIME, ask(address)).await {
        Ok(Ok(StatusCode::OK)) => return Ok(()),
        Ok(Ok(status)) => format!("it answered {status}; does something else listen there?"),
        Ok(Err(problem)) => problem,
        Err(_) => format!("there was no answer within {} seconds", TIME.as_secs()),
    };
    Err(Failure::new(format_args!(
        "the gateway at {address} is not healthy: {problem}"
    )))
}

async fn ask(address: SocketAddr) -> Result<StatusCode, String> {
    let stream = TcpStream::connect(address).await.map_err(|error| {
        format!("cannot connect: {error}; does `portreeve serve` run, with the same `listen`?")
    })?;
    status(stream, &address.to_string())
        .await
        .map_err(|error| format!("its answer cannot be read: {error}"))
}

/// The status of `/healthz` over one connection.
async fn status(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    host: &str,
) -> Result<StatusCode, hyper::Error> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // It ends with the runtime.
    tokio::spawn(connection);
    let request = Request::get(PATH)
        .header(http::header::HOST, host)
        .body(Empty::<Bytes>::new())
        .expect("a fixed path and an address make a request");
    Ok(sender.send_request(request).await?.status())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_on_every_address_is_asked_on_loopback() {
        for (bound, asked) in [
            ("0.0.0.0:8000", "127.0.0.1:8000"),
            ("[::]:8000", "[::1]:8000"),
            ("127.0.0.2:1", "127.0.0.2:1"),
            ("192.0.2.7:1", "192.0.2.7:1"),
        ] {
            assert_eq!(reachable(bound.parse().unwrap()), asked.parse().unwrap());
        }
    }
}

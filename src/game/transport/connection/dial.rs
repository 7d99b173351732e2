//! TCP connections to a host with several addresses (RFC 8305, "Happy Eyeballs"): none takes the time of the others.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::sleep;

/// The head start of an address before the next one is tried as well (RFC 8305, section 5).
const HEAD_START: Duration = Duration::from_millis(250);

const ADDRESSES: usize = 16;

/// Connects to the first address of a host that answers.
pub(super) async fn dial(host: &str, port: u16) -> io::Result<TcpStream> {
    let stream = first_of(in_turns(lookup_host((host, port)).await?)).await?;
    // Commands are small, and callers wait for the answers.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The addresses of both families in turns, beginning with the family that the resolver prefers.
fn in_turns(addresses: impl Iterator<Item = SocketAddr>) -> Vec<SocketAddr> {
    let mut addresses = addresses.take(ADDRESSES).peekable();
    let v6_first = addresses.peek().is_some_and(SocketAddr::is_ipv6);
    let mut turns = [0; 2];
    let ranked = addresses.map(|address| {
        let family = usize::from(address.is_ipv6() != v6_first);
        turns[family] += 1;
        (turns[family], family, address)
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort();
    ranked.into_iter().map(|(_, _, address)| address).collect()
}

async fn first_of(addresses: Vec<SocketAddr>) -> io::Result<TcpStream> {
    let mut remaining = addresses.into_iter();
    let mut attempts = FuturesUnordered::new();
    let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        match remaining.next() {
            Some(address) => attempts.push(TcpStream::connect(address)),
            None if attempts.is_empty() => return Err(failed),
            None => {}
        }
        let more = !remaining.as_slice().is_empty();
        tokio::select! {
            Some(attempt) = attempts.next() => match attempt {
                Ok(stream) => return Ok(stream),
                Err(error) => failed = error,
            },
            () = sleep(HEAD_START), if more => {}
        }
    }
}

#[cfg(test)]
#[path = "../../../../tests/unit/dial.rs"]
mod tests;

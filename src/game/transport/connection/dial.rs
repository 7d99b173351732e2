//! TCP connections to a host that has several addresses (RFC 8305, "Happy Eyeballs"): one that does not answer does not
//! take the time of the others.

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
    let (first, second): (Vec<_>, Vec<_>) =
        addresses.partition(|address| address.is_ipv6() == v6_first);
    let mut turns = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    loop {
        let before = turns.len();
        turns.extend(first.next());
        turns.extend(second.next());
        if turns.len() == before {
            return turns;
        }
    }
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
mod tests {
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;

    #[test]
    fn the_families_take_turns() {
        let address = |text: &str| text.parse::<SocketAddr>().unwrap();
        let [a, b, c] = ["[::1]:1", "[::1]:2", "[::1]:3"].map(address);
        let [x, y] = ["127.0.0.1:1", "127.0.0.1:2"].map(address);
        assert_eq!(in_turns([a, b, c, x, y].into_iter()), [a, x, b, y, c]);
        assert_eq!(in_turns([x, a, y].into_iter()), [x, a, y]);
        assert_eq!(in_turns([].into_iter()), []);
    }

    /// Neither an address that refuses nor one that does not answer keeps the next one from being tried.
    #[tokio::test]
    async fn the_first_address_that_answers_is_used() {
        let local = SocketAddr::from(([127, 0, 0, 1], 0));
        let refusing = TcpListener::bind(local)
            .await
            .unwrap()
            .local_addr()
            .unwrap();
        // Its queue of connections is full, so that it answers no more.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(local).unwrap();
        let silent = socket.listen(0).unwrap();
        let silent_at = silent.local_addr().unwrap();
        let _queued = TcpStream::connect(silent_at).await.unwrap();
        let listener = TcpListener::bind(local).await.unwrap();
        let good = listener.local_addr().unwrap();
        let stream = first_of(vec![refusing, silent_at, good]).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap(), good);
        let error = first_of(vec![refusing]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        assert!(first_of(Vec::new()).await.is_err());
        drop(silent);
    }
}

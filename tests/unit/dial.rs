//! Connections to a host that has several addresses.

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
    let refusing = TcpListener::bind(local).await.unwrap().local_addr().unwrap();
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

//! The options of a socket.

use tokio::net::TcpListener;

use super::*;

#[tokio::test]
async fn a_peer_that_acknowledges_nothing_is_missed_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let _peer = TcpStream::connect(listener.local_addr().unwrap()).await;
    let accepted = Stream::Tcp(listener.accept().await.unwrap().0);
    for (most, millis) in [(Duration::from_secs(30), 30_000), (Duration::MAX, i32::MAX)] {
        accepted.limit_silence(most);
        let Stream::Tcp(stream) = &accepted else {
            return;
        };
        let set = rustix::net::sockopt::tcp_user_timeout(stream).unwrap();
        assert_eq!(set, millis.cast_unsigned());
    }
}

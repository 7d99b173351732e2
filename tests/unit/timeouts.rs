//! Time limits of connections.

use tokio::io::AsyncWriteExt as _;

use super::*;
use crate::server::Connections;

#[tokio::test]
async fn no_more_than_16_kib_are_read_at_a_time() {
    let (mut client, server) = tokio::io::duplex(1 << 20);
    let activity = Arc::new(Activity::new(Connections::default().open()));
    let mut server = Timeouts::new(server, &Bounds::default(), activity);
    client.write_all(&[0; 1 << 20]).await.unwrap();
    drop(client);
    let (mut polls, mut bytes) = (0, 0);
    let mut piece = [0; 1024];
    std::future::poll_fn(|cx| {
        polls += 1;
        loop {
            let mut read = ReadBuf::new(&mut piece);
            match Pin::new(&mut server).poll_read(cx, &mut read) {
                Poll::Ready(read) => read.unwrap(),
                Poll::Pending => return Poll::Pending,
            }
            match read.filled().len() {
                0 => return Poll::Ready(()),
                more => bytes += more,
            }
        }
    })
    .await;
    assert_eq!(bytes, 1 << 20);
    assert!(polls >= 64, "{polls}");
}

//! Requests that are meant to reach what their token does not open. Each is refused, or arrives as exactly what was
//! decided on: [`Recorder`](super::recorder::Recorder) checks of all that arrive what must hold of each.

mod answers;
mod bodies;
mod destinations;
mod fields;
mod framing;
mod http2;
mod paths;
mod tokens;

use super::recorder::Recorder;
use super::wire::Wire;
use crate::support::gateway::TestGateway;

/// A path with a name that no request may carry to the server.
const SMUGGLED: &str = "/remote.php/dav/files/alice/SMUGGLED";

/// Sends bytes as they are, ends that side, and reads to the end of the connection. Returns the statuses of all answers.
async fn statuses(gateway: &TestGateway, bytes: &[u8]) -> Vec<u16> {
    use tokio::io::AsyncWriteExt as _;
    let mut wire = Wire::to(gateway.address).await;
    // The gateway may close the connection before.
    let _ = wire.stream.write_all(bytes).await;
    let _ = wire.stream.shutdown().await;
    let rest = wire.rest().await;
    let text = String::from_utf8_lossy(&rest);
    let answers = text.match_indices("HTTP/1.1 ");
    answers.map(|(at, _)| text[at + 9..at + 12].parse().unwrap()).collect()
}

/// Whether the gateway still works.
async fn assert_alive(gateway: &TestGateway, recorder: &Recorder) {
    let what = format!("GET {}", super::FILE);
    assert_eq!(super::call(gateway, "alice", &what, "", "").await.status, 200);
    // What was cut short may arrive late, as that.
    let complete = recorder.take().into_iter().filter(|seen| seen.body.is_complete);
    assert_eq!(complete.count(), 1);
}

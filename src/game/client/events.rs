use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;

use super::shared::Shared;
use super::{End, Received};

/// The messages of a server that are not answers to calls, in the order in which they arrive.
///
/// The stream ends with the connection; [`ended`](Self::ended) then says why. It can be dropped if events are
/// not needed, and nothing is buffered for it then. If it is kept, it should be read: when its queue is
/// full, [`SlowReader`](super::SlowReader) decides what happens.
#[derive(Debug)]
pub struct Events(pub(super) Arc<Shared>);

impl Events {
    /// Waits for the end of the connection. What came before it can still be read.
    pub async fn ended(&self) -> End {
        self.0.ended().await
    }

    /// The number of messages that were dropped because they were not read in time.
    pub fn missed(&self) -> u64 {
        self.0.events.missed()
    }
}

impl Stream for Events {
    type Item = Received;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Received>> {
        self.0.events.poll_next(cx)
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.0.events.abandon();
    }
}

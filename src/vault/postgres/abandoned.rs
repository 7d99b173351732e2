//! Connections that were abandoned while the database may still be executing their statement.
//!
//! Closing such a connection does not end the statement: a commit that waits for a stuck disk goes on waiting,
//! and occupies one of the connections that the server allows. So it is kept, and counted, until the statement has
//! ended; while there are too many, no new ones are made.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;

use super::connection::Connection;
use super::error::ConnectError;

/// How long a connection counts at most: the database may be gone.
const LONGEST: Duration = Duration::from_secs(30);

/// The number of abandoned connections.
#[derive(Debug)]
pub(super) struct AbandonedConnections {
    count: watch::Sender<usize>,
    max: usize,
}

/// One of them, as long as it counts.
struct Counted(Arc<AbandonedConnections>);

// === impl AbandonedConnections ===

impl AbandonedConnections {
    /// While there are more than `max`, no new connection is made. That is the size of the pool: if all of
    /// its connections are stuck, they can be replaced once.
    pub(super) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            count: watch::Sender::new(0),
            max,
        })
    }

    /// Keeps `connection` until the statement on it has ended.
    pub(super) fn keep(self: &Arc<Self>, connection: Connection) {
        // A runtime that ends drops the connection with everything else.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if connection.client().is_closed() {
            return;
        }
        self.count.send_modify(|count| *count += 1);
        let counted = Counted(self.clone());
        runtime.spawn(async move {
            // This is answered once the statement before it has ended.
            let ended = connection.client().batch_execute("");
            _ = tokio::time::timeout(LONGEST, ended).await;
            drop((connection, counted));
        });
    }

    /// Waits, for `time` at most, until a new connection may be made.
    pub(super) async fn wait_for_capacity(&self, time: Duration) -> Result<(), ConnectError> {
        let mut count = self.count.subscribe();
        let has_capacity = count.wait_for(|count| *count <= self.max);
        match tokio::time::timeout(time, has_capacity).await {
            Ok(_) => Ok(()),
            Err(_) => Err(ConnectError::new(
                "the database is still executing too many abandoned statements",
            )),
        }
    }
}

// === impl Counted ===

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.count.send_modify(|count| *count -= 1);
    }
}

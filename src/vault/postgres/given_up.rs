//! Connections whose statement was given up while the database may still be at work on it.
//!
//! To close such a connection ends nothing at the other side: a commit that waits for a stuck disk goes on
//! waiting, and holds one of the connections that the server allows. So it is kept, and counted, until the
//! statement has ended; if there are too many, no new ones are made.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;

use super::connect::{ConnectError, Connection};

/// After so long a connection counts no more: nobody may be there.
const LONGEST: Duration = Duration::from_secs(30);

/// The connections that were given up.
#[derive(Debug)]
pub(super) struct GivenUp {
    count: watch::Sender<usize>,
    most: usize,
}

/// One of them, as long as it counts.
struct Counted(Arc<GivenUp>);

// === impl GivenUp ===

impl GivenUp {
    /// Beside more than `most` of them no new connection is made. That is as many as statements may
    /// have: if all of those are stuck, they can be replaced once.
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            count: watch::Sender::new(0),
            most,
        })
    }

    /// Keeps `connection` until what was sent on it has ended.
    pub(super) fn keep(self: &Arc<Self>, connection: Connection) {
        // A runtime that ends drops what it was at.
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
    pub(super) async fn make_room(&self, time: Duration) -> Result<(), ConnectError> {
        let mut count = self.count.subscribe();
        let has_room = count.wait_for(|count| *count <= self.most);
        match tokio::time::timeout(time, has_room).await {
            Ok(_) => Ok(()),
            Err(_) => Err(ConnectError {
                reason: "the database is still at work on too many statements that were given up"
                    .into(),
                may_pass: false,
                lacks_password: false,
            }),
        }
    }
}

// === impl Counted ===

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.count.send_modify(|count| *count -= 1);
    }
}

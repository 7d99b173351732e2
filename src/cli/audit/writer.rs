//! Writes the audit lines of a gateway in a thread, so that no request waits for the disk.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use portreeve::audit::{AuditObserver, Record};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::file::{self, AuditFile};
use crate::cli::Failure;

/// How many lines may wait for the disk; further ones are lost.
const WAITING: usize = 4096;

/// How long the end of the process waits for the disk at most.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The audit log of a gateway. Must be [closed](Self::close) at the end.
#[derive(Debug)]
pub(in crate::cli) struct AuditWriter {
    orders: mpsc::Sender<Order>,
    /// How many lines could not be written.
    pub(in crate::cli) lost: Arc<AtomicU64>,
}

enum Order {
    Write(Vec<u8>),
    Reopen,
    /// Tells when all before it is done.
    End(oneshot::Sender<()>),
}

impl AuditWriter {
    pub(in crate::cli) fn open(path: PathBuf) -> Result<Self, Failure> {
        let mut file = AuditFile::open(path.clone())?;
        let (orders, mut received) = mpsc::channel(WAITING);
        let lost = Arc::<AtomicU64>::default();
        let of_thread = lost.clone();
        let work = move || {
            while let Some(order) = received.blocking_recv() {
                match order {
                    Order::Write(line) => {
                        if let Err(error) = file.write(&line) {
                            count(&of_thread, &error);
                        }
                    }
                    // The one that is at the path now: a new one after a rotation.
                    Order::Reopen => match AuditFile::open(path.clone()) {
                        Ok(opened) => file = opened,
                        Err(error) => {
                            tracing::error!(%error, "the audit log could not be reopened; the old file stays in use");
                        }
                    },
                    Order::End(ended) => return drop(ended),
                }
            }
        };
        thread::Builder::new().name("audit".into()).spawn(work)?;
        Ok(Self { orders, lost })
    }

    /// Continues in the file that is at the path now.
    pub(in crate::cli) fn reopen(&self) {
        if self.orders.try_send(Order::Reopen).is_err() {
            tracing::error!("the audit log was not reopened: too many lines are waiting");
        }
    }

    /// Writes the waiting lines, and ends. Waits at most [`SHUTDOWN_TIMEOUT`] for the disk.
    pub(in crate::cli) async fn close(&self) {
        let (end, ended) = oneshot::channel();
        let closed = async {
            if self.orders.send(Order::End(end)).await.is_ok() {
                _ = ended.await;
            }
        };
        if timeout(SHUTDOWN_TIMEOUT, closed).await.is_err() {
            tracing::error!(
                "the last lines of the audit log were not written: the disk does not respond"
            );
        }
    }
}

impl AuditObserver for AuditWriter {
    fn recorded(&self, record: &Record) {
        let line = file::line(record);
        if self.orders.try_send(Order::Write(line)).is_err() {
            count(&self.lost, &"too many lines are waiting for the disk");
        }
    }
}

/// Counts a line that is missing from the file; the log has it.
fn count(lost: &AtomicU64, error: &dyn fmt::Display) {
    let lost = lost.fetch_add(1, Ordering::Relaxed) + 1;
    tracing::error!(%error, lost, "lines of the audit log could not be written");
}

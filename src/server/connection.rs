//! One connection, from its first byte until it is closed, ended or cut.

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::Bounds;
use super::activity::{Activity, Verdict};

/// Drives `connection` to its end. It is ended gracefully, by `end`, when `shutdown` changes, at its
/// greatest age and after too long without a request; it is cut when its client does not go on.
pub(super) async fn drive<C, E>(
    connection: C,
    end: impl Fn(Pin<&mut C>),
    activity: Arc<Activity>,
    bounds: Bounds,
    peer: SocketAddr,
    mut shutdown: watch::Receiver<()>,
) where
    C: Future<Output = Result<(), E>>,
    E: fmt::Display,
{
    let mut connection = pin!(connection);
    let mut of_age = pin!(of_age(bounds.age));
    let mut look = pin!(sleep(Duration::ZERO));
    let mut is_ending = false;
    loop {
        tokio::select! {
            closed = connection.as_mut() => {
                if let Err(error) = closed {
                    tracing::debug!(%peer, %error, "connection ended early");
                }
                return;
            }
            // The clients have until the end of the drain.
            _ = shutdown.changed(), if !is_ending => {
                is_ending = true;
                end(connection.as_mut());
            }
            () = &mut of_age, if !is_ending => {
                is_ending = true;
                activity.ended();
                end(connection.as_mut());
            }
            () = &mut look => match activity.judge(&bounds) {
                Verdict::Until(next) => look.as_mut().reset(next),
                Verdict::End => {
                    is_ending = true;
                    activity.ended();
                    end(connection.as_mut());
                    look.as_mut().reset(Instant::now());
                }
                Verdict::Cut => {
                    tracing::debug!(%peer, "connection cut: its client does not go on");
                    return;
                }
            },
        }
    }
}

/// Ready once a connection has its greatest age.
async fn of_age(age: Option<Duration>) {
    match age {
        Some(age) => sleep(age).await,
        None => std::future::pending().await,
    }
}

//! Hearing of changes by others: a connection that listens, and asks four times a second whether it
//! still hears.
//!
//! PostgreSQL hands a notification to the connections that listen when its transaction has committed,
//! before it acknowledges the commit to the writer, and sends a connection all its notifications before it
//! reports the end of a statement on it. So once a statement that was sent at one instant is answered,
//! everything acknowledged before that instant has been heard, and the cache may answer for [`FRESH_FOR`]
//! from that instant on. If no answer comes, the lease ends by itself, whatever the reason: a lost
//! connection, one that swallows bytes, a database that is stopped, or this process being late.

use std::future::poll_fn;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tokio_postgres::AsyncMessage;
use tokio_util::task::AbortOnDropHandle;

use super::Shared;
use super::connect::Driver;
use super::schema::CHANNEL;

/// How long the cache may answer after the last instant at which everything had been heard. A use
/// that begins with its answer has a tenth of a second to reach the network, within the second that
/// docs/OPERATIONS.md promises.
const FRESH_FOR: Duration = Duration::from_millis(900);

/// How often a statement checks that everything is heard.
const INTERVAL: Duration = Duration::from_millis(250);

/// The time without an answer after which the connection is abandoned.
const DEADLINE: Duration = Duration::from_secs(1);

/// The pause before it connects again, the first time and at most.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Listens until the store is gone.
pub(super) async fn run(shared: Weak<Shared>) {
    let mut pause = PAUSE;
    let mut is_heard = true;
    loop {
        let Some(strong) = shared.upgrade() else {
            return;
        };
        let began = Instant::now();
        let lost = listen(strong, &shared, &mut is_heard).await;
        let Some(strong) = shared.upgrade() else {
            return;
        };
        strong.freshness.withdraw();
        strong.permits.lost();
        if is_heard {
            is_heard = false;
            tracing::warn!(
                reason = %lost, database = %strong.name,
                "changes in the database are not heard: each use of a credential asks it until they are"
            );
        }
        drop(strong);
        if began.elapsed() > 2 * LONGEST_PAUSE {
            pause = PAUSE;
        }
        tokio::time::sleep(pause).await;
        pause = LONGEST_PAUSE.min(2 * pause);
    }
}

/// Listens on one connection; returns why that ended.
async fn listen(strong: Arc<Shared>, shared: &Weak<Shared>, is_heard: &mut bool) -> String {
    let (client, driver) = match strong.connector.connect().await {
        Ok(connected) => connected,
        Err(error) => return error.to_string(),
    };
    // Rows that were read before this connection listens may change unheard.
    strong.freshness.withdraw();
    strong.freshness.start_epoch();
    // A connection that is stuck would keep it running.
    let _driving = AbortOnDropHandle::new(tokio::spawn(drive(driver, shared.clone())));
    let listening = format!("LISTEN {CHANNEL}");
    let mut statement = listening.as_str();
    drop(strong);
    loop {
        let asked = Instant::now();
        match tokio::time::timeout(DEADLINE, client.batch_execute(statement)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return error.to_string(),
            Err(_) => return format!("no answer within {DEADLINE:?}"),
        }
        let Some(shared) = shared.upgrade() else {
            return "the store is gone".into();
        };
        // Only the answer to a statement sent after it began to listen means that everything is heard.
        if statement.is_empty() {
            shared.freshness.extend(asked, FRESH_FOR);
            if !*is_heard {
                *is_heard = true;
                tracing::info!(database = %shared.name, "changes in the database are heard again");
            }
            match tokio::time::timeout(DEADLINE, shared.permits.adjust(&client)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return error.to_string(),
                Err(_) => return format!("no answer within {DEADLINE:?}"),
            }
            drop(shared);
            tokio::time::sleep_until((asked + INTERVAL).into()).await;
        }
        statement = "";
    }
}

/// Carries the bytes of the connection, and acts on each notification before reading on.
async fn drive(mut driver: Driver, shared: Weak<Shared>) {
    while let Some(Ok(message)) = poll_fn(|cx| driver.poll_message(cx)).await {
        if let AsyncMessage::Notification(notification) = message {
            match shared.upgrade() {
                Some(shared) => shared.on_notification(notification.payload()),
                None => return,
            }
        }
    }
    if let Some(shared) = shared.upgrade() {
        shared.freshness.withdraw();
    }
}

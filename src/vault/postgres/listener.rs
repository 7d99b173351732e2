//! Receiving change notifications: a connection that listens, and is asked four times a second whether it still does.
//!
//! PostgreSQL hands a notification to the connections that listen when its transaction has committed, before it acknowledges
//! the commit to the writer, and sends a connection all its notifications before it reports the end of a statement on it. So
//! once a statement that was sent at one instant is answered, everything acknowledged before that instant has been received,
//! and the cache may answer for [`FRESH_FOR`] from that instant on. If no answer comes, the lease ends by itself, whatever the
//! reason: a lost connection, one that swallows bytes, a database that is stopped, or this process being late.
//!
//! Two things could make that conclusion wrong. A pooler in between may answer all statements and pass on no
//! notification: an [`Echo`] proves that there is none. And another server may have become the primary while this one
//! is still there: so nothing is concluded from a server that accepts only reads unless no other accepts writes.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use tokio_postgres::types::Type;
use tokio_postgres::{Client, Notification};
use tokio_util::task::AbortOnDropHandle;

use super::connect::{self, Connected, Connector, Driver, State, state};
use super::echo::{Echo, NO_ECHO, in_time};
use super::error::ConnectError;
use super::schema::{CHANNEL, DELIVERIES};
use super::statement::{Kind, Parameter};
use super::{PostgresCheck, Shared, deliveries};

/// How long the cache may answer after the last instant at which everything had been received. A use that begins with
/// its answer has a tenth of a second to reach the network, within the second that docs/OPERATIONS.md promises.
const FRESH_FOR: Duration = Duration::from_millis(900);

/// How often a statement checks that everything is received.
const INTERVAL: Duration = Duration::from_millis(250);

/// How often another connection proves it. A pooler can be configured anew while it serves.
const ECHO_INTERVAL: Duration = Duration::from_secs(5);

/// The pause before it connects again, the first time and at most.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The state of listening as it was logged last.
struct Log {
    database: Box<str>,
    is_subscribed: bool,
    is_writable: bool,
}

pub(super) async fn run(shared: Arc<Shared>) {
    let (mut pause, mut log) = (PAUSE, Log::new(&shared.connector.name));
    loop {
        let began = Instant::now();
        let Err(lost) = listen(&shared, &mut log).await;
        shared.freshness.withdraw();
        shared.permits.lost();
        shared.gateway.1.store(false, SeqCst);
        log.lost(&lost);
        if began.elapsed() > 2 * LONGEST_PAUSE {
            pause = PAUSE;
        }
        tokio::time::sleep(pause).await;
        pause = LONGEST_PAUSE.min(2 * pause);
    }
}

/// Listens on one connection; returns why that ended.
async fn listen(shared: &Arc<Shared>, log: &mut Log) -> Result<Infallible, String> {
    let connected = shared.connector.connect().await;
    let Connected { client, driver, .. } = connected.map_err(|error| error.to_string())?;
    let echo = Arc::new(Echo::new().map_err(|error| error.to_string())?);
    // Rows that were read before this connection listens may change without a notification, and may have been read
    // from another server.
    shared.freshness.withdraw();
    shared.freshness.start_epoch();
    shared.connector.renew();
    // A connection that is stuck would keep it running.
    let driving = drive(driver, shared.clone(), echo.clone());
    let _driving = AbortOnDropHandle::new(tokio::spawn(driving));
    let mut is_proven = false;
    loop {
        let listening = format!("LISTEN {CHANNEL}; LISTEN {DELIVERIES}; {}", echo.listen());
        in_time(client.batch_execute(&listening)).await?;
        let unproven = match prove(shared, &echo).await {
            Ok(true) => None,
            Ok(false) if is_proven => return Err(NO_ECHO.into()),
            Ok(false) => Some((NO_ECHO.into(), ECHO_INTERVAL)),
            // It may still come back when a notification can be sent again.
            Err(_) if is_proven => None,
            Err(unsent) => Some((unsent, LONGEST_PAUSE)),
        };
        if let Some((reason, pause)) = unproven {
            log.lost(&reason);
            tokio::time::sleep(pause).await;
            continue;
        }
        if !is_proven {
            let there = deliveries::show(shared.gateway.0);
            in_time(client.batch_execute(&there)).await?;
            shared.gateway.1.store(true, SeqCst);
        }
        is_proven = true;
        let proven = Instant::now();
        while proven.elapsed() < ECHO_INTERVAL {
            renew_lease(&client, shared, log).await?;
        }
    }
}

/// Whether a notification of the pool comes back. Nothing is said on the listening connection meanwhile.
async fn prove(shared: &Shared, echo: &Echo) -> Result<bool, String> {
    // Nobody waits for the disk: what is proven ends with the connection.
    let sql = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";
    echo.comes_back(async |channel: &str, payload: &str| {
        let parameters: [Parameter<'_>; 2] = [(&channel, Type::TEXT), (&payload, Type::TEXT)];
        shared.pool.run(sql, &parameters, Kind::Read, &false.into()).await.map(drop)
    })
    .await
}

/// What the database and the way to it allow, without a store.
pub(super) async fn check(connector: &Connector) -> Result<PostgresCheck, ConnectError> {
    let echo = Arc::new(Echo::new().map_err(|error| ConnectError::new(error.to_string()))?);
    let (one, other) = (connector.connect().await?, connector.connect().await?);
    let heard = echo.clone();
    tokio::spawn(connect::drive(one.driver, move |notification| {
        heard.hear(notification.channel(), notification.payload());
    }));
    let other = other.spawn();
    one.client.batch_execute(&echo.listen()).await?;
    let comes_back = echo.comes_back(async |channel: &str, payload: &str| {
        let notify = format!("NOTIFY {channel}, '{payload}'");
        other.batch_execute(&notify).await
    });
    Ok(PostgresCheck {
        is_writable: one.is_writable,
        is_notified: comes_back.await.map_err(ConnectError::new)?,
    })
}

/// Lets the cache answer, if everything is received, for a while; returns when it is time to do so again.
async fn renew_lease(client: &Client, shared: &Shared, log: &mut Log) -> Result<(), String> {
    let asked = Instant::now();
    let is_writable = in_time(state(client)).await? == State::Writable;
    if !is_writable {
        let elsewhere = shared.connector.connect().await;
        if elsewhere.is_ok_and(|elsewhere| elsewhere.is_writable) {
            return Err("another connection accepts writes, and this one only reads".into());
        }
    }
    shared.freshness.extend(asked, FRESH_FOR);
    log.subscribed(is_writable);
    in_time(shared.permits.adjust(client)).await?;
    // Each check of a database that accepts only reads takes a connection.
    let interval = if is_writable { INTERVAL } else { 2 * INTERVAL };
    tokio::time::sleep_until((asked + interval).into()).await;
    Ok(())
}

/// Carries the bytes of the connection, and acts on each notification before reading on.
async fn drive(driver: Driver, shared: Arc<Shared>, echo: Arc<Echo>) {
    let hear = |notification: Notification| match notification.channel() {
        CHANNEL => shared.on_notification(notification.payload()),
        DELIVERIES => deliveries::on_notification(&shared, notification.payload()),
        channel => echo.hear(channel, notification.payload()),
    };
    connect::drive(driver, hear).await;
    shared.freshness.withdraw();
}

impl Log {
    /// Nothing is logged while all is well from the beginning.
    fn new(database: &str) -> Self {
        Self { database: database.into(), is_subscribed: true, is_writable: true }
    }

    fn lost(&mut self, reason: &str) {
        if std::mem::replace(&mut self.is_subscribed, false) {
            tracing::warn!(
                reason, database = %self.database,
                "not receiving change notifications: until they arrive, each use of a credential asks the \
                 database, and this gateway logs in by bearer token alone. pgbouncer needs pool_mode = session"
            );
        }
    }

    fn subscribed(&mut self, is_writable: bool) {
        let database = &self.database;
        if !std::mem::replace(&mut self.is_subscribed, true) {
            tracing::info!(%database, "receiving change notifications again");
        }
        if std::mem::replace(&mut self.is_writable, is_writable) == is_writable {
            return;
        }
        if is_writable {
            tracing::info!(%database, "the database accepts writes again");
        } else {
            tracing::warn!(
                %database,
                "the database accepts only reads: until it accepts writes again, nothing can be stored, removed \
                 or suspended. Its disk may be full, or a failover may be under way"
            );
        }
    }
}

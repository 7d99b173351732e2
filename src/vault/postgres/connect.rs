//! Making connections: each address in turn, from the one that was used last, until one can be written to.
//!
//! If there is none, a primary that accepts only reads will do: during a switch to another primary, or when its disk
//! is full, credentials can still be read. A standby will not: it may answer with old data.

use std::error::Error as _;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use secrecy::ExposeSecret as _;
use tokio::sync::watch;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, Connection, Notification, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::{ConnectError, PostgresOpenError, unusable};
use super::options::{Address, PostgresOptions};
use super::statement::last_row;
use super::tls;
use crate::opaque::opaque_debug;

/// How long a start waits for a database that is late or just starting.
const START: Duration = Duration::from_secs(15);

/// How long a start waits before it logs what it waits for.
const SILENCE: Duration = Duration::from_millis(300);

pub(super) struct Connector {
    /// The database's URL without secrets.
    pub(super) name: Box<str>,
    options: PostgresOptions,
    tls: MakeRustlsConnect,
    /// The address that accepted writes last. The others come after it: one that is back may not know what happened since.
    last: AtomicUsize,
    /// Counts up when the database may have moved: a connection that was made before carries out no other statement.
    pub(super) generation: watch::Sender<u64>,
}

/// Within a transaction the client may do nothing for this part of the timeout of a statement.
const IDLE_PART: u128 = 4;

/// A connection as it was made.
pub(super) struct Connected {
    pub(super) client: Client,
    /// It must be polled.
    pub(super) driver: Driver,
    /// Whether the database accepted writes.
    pub(super) is_writable: bool,
}

pub(super) type Driver = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

// === impl Connected ===

impl Connected {
    /// The client, on a connection of its own that ends with it.
    pub(super) fn spawn(self) -> Client {
        tokio::spawn(drive(self.driver, |_| {}));
        self.client
    }
}

// === impl Connector ===

impl Connector {
    pub(super) fn new(options: PostgresOptions) -> Result<Self, PostgresOpenError> {
        let name: Box<str> = options.to_string().into();
        let made = tls::connector(&options.tls);
        let tls = made.map_err(|reason| unusable("set up TLS to", &name, reason))?;
        Ok(Self { name, options, tls, last: AtomicUsize::new(0), generation: Default::default() })
    }

    /// Has each connection replaced before its next statement.
    pub(super) fn renew(&self) {
        self.generation.send_modify(|generation| *generation += 1);
    }

    /// A connection to the first address that accepts writes; if none does, to the first primary.
    pub(super) async fn connect(&self) -> Result<Connected, ConnectError> {
        let (mut refused, mut read_only) = (Vec::new(), None);
        let (all, last) = (&self.options.addresses, self.last.load(SeqCst));
        for (at, address) in all.iter().enumerate().cycle().skip(last).take(all.len()) {
            // Its own timeout ends with the TCP handshake.
            let time = address.0.get_connect_timeout().copied().unwrap_or(self.options.timeout);
            let connected = tokio::time::timeout(time, self.connect_to(address)).await;
            let late = |_| {
                Err(ConnectError {
                    may_pass: true,
                    ..ConnectError::new(format!("no answer within {time:?}"))
                })
            };
            match connected.unwrap_or_else(late) {
                Ok(connected) if connected.is_writable => {
                    if self.last.swap(at, SeqCst) != at {
                        self.renew();
                    }
                    return Ok(connected);
                }
                Ok(connected) => read_only = read_only.or(Some(connected)),
                Err(error) => refused.push((address, error)),
            }
        }
        let reasons = refused.iter().map(|(address, error)| format!("{address}: {error}"));
        read_only.ok_or_else(|| ConnectError {
            reason: reasons.collect::<Vec<_>>().join("; ").into(),
            may_pass: refused.iter().any(|(_, error)| error.may_pass),
            lacks_password: refused.iter().any(|(_, error)| error.lacks_password),
        })
    }

    /// As [`Self::connect`], for a start: repeated for a while if that may help, and logged.
    pub(super) async fn connect_patiently(&self) -> Result<Connected, ConnectError> {
        let deadline = Instant::now() + START;
        let mut connected = pin!(async {
            loop {
                match self.connect().await {
                    Err(error) if error.may_pass && Instant::now() < deadline => {
                        tokio::time::sleep(Duration::from_millis(200)).await;
                    }
                    connected => return connected,
                }
            }
        });
        if let Ok(connected) = tokio::time::timeout(SILENCE, &mut connected).await {
            return connected;
        }
        tracing::warn!(
            database = %self.options,
            "the database does not answer yet: trying for {START:?}"
        );
        connected.await
    }

    async fn connect_to(&self, address: &Address) -> Result<Connected, ConnectError> {
        let mut config = address.0.clone();
        let password = self.options.password_for(address).await;
        if let Ok(password) = &password {
            config.password(password.expose_secret());
        }
        let connected = Box::pin(config.connect(self.tls.clone())).await;
        // Only its text distinguishes this error from others of its kind.
        let is_missing = |error: &tokio_postgres::Error| {
            error.source().is_some_and(|cause| cause.to_string() == "password missing")
        };
        let (client, mut driver) = connected.map_err(|error| match password {
            // Why the file of passwords has none.
            Err(unused) if is_missing(&error) => {
                let unused = unused.map_or_else(String::new, |unused| format!(": {unused}"));
                ConnectError {
                    lacks_password: true,
                    ..ConnectError::new(format!(
                        "it asks for a password, and none is given{unused}"
                    ))
                }
            }
            _ => ConnectError::from(error),
        })?;
        let state = match select(pin!(state(&client)), &mut driver).await {
            Either::Left((state, _)) => state,
            Either::Right((Err(error), _)) => Err(error),
            // Without its driver the client is closed.
            Either::Right((Ok(()), state)) => state.await,
        };
        match state? {
            State::Standby => {
                let standby = "it is a standby, which may answer with old data";
                Err(ConnectError::new(standby))
            }
            state => Ok(Connected { client, driver, is_writable: state == State::Writable }),
        }
    }

    /// Makes a session as every statement expects it.
    pub(super) async fn prepare_session(
        &self,
        client: &Client,
    ) -> Result<(), tokio_postgres::Error> {
        let millis = self.options.timeout.as_millis().max(1);
        // Shorter than others wait for the lock of one that stands still. That does not end a statement of which only a
        // part has come: keepalives do, if the machine is gone.
        let idle = (millis / IDLE_PART).max(1);
        // The statements look again at a row that another transaction has just changed, which the
        // stricter levels do not allow. Without synchronous_commit an acknowledged write might not be
        // on disk. To compile a statement takes longer than any of ours. Statistics on a queue are always
        // old, and with them the planner reads and sorts all that is due, instead of its beginning.
        client
            .batch_execute(&format!(
                "SET statement_timeout = {millis}; SET lock_timeout = {millis}; \
                 SET idle_in_transaction_session_timeout = {idle}; \
                 SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; \
                 SET default_transaction_isolation = 'read committed'; \
                 SET jit = off; SET enable_bitmapscan = off; \
                 SELECT set_config('synchronous_commit', 'on', false) \
                 WHERE current_setting('synchronous_commit') = 'off'"
            ))
            .await
    }
}

opaque_debug!(Connector, |it| it.options);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Writable,
    /// It is a primary all the same.
    ReadOnly,
    Standby,
}

pub(super) async fn state(client: &Client) -> Result<State, tokio_postgres::Error> {
    let sql = "SELECT current_setting('transaction_read_only'), pg_is_in_recovery()";
    let answer = client.simple_query(sql).await?;
    Ok(match last_row(&answer).map(|row| (row.get(0), row.get(1))) {
        Some((_, Some("t"))) => State::Standby,
        Some((Some("off"), _)) => State::Writable,
        _ => State::ReadOnly,
    })
}

/// Carries bytes until the client is dropped or the connection ends. `hear` is called for each notification.
pub(super) async fn drive(mut driver: Driver, hear: impl Fn(Notification)) {
    while let Some(message) = poll_fn(|cx| driver.poll_message(cx)).await {
        match message {
            Ok(AsyncMessage::Notification(notification)) => hear(notification),
            Ok(_) => {}
            // The user of the connection gets an error too.
            Err(error) => {
                tracing::debug!(%error, "a connection to the database has ended");
                return;
            }
        }
    }
}

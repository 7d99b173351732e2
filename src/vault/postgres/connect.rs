//! Making connections: each address in turn until one can be written to.

use std::error::Error as _;
use std::fmt;
use std::pin::pin;
use std::time::{Duration, Instant};

use secrecy::ExposeSecret as _;
use tokio_postgres::config::{Config, Host, SslMode as Negotiation};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::{ConnectError, PostgresOpenError, causes, hint};
use super::options::{Address, PostgresOptions, SslMode};
use super::tls;

/// How long a connection may be silent before the system asks whether the other side is there, and
/// between two such questions.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// How long a start waits for a database that is late or just starting.
const START: Duration = Duration::from_secs(15);

/// How long a start waits before it logs what it waits for.
const SILENCE: Duration = Duration::from_millis(300);

/// Makes connections to the database.
pub(super) struct Connector {
    options: PostgresOptions,
    tls: MakeRustlsConnect,
}

/// Why one address gave no connection.
enum Refused {
    /// It asks for a password, and none is there; why the file of passwords has none.
    NoPassword(Option<String>),
    Other(tokio_postgres::Error),
}

/// Carries the bytes of a client, encrypted or not.
pub(super) type Driver = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

// === impl Connector ===

impl Connector {
    /// # Errors
    /// The files that TLS needs cannot be used.
    pub(super) fn new(options: PostgresOptions, database: &str) -> Result<Self, PostgresOpenError> {
        let tls = tls::connector(&options.tls).map_err(|reason| PostgresOpenError::Tls {
            database: database.into(),
            reason: reason.into(),
        })?;
        Ok(Self { options, tls })
    }

    /// A client, and the driver that carries its bytes: it must be polled.
    pub(super) async fn connect(&self) -> Result<(Client, Driver), ConnectError> {
        let (mut reasons, mut may_pass, mut lacks_password) = (String::new(), false, false);
        for address in &*self.options.addresses {
            let time = self.options.connect_timeout;
            // Its own timeout ends with the TCP handshake.
            let reason = match tokio::time::timeout(time, self.connect_to(address)).await {
                Ok(Ok(connected)) => return Ok(connected),
                Ok(Err(Refused::NoPassword(unused))) => {
                    lacks_password = true;
                    let unused = unused.map_or_else(String::new, |unused| format!(": {unused}"));
                    format!("it asks for a password, and none is given{unused}")
                }
                Ok(Err(Refused::Other(error))) => {
                    may_pass |= error.code() == Some(&SqlState::CANNOT_CONNECT_NOW);
                    format!("{}{}", causes(&error), hint(&error))
                }
                Err(_) => {
                    may_pass = true;
                    format!("no answer within {time:?}")
                }
            };
            if !reasons.is_empty() {
                reasons.push_str("; ");
            }
            reasons.push_str(&format!("{address}: {reason}"));
        }
        Err(ConnectError {
            reason: reasons.into(),
            may_pass,
            lacks_password,
        })
    }

    /// As [`Self::connect`], for a start: repeated for a while if that may help, and logged.
    pub(super) async fn connect_patiently(&self) -> Result<(Client, Driver), ConnectError> {
        let mut connected = pin!(self.connect_repeatedly());
        match tokio::time::timeout(SILENCE, &mut connected).await {
            Ok(connected) => connected,
            Err(_) => {
                tracing::warn!(
                    database = %self.options,
                    "the database does not answer yet: trying for {START:?}"
                );
                connected.await
            }
        }
    }

    async fn connect_repeatedly(&self) -> Result<(Client, Driver), ConnectError> {
        let deadline = Instant::now() + START;
        loop {
            match self.connect().await {
                Err(error) if error.may_pass && Instant::now() < deadline => {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                connected => return connected,
            }
        }
    }

    async fn connect_to(&self, address: &Address) -> Result<(Client, Driver), Refused> {
        let mut config = self.config(address);
        let password = self.options.password_for(address);
        if let Ok(password) = &password {
            config.password(password.expose_secret());
        }
        let connected = Box::pin(config.connect(self.tls.clone())).await;
        // Only its text distinguishes this error from others of its kind.
        let is_missing = |error: &tokio_postgres::Error| {
            let cause = error.source();
            cause.is_some_and(|cause| cause.to_string() == "password missing")
        };
        connected.map_err(|error| match password {
            Err(unused) if is_missing(&error) => Refused::NoPassword(unused),
            _ => Refused::Other(error),
        })
    }

    /// The settings of the URL, for one address.
    fn config(&self, address: &Address) -> Config {
        let given = &self.options.config;
        let mut config = Config::new();
        config.user(self.options.user());
        config.dbname(self.options.database());
        config.application_name(given.get_application_name().unwrap_or_default());
        if let Some(options) = given.get_options() {
            config.options(options);
        }
        config.channel_binding(given.get_channel_binding());
        config.ssl_mode(match (self.options.tls.mode, &address.host) {
            (SslMode::Disable, _) | (_, Host::Unix(_)) => Negotiation::Disable,
            (SslMode::Prefer, Host::Tcp(_)) => Negotiation::Prefer,
            _ => Negotiation::Require,
        });
        config.ssl_negotiation(given.get_ssl_negotiation());
        config.target_session_attrs(given.get_target_session_attrs());
        config.connect_timeout(self.options.connect_timeout);
        match &address.host {
            Host::Tcp(host) => config.host(host),
            Host::Unix(path) => config.host_path(path),
        };
        if let Some(at) = address.at {
            config.hostaddr(at);
        }
        config.port(address.port);
        config.keepalives(given.get_keepalives());
        config.keepalives_idle(given.get_keepalives_idle().min(KEEPALIVE));
        config.keepalives_interval(given.get_keepalives_interval().unwrap_or(KEEPALIVE));
        config.keepalives_retries(given.get_keepalives_retries().unwrap_or(3));
        let user_timeout = given.get_tcp_user_timeout().copied();
        config.tcp_user_timeout(user_timeout.unwrap_or(3 * KEEPALIVE));
        config
    }

    /// Makes a session as every statement expects it.
    pub(super) async fn prepare_session(
        &self,
        client: &Client,
    ) -> Result<(), tokio_postgres::Error> {
        let millis = self.options.timeout.as_millis().max(1);
        // The statements look again at a row that another transaction has just changed, which the
        // stricter levels do not allow. Without synchronous_commit an acknowledged write might not be
        // on disk.
        client
            .batch_execute(&format!(
                "SET statement_timeout = {millis}; SET lock_timeout = {millis}; \
                 SET idle_in_transaction_session_timeout = {millis}; \
                 SET default_transaction_isolation = 'read committed'; \
                 SELECT set_config('synchronous_commit', 'on', false) \
                 WHERE current_setting('synchronous_commit') = 'off'"
            ))
            .await
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Connector").field(&self.options).finish()
    }
}

/// Carries bytes until the client is dropped or the connection ends.
pub(super) async fn drive(driver: Driver) {
    if let Err(error) = driver.await {
        // The user of the connection gets an error too.
        tracing::debug!(%error, "a connection to the database has ended");
    }
}

//! The settings for refused passwords, and their counts.

use std::time::Duration;

use super::BearerLogins;

/// How refused passwords are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoginPolicy {
    /// Time after which a refused password is tried once more. 30 minutes by default.
    pub refused_retry: Duration,
    /// The number of permits for logins by HTTP Basic, and so of such logins that the server refuses, and counts,
    /// within 30 minutes. 5 by default: the server tolerates ten, and a process that is killed forgets those in flight.
    /// `None` for a server that does not count this gateway's: then all calls with stored passwords use HTTP Basic.
    pub refused_login_budget: Option<usize>,
    /// Whether app passwords are also sent as bearer tokens.
    pub bearer: BearerLogins,
}

/// The counts of refused logins and of permits (docs/ARCHITECTURE.md, "Logins").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedLogins {
    /// Refused by HTTP Basic since the start of the process: those that the server counts.
    pub by_basic: u64,
    /// Refused by bearer token since the start of the process.
    pub by_bearer: u64,
    /// Permits that are free.
    pub permits_free: usize,
    /// Permits of logins in flight.
    pub permits_in_flight: usize,
    /// Permits of logins that were refused within 30 minutes.
    pub permits_spent: usize,
}

impl Default for LoginPolicy {
    fn default() -> Self {
        Self {
            refused_retry: Duration::from_secs(30 * 60),
            refused_login_budget: Some(5),
            bearer: BearerLogins::default(),
        }
    }
}

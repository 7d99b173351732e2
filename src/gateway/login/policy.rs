//! How refused passwords are treated, and what is known of them.

use std::time::Duration;

use super::BearerLogins;

/// How refused passwords are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoginPolicy {
    /// Time after which a refused password is tried once more. 30 minutes by default.
    pub refused_retry: Duration,
    /// The permits for logins by HTTP Basic, which the server counts if it refuses them: at most so
    /// many are refused within 30 minutes. 5 by default: the server bears ten, and a process that is
    /// killed forgets what it had in flight.
    pub refused_login_budget: usize,
    /// Whether app passwords are sent as bearer tokens, too.
    pub bearer: BearerLogins,
}

/// What is known of refused logins ([docs/ARCHITECTURE.md](crate::docs::architecture), "Logins").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

// === impl LoginPolicy ===

impl LoginPolicy {
    /// Tries a refused password once more after `time`.
    #[must_use]
    pub fn refused_retry(mut self, time: Duration) -> Self {
        self.refused_retry = time;
        self
    }

    /// Lets the server refuse, and count, at most `logins` within 30 minutes.
    #[must_use]
    pub fn refused_login_budget(mut self, logins: usize) -> Self {
        self.refused_login_budget = logins;
        self
    }

    /// Sends app passwords as bearer tokens, or does not.
    #[must_use]
    pub fn bearer(mut self, logins: BearerLogins) -> Self {
        self.bearer = logins;
        self
    }
}

impl Default for LoginPolicy {
    fn default() -> Self {
        Self {
            refused_retry: Duration::from_secs(30 * 60),
            refused_login_budget: 5,
            bearer: BearerLogins::default(),
        }
    }
}

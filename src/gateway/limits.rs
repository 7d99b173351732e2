//! The limits on requests.

use std::time::Duration;

/// The limits on requests ([docs/API.md](crate::docs::api), section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of requests in flight; more are answered 503. 1024 by default.
    pub in_flight: usize,
    /// Maximum number of requests of one caller in flight; more are answered 429. 64 by default.
    pub in_flight_per_caller: usize,
    /// Time for a whole request, which is answered 504 after that. 60 seconds by default.
    pub request_timeout: Duration,
    /// Maximum size of a request body in bytes; a larger one is answered 413. 64 KiB by default.
    pub body: usize,
}

// === impl Limits ===

impl Limits {
    /// Answers 503 to more than `requests` in flight.
    #[must_use]
    pub fn in_flight(mut self, requests: usize) -> Self {
        self.in_flight = requests;
        self
    }

    /// Answers 429 to more than `requests` of one caller in flight.
    #[must_use]
    pub fn in_flight_per_caller(mut self, requests: usize) -> Self {
        self.in_flight_per_caller = requests;
        self
    }

    /// Answers 504 to a request that takes longer than `time`.
    #[must_use]
    pub fn request_timeout(mut self, time: Duration) -> Self {
        self.request_timeout = time;
        self
    }

    /// Answers 413 to a body of more than `bytes`.
    #[must_use]
    pub fn body(mut self, bytes: usize) -> Self {
        self.body = bytes;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            in_flight: 1024,
            in_flight_per_caller: 64,
            request_timeout: Duration::from_secs(60),
            body: 64 * 1024,
        }
    }
}

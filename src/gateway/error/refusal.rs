//! Refusals by layers that are not part of this crate.

use std::borrow::Cow;
use std::time::Duration;

use http::StatusCode;

/// A refusal by your own layer, answered in the same JSON shape as all errors.
///
/// ```
/// use http::StatusCode;
/// use http_body_util::Full;
/// use portreeve::gateway::{Error, Refusal};
/// use std::time::Duration;
///
/// let refusal = Refusal::new(StatusCode::PAYMENT_REQUIRED, "Payment required", "The trial is over")
///     .with_retry_after(Duration::from_secs(3600));
/// let response = Error::from(refusal).to_response::<Full<bytes::Bytes>>();
/// assert_eq!(response.status(), 402);
/// assert_eq!(response.headers()["retry-after"], "3600");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", status.as_u16())]
pub struct Refusal {
    status: StatusCode,
    /// The member `error` of the answer.
    pub error: Cow<'static, str>,
    /// The member `message` of the answer.
    pub message: Cow<'static, str>,
    /// The time in `Retry-After`, rounded up to whole seconds, at least 1.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    /// Answers `status` with the JSON `{"error": error, "message": message}`. Both texts are sent to the caller unchanged.
    ///
    /// # Panics
    /// If `status` is neither 4xx nor 5xx.
    pub fn new(
        status: StatusCode,
        error: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        assert!(
            status.is_client_error() || status.is_server_error(),
            "a refusal has a status of 400 to 599, not {status}"
        );
        Self { status, error: error.into(), message: message.into(), retry_after: None }
    }

    /// Adds `Retry-After`, rounded up to whole seconds, at least 1.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

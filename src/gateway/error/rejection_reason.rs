//! The errors that can come in floods: requests that are rejected before anything is done for them.
//! Most of them are not for the operator to fix.

use http::StatusCode;

use crate::labels::labels;

labels! {
    /// Why a request was rejected before anything was done for it.
    ///
    /// A client, or a fault in front of the gateway, can cause thousands of these a second. So they have no log
    /// line each, but are counted, and logged at most once a second and kind.
    pub enum RejectionReason {
        /// 503: too many requests are in flight (docs/API.md, section 7).
        InFlightLimit = "in_flight_limit",
        /// 503: too many tokens are being checked (section 2.1).
        TokenCheckLimit = "token_check_limit",
        /// 500: the token could not be checked, since the identity provider does not answer (section 2.1).
        TokenCheckFailed = "token_check_failed",
        /// 429: too many requests of one caller are in flight (section 7).
        CallerLimit = "caller_limit",
        /// 429: too many logins were refused (section 5.6).
        RefusedLoginLimit = "refused_login_limit",
        /// 401: no token, or a malformed one (section 2.1); or the same for HTTP Basic, where that is expected
        /// (section 10.4).
        NoToken = "no_token",
        /// 401: the token is not accepted (section 2.1).
        RefusedToken = "refused_token",
        /// 401: the shared key is missing or wrong (section 2.4).
        SharedKey = "shared_key",
        /// 401: the credential of a delivery is missing or wrong (section 12.1).
        RefusedSender = "refused_sender",
        /// 503: there is no room for another delivery (section 12.1).
        QueueFull = "queue_full",
        /// 500: the body of a request to create a webhook is not JSON, but for example a form (section 4.2).
        NotJson = "not_json",
    }
}

impl RejectionReason {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::InFlightLimit | Self::TokenCheckLimit | Self::QueueFull => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::CallerLimit | Self::RefusedLoginLimit => StatusCode::TOO_MANY_REQUESTS,
            Self::NoToken | Self::RefusedToken | Self::SharedKey | Self::RefusedSender => {
                StatusCode::UNAUTHORIZED
            }
            Self::NotJson | Self::TokenCheckFailed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

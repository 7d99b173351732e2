//! The errors that can come in floods: requests that are turned away before anything is done for them.
//! Most of them are not for the operator to fix.

use crate::labels::labels;

labels! {
    /// Why a request was turned away before anything was done for it.
    ///
    /// A client, or a fault in front of the gateway, can cause thousands of these a second. So they have no log
    /// line each, but are counted, and logged at most once a second and kind.
    pub enum ShedReason {
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

// === impl ShedReason ===

impl ShedReason {
    /// The status of the answer.
    pub(crate) fn status(self) -> u16 {
        match self {
            Self::InFlightLimit | Self::TokenCheckLimit | Self::QueueFull => 503,
            Self::CallerLimit | Self::RefusedLoginLimit => 429,
            Self::NoToken | Self::RefusedToken | Self::SharedKey | Self::RefusedSender => 401,
            Self::NotJson | Self::TokenCheckFailed => 500,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::deliveries::QueueError;
    use crate::gateway::Error;
    use crate::gateway::input::CreateWebhook;
    use crate::groupware::EventClasses;
    use crate::identity::{RefusalReason, VerifyError};

    #[test]
    fn each_has_a_name_and_the_status_of_its_errors() {
        let errors = [
            Error::Overloaded,
            Error::RefusedToken(VerifyError::Overloaded),
            Error::RefusedToken(VerifyError::Unavailable("".into())),
            Error::RefusedToken(RefusalReason::Malformed.into()),
            Error::RefusedToken(RefusalReason::Expired.into()),
            Error::RefusedToken(RefusalReason::Unknown.into()),
            Error::TooManyOfCaller,
            Error::TooManyAttempts(Duration::ZERO),
            Error::TooManyRefused(Duration::ZERO),
            Error::MissingToken,
            Error::MalformedAuthorization,
            Error::MissingBasic,
            Error::MalformedBasic,
            Error::SharedKey,
            Error::RefusedSender,
            QueueError::Full { max: 1 }.into(),
            CreateWebhook::parse(b"event=x", &EventClasses::default())
                .unwrap_err()
                .into(),
        ];
        let mut met = [false; ShedReason::ALL.len()];
        for error in errors {
            let kind = error.shed_reason().unwrap();
            assert_eq!(kind.status(), error.status().as_u16(), "{error}");
            assert_eq!(ShedReason::ALL[kind as usize], kind);
            met[kind as usize] = true;
        }
        assert!(met.iter().all(|met| *met), "{met:?}");
        for error in [Error::Timeout, Error::NotProvisioned, Error::UnknownPath] {
            assert_eq!(error.shed_reason(), None);
        }
    }
}

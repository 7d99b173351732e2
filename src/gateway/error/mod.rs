//! The errors of requests (docs/API.md, section 6).

mod audit_outcome;
mod format;
mod preset_failure;
mod refusal;
mod rejection_reason;
mod row;

use std::error::Error as StdError;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};

pub(super) use format::ErrorFormat;
pub use preset_failure::PresetFailure;
pub use refusal::Refusal;
pub use rejection_reason::RejectionReason;
use row::{
    INVALID_TOKEN, Row, bad_request, forbidden, internal, not_found, provisioning_required,
    refused_token, rejected, rejection, row, seconds, timeout,
};

use super::input::{CreateWebhookError, CredentialBodyError, DeliveryInputError, MatchEventError};
use crate::deliveries::QueueError;
use crate::groupware::{Effect, GroupwareError, NOT_KNOWN, WriteError};
use crate::identity::{RefusalReason, VerifyError};
use crate::vault::{FormatError, VaultError};

/// Declares the errors: for each its variant, its text for the log, and the [`Row`] with which it is answered.
macro_rules! errors {
    (
        $(#[$attribute:meta])+
        pub enum Error {
            $(
                $(#[$about:meta])+
                $name:ident
                $(($(#[$role:meta])? $value:ty))?
                $({ $(#[$about_member:meta])+ $member:ident: $type:ty, })?
                $(: $bound:pat)? => $row:expr;
            )+
        }
    ) => {
        $(#[$attribute])+
        pub enum Error {
            $(
                $(#[$about])+
                $name $(($(#[$role])? $value))? $({ $(#[$about_member])+ $member: $type })?,
            )+
        }

        impl Error {
            /// How this error is answered.
            pub(in crate::gateway) fn row(&self) -> Row<'_> {
                match self {
                    $(Self::$name $(($bound))? $({ $member })? => $row,)+
                }
            }
        }
    };
}

errors! {
    /// Why a request was not served.
    ///
    /// Its `Display` and sources are for the log; the caller gets [`Error::to_response`], which reveals no
    /// internals. Your own layers refuse a request with a [`Refusal`].
    #[derive(Debug, thiserror::Error)]
    #[non_exhaustive]
    pub enum Error {
        /// No `Authorization` field.
        #[error("no bearer token")]
        MissingToken => rejection(RejectionReason::NoToken, "Missing bearer token in the Authorization header").challenge("Bearer");
        /// An `Authorization` field that is not one well-formed bearer token.
        #[error("the Authorization header is not a bearer token")]
        MalformedAuthorization => rejection(RejectionReason::NoToken, "Malformed Authorization header: one Bearer token is expected").challenge(INVALID_TOKEN);
        /// The verifier did not accept the token.
        #[error("{0}")]
        RefusedToken(#[source] VerifyError): cause => match cause {
            VerifyError::Refused(refusal) => refused_token(match refusal.reason() {
                RefusalReason::Malformed => "Malformed token",
                RefusalReason::Expired | RefusalReason::NotYetValid => "The token has expired or is not valid yet",
                _ => "The token was not accepted",
            }),
            VerifyError::Unavailable(_) => rejection(RejectionReason::TokenCheckFailed, "The token could not be checked"),
            VerifyError::Overloaded => rejection(RejectionReason::TokenCheckLimit, "Too many tokens are being checked"),
        };
        /// The shared key is missing or wrong (docs/API.md, section 2.4).
        #[error("missing or wrong shared key")]
        // A wrong shared key says nothing about the token: naming `invalid_token` would send
        // a front end into a loop of refreshes.
        SharedKey => rejection(RejectionReason::SharedKey, "Missing or wrong API key in the X-API-Key header").challenge("Bearer");
        /// No `Authorization` field where HTTP Basic is expected, or one of another scheme, or two
        /// (docs/API.md, section 10.4).
        #[error("no single HTTP Basic credential")]
        MissingBasic => rejection(RejectionReason::NoToken, "Exactly one Authorization header is expected: Basic with the user id and the app password");
        /// HTTP Basic that cannot be read (RFC 7617, section 2).
        #[error("the HTTP Basic credential cannot be read")]
        MalformedBasic => rejection(RejectionReason::NoToken, "Malformed Authorization header: Basic takes the user id, a colon and the app password in UTF-8, as base64");
        /// The password of HTTP Basic does not have the form of an app password.
        #[error("the password of HTTP Basic is not like an app password: {0}")]
        InvalidBasicPassword(#[source] FormatError): fault => bad_request(format!("Invalid app password: {fault}"));
        /// The body beside HTTP Basic is refused (docs/API.md, section 10.4).
        #[error("the body is neither empty nor an object with a username")]
        InvalidUserName => bad_request("The body must be empty or a JSON object whose username, if it has one, is a string of 1 to 255 bytes without colon and control character");
        /// The path names another user than the credentials of the request do.
        #[error("the path names another user than the credentials of the request")]
        OtherUser => forbidden("The path names another user than the credentials of the request");
        /// No such path.
        #[error("no such path")]
        UnknownPath => not_found("There is no such path");
        /// A known path that does not take the method; the value lists those it takes.
        #[error("method not allowed; the path takes {0}")]
        MethodNotAllowed(&'static str): allowed => row(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed", "The path does not take this method; see the Allow header")
            .field(ALLOW, HeaderValue::from_static(allowed));
        /// A body over the limit of this many bytes.
        #[error("the body is over the limit of {0} bytes")]
        PayloadTooLarge(usize): limit => row(StatusCode::PAYLOAD_TOO_LARGE, "Payload too large", format!("The body may have at most {limit} bytes"));
        /// The body was incomplete, or its framing invalid.
        #[error("the body could not be read: {0}")]
        UnreadableBody(#[source] Box<dyn StdError + Send + Sync>): _ => bad_request("The body could not be read to its end");
        /// The body of a create request is refused (docs/API.md, section 4.2).
        #[error(transparent)]
        CreateWebhook(#[from] CreateWebhookError): fault => match fault {
            CreateWebhookError::MissingFields => bad_request("Missing required fields: event, uri"),
            CreateWebhookError::NotAnObject => bad_request("The body must be a JSON object with the fields event, uri"),
            CreateWebhookError::Filter(fault) => bad_request(format!("Invalid eventFilter: {fault}")),
            CreateWebhookError::InvalidJson(_) => rejection(RejectionReason::NotJson, "The body is not valid JSON: send an object with event and uri, not a form; a backslash in a string is doubled"),
        };
        /// The groupware server does not know the event class of a new webhook; the class that was probably meant.
        #[error("groupware server: {}", GroupwareError::UnknownEvent)]
        UnknownEvent(Option<&'static str>): meant => match meant {
            Some(class) => internal(format!("The groupware server does not know this event class: is it {class}?")),
            None => internal("The groupware server does not know this event class: GET /api/v1/events lists known ones, and what each is part of"),
        };
        /// Deliveries of a webhook could be too large, which is refused (docs/API.md,
        /// section 4.9); the text says what could be lost.
        #[error("webhook refused: {0}")]
        UnboundedWebhook(Box<str>): warning => bad_request(format!("This gateway registers no such webhook: {warning}"));
        /// The body of a request to try a filter is refused (docs/API.md, section 4.8).
        #[error("request to try a filter refused: {0}")]
        MatchEvent(#[from] MatchEventError): fault => bad_request(fault.to_string());
        /// A delete without an id.
        #[error("webhook_id is missing")]
        MissingWebhookId => bad_request("Missing webhook_id: name the webhook in the path");
        /// A delete with an id that is not an integer.
        #[error("webhook_id is not an integer")]
        InvalidWebhookId => bad_request("Invalid webhook_id: must be an integer of 64 bits");
        /// A delete of a registration that does not exist.
        #[error("no such webhook")]
        UnknownWebhook => not_found("There is no webhook with this id");
        /// No preset of webhooks has the name in the path.
        #[error("no such preset")]
        UnknownPreset => not_found("There is no webhook preset with this name");
        /// The body of a request to enable a preset is not an object with a `uri`.
        #[error("the body is no object with a uri")]
        InvalidPresetBody => bad_request("The body must be a JSON object with uri, a string that is not empty");
        /// `uri` is missing in the query.
        #[error("uri is missing in the query")]
        MissingUri => bad_request("Missing uri in the query: name the delivery address, percent-encoded");
        /// `uri` in the query is repeated, empty, or not UTF-8.
        #[error("uri in the query is there twice, empty or not UTF-8")]
        InvalidUri => bad_request("Invalid uri in the query: must be given once, percent-encoded UTF-8 that is not empty");
        /// The webhooks of a preset are not all registered, or not all deleted, as requested
        /// (docs/API.md, section 4.6).
        #[error("{0}")]
        Preset(#[source] Box<PresetFailure>): failure => failure.row();
        /// The webhooks of a preset are not those that were just registered, or are there although they were just
        /// deleted: something else changes them, too.
        #[error("its webhooks were changed by something else at the same time")]
        PresetChanged => internal("The webhooks of the preset were changed by something else at the same time: repeat the request");
        /// A parameter of the query that is neither `true` nor `false`.
        #[error("{0} in the query is neither true nor false")]
        InvalidSwitch(&'static str): name => bad_request(format!("Invalid {name} in the query: must be true or false"));
        /// A user id in the path that is not UTF-8.
        #[error("the user id in the path is not UTF-8")]
        InvalidUserId => bad_request("Invalid user id: must be percent-encoded UTF-8");
        /// The body of a store request is refused (docs/API.md, section 5.1).
        #[error("store request refused: {0}")]
        InvalidCredentialBody(#[from] CredentialBodyError): fault => bad_request(fault.to_string());
        /// Only administrators may read another user's credential (docs/API.md, section 2.5).
        #[error("the caller is not an administrator")]
        NotAdministrator => forbidden("Only administrators may read the credentials of other users");
        /// Showing stored passwords is disabled.
        #[error("admin_reveal is off")]
        RevealOff => forbidden("Showing stored app passwords is switched off on this server");
        /// No credential is stored for the user in an administrator's request.
        #[error("no credential is stored for the user")]
        NoCredential => not_found("No credential is stored for this user");
        /// An app password of another account than the caller's.
        #[error("the app password is of another account than the caller's")]
        OtherAccount => forbidden("The app password belongs to another account than yours");
        /// The password that was to be stored is that of the account, not an app password.
        #[error("the password that was to be stored is that of the account")]
        AccountPassword => rejected("This is the password of the account: make an app password in the groupware server's settings, Security");
        /// The password that was to be stored was a one-time password, which the check has used up.
        #[error("the password that was to be stored was good for one use")]
        OneTimePassword => rejected("This was probably a one-time password, as in a QR code, and is used up now: make an app password in the groupware server's settings, Security");
        /// The groupware server refused the app password that was to be stored.
        #[error("the groupware server refused the app password that was to be stored")]
        Rejected => rejected("The groupware server does not accept this app password with this login name");
        /// The groupware server refused the app password that was to be stored, sent as a bearer token.
        #[error("the groupware server refused the app password that was to be stored, as a bearer token")]
        RejectedAsBearer => rejected("The groupware server does not accept this as an app password: it was sent as a bearer token, which may be neither the password of an account nor a temporary one. Make an app password in the groupware server's settings, Security");
        /// `self` stands for no address of this gateway (docs/API.md, section 4.6).
        #[error("self is no address without deliveries and public_url")]
        NoOwnAddress => bad_request("The address self needs deliveries and public_url to be set on this gateway");
        /// The delivery has no valid credential (docs/API.md, section 12.1).
        #[error("the delivery has no valid credential")]
        RefusedSender => rejection(RejectionReason::RefusedSender, "unauthorized");
        /// A delivery that cannot be stored.
        #[error("the delivery cannot be stored: {0}")]
        InvalidReceipt(&'static str): fault => bad_request(*fault);
        /// A request about targets and deliveries is refused (docs/API.md, section 12).
        #[error("request about deliveries refused: {0}")]
        DeliveryInput(#[from] DeliveryInputError): fault => bad_request(fault.to_string());
        /// A target of another user, for somebody who is not an administrator.
        #[error("the target would be another user's, and the caller is not an administrator")]
        NotYourTarget => forbidden("Only administrators may have or see targets of other users");
        /// There is no such target, or it is another user's.
        #[error("no such target")]
        UnknownTarget => not_found("There is no such target");
        /// There is no such delivery, or it is another user's.
        #[error("no such delivery")]
        UnknownDelivery => not_found("There is no such delivery");
        /// The caller waits for events too many times.
        #[error("the caller waits for events too many times")]
        TooManyWaitingOfCaller => rejection(RejectionReason::CallerLimit, "Too many requests of this user wait for events");
        /// Too many requests wait for events.
        #[error("too many requests wait for events")]
        TooManyWaiting => rejection(RejectionReason::InFlightLimit, "Too many requests wait for events");
        /// The stored deliveries failed.
        #[error("deliveries: {0}")]
        Queue(#[from] QueueError): fault => match fault {
            QueueError::TooManyTargets => bad_request("This account has 100 targets already: delete one first"),
            fault if fault.is_full() => rejection(RejectionReason::QueueFull, "queue full"),
            QueueError::Store(error) if error.is_effect_unknown() => internal(format!("The deliveries cannot be reached at the moment. {NOT_KNOWN}")),
            _ => internal("The deliveries cannot be reached at the moment"),
        };
        /// The caller sent too many passwords that were refused; the value is the time to wait.
        #[error("the caller brought too many passwords that were refused; next try in {0:?}")]
        TooManyAttempts(Duration): wait => rejection(RejectionReason::RefusedLoginLimit, "Too many app passwords of this user were refused; wait before the next try").wait(Some(*wait));
        /// The groupware server refused too many logins; the value is the time to wait.
        #[error("the budget of refused logins is spent for {0:?}")]
        TooManyRefused(Duration): wait => rejection(RejectionReason::RefusedLoginLimit, "The groupware server refused too many logins recently; wait before the next try").wait(Some(*wait));
        /// A login flow that is unknown, expired or somebody else's.
        #[error("no such login flow")]
        UnknownFlow => not_found("There is no such login flow, or it has expired");
        /// The groupware server did not destroy the app password, as far as is known; it stays stored.
        #[error("the app password stays stored: {0}")]
        NotRevoked(#[source] WriteError): fault => internal(match fault.effect() {
            Effect::Unknown => format!("The app password is still stored, and it is not known whether the groupware server destroyed it: look before you repeat it. {}", fault.cause().public_message()),
            _ => format!("The app password was not destroyed and is still stored. {}", fault.cause().public_message()),
        }).wait(fault.cause().retry_after());
        /// The app password is destroyed at the groupware server, but its record was not removed, as far as is known.
        #[error("the app password is destroyed, but its record may still be stored: {0}")]
        NotRemoved(#[source] VaultError): _ => internal("The app password does not work any more, but its record may still be stored: repeat the request");
        /// The caller has not stored an app password (docs/API.md, section 2.3).
        #[error("no app password is stored for the caller")]
        NotProvisioned => provisioning_required("No app password is stored for this user: send one, as {\"appPassword\": \"…\"}, and \"loginName\" if it was made under another login name than the account id, to POST /api/v1/background-sync/credentials, or have one granted by POST /api/v1/background-sync/login-flow");
        /// The caller's person is bound to no account (docs/API.md, section 2.7).
        #[error("the caller is a person who is bound to no account")]
        NotBound {
            /// Whether a login flow would bind them.
            by_login_flow: bool,
        } => if *by_login_flow {
            provisioning_required("No account is bound to you yet: start a login flow by POST /api/v1/background-sync/login-flow, and grant it with your account")
        } else {
            provisioning_required("No account is bound to you: ask the administrator of this gateway to bind yours")
        };
        /// The account that granted a login flow is bound to another person than the caller.
        #[error("the account that granted is bound to another person than the caller")]
        AccountTaken => forbidden("The account that granted cannot be bound to you: ask the administrator of this gateway");
        /// The groupware server refused the stored app password, which is not tried again for now.
        #[error("the stored app password is suspended since it was refused")]
        Suspended => provisioning_required("The groupware server refuses the stored app password, perhaps only as a bearer token, as which it takes neither a temporary one nor the password of an account: send a new one, as {\"appPassword\": \"…\"}, and \"loginName\" if it was made under another login name than the account id, to POST /api/v1/background-sync/credentials, or have one granted by POST /api/v1/background-sync/login-flow");
        /// One caller has too many requests in flight.
        #[error("the caller has too many requests under way")]
        TooManyOfCaller => rejection(RejectionReason::CallerLimit, "Too many requests of this user are under way");
        /// The gateway has too many requests in flight.
        #[error("too many requests under way")]
        Overloaded => rejection(RejectionReason::InFlightLimit, "Too many requests are under way");
        /// The request was not answered in time.
        #[error("the request took too long")]
        Timeout => timeout("The request was not answered in time");
        /// A request that was to change something was not answered in time.
        #[error("the request took too long, and it is not known whether it was carried out")]
        WriteTimeout => timeout(format!("The request was not answered in time. {NOT_KNOWN}"));
        /// No groupware server is configured (docs/API.md, section 6.2).
        #[error("groupware_url is not set")]
        NotConfigured => internal("The groupware server is not configured");
        /// The call of the groupware server failed.
        #[error("groupware server: {0}")]
        Groupware(#[from] GroupwareError): fault => internal(fault.public_message()).by_basic(StatusCode::BAD_GATEWAY).wait(fault.retry_after());
        /// A call that was to change something at the groupware server failed.
        #[error("groupware server: {0}")]
        Write(#[from] WriteError): fault => internal(fault.public_message()).wait(fault.cause().retry_after());
        /// The vault failed.
        #[error("vault: {0}")]
        Vault(#[from] VaultError): fault => match fault {
            VaultError::Store(error) if error.is_read_only() => internal("The stored credentials cannot be changed at the moment"),
            VaultError::Store(error) if error.is_effect_unknown() => internal(format!("The stored credentials cannot be reached at the moment. {NOT_KNOWN}")),
            VaultError::Store(_) => internal("The stored credentials cannot be reached at the moment"),
            _ => internal("The stored credential could not be used"),
        };
        /// The credential cannot be sent as HTTP Basic.
        #[error("stored credential: {0}")]
        Credential(#[source] Box<dyn StdError + Send + Sync>): _ => internal("The stored credential could not be used");
        /// A layer that is not part of this crate refused the request.
        #[error("refused: {0}")]
        Refusal(Refusal): refusal => {
            let row = row(refusal.status(), refusal.error(), refusal.message());
            match refusal.retry_after() {
                Some(wait) => row.field(RETRY_AFTER, seconds(wait)),
                None => row,
            }
        };
        /// An error of another type, from a service below.
        #[error(transparent)]
        Other(Box<dyn StdError + Send + Sync>): _ => internal("The request could not be completed");
    }
}

// === impl Error ===

impl Error {
    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.row().status
    }

    /// Why a request with this error was rejected; `None` if it was worked on.
    pub fn rejection_reason(&self) -> Option<RejectionReason> {
        self.row().rejection
    }

    /// The answer: status, headers and the JSON body `{"error", "message"}`, as any type of body
    /// that is made from bytes: `http_body_util::Full<Bytes>`, axum's `Body` and others.
    pub fn to_response<B: From<Bytes>>(&self) -> Response<B> {
        self.row().answer(ErrorFormat::Api)
    }
}

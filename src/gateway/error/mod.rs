//! The errors of requests (docs/API.md, section 6).

mod audit_outcome;
mod format;
mod preset_failure;
mod refusal;
mod rejection_reason;
mod row;

use std::borrow::Cow;
use std::error::Error as StdError;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, HeaderValue};
use http::{Response, StatusCode};

pub(super) use format::ErrorFormat;
pub use preset_failure::PresetFailure;
pub use refusal::Refusal;
pub use rejection_reason::RejectionReason;
use row::{
    INVALID_TOKEN, Row, bad_request, forbidden, internal, not_forwarded, not_found,
    provisioning_required, rejected, rejection, row, timeout, unanswered,
};

use super::forward::Refused;
use super::input::InputError;
use crate::deliveries::QueueError;
use crate::groupware::{Effect, GroupwareError, NOT_KNOWN, WriteError};
use crate::identity::{RefusalReason, VerifyError};
use crate::vault::{FormatError, VaultError};

/// Declares the errors: for each its variant, its text for the log, which also documents it if it is a fixed one, the
/// [`Row`] with which it is answered, and what to do where that does not say it. docs/TROUBLESHOOTING.md has the advice.
macro_rules! errors {
    (
        $(#[$attribute:meta])+
        pub enum Error {
            $(
                $(#[$about:meta])*
                $name:ident
                $($text:literal)?
                $(($(#[$role:meta])? $value:ty))?
                $({ $(#[$about_member:meta])+ $member:ident: $type:ty, })?
                $(: $bound:pat)? => $row:expr $(, $advice:literal)?;
            )+
        }
    ) => {
        $(#[$attribute])+
        pub enum Error {
            $(
                $(#[doc = $text] #[error($text)])?
                $(#[$about])*
                $(#[doc = ""] #[doc = $advice])?
                $name $(($(#[$role])? $value))? $({ $(#[$about_member])+ $member: $type })?,
            )+
        }

        impl Error {
            /// How this error is answered.
            pub(crate) fn row(&self) -> Row<'_> {
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
        MissingToken "no bearer token" => rejection(RejectionReason::NoToken, "Missing bearer token in the Authorization header").challenge("Bearer"), "If the client sends one, a proxy drops it.";
        MalformedAuthorization "the Authorization header is not a bearer token" => rejection(RejectionReason::NoToken, "Malformed Authorization header: one Bearer token is expected").challenge(INVALID_TOKEN);
        /// The verifier did not accept the token.
        #[error("{0}")]
        RefusedToken(#[source] VerifyError): cause => match cause {
            VerifyError::Refused(refusal) => rejection(RejectionReason::RefusedToken, match refusal.reason {
                RefusalReason::Malformed => "Malformed token",
                RefusalReason::Expired | RefusalReason::NotYetValid => "The token has expired or is not valid yet",
                _ => "The token was not accepted",
            }).challenge(INVALID_TOKEN),
            VerifyError::Unavailable(_) => rejection(RejectionReason::TokenCheckFailed, "The token could not be checked"),
            VerifyError::Overloaded => rejection(RejectionReason::TokenCheckLimit, "Too many tokens are being checked"),
        }, "`portreeve check-config --online --token-stdin` says why it is refused, or what the identity provider answers.";
        /// The shared key is missing or wrong (docs/API.md, section 2.4).
        #[error("missing or wrong shared key")]
        // A wrong shared key says nothing about the token: naming `invalid_token` would send
        // a front end into a loop of refreshes.
        SharedKey => rejection(RejectionReason::SharedKey, "Missing or wrong API key in the X-API-Key header").challenge("Bearer"), "`mcp_server_api_key` is set here; Nextcloud's app Astrolabe never sends one.";
        MissingBasic "no single HTTP Basic credential" => rejection(RejectionReason::NoToken, "Exactly one Authorization header is expected: Basic with the user id and the app password");
        MalformedBasic "the HTTP Basic credential cannot be read" => rejection(RejectionReason::NoToken, "Malformed Authorization header: Basic takes the user id, a colon and the app password in UTF-8, as base64");
        /// The password of HTTP Basic does not have the form of an app password.
        #[error("the password of HTTP Basic is not like an app password: {0}")]
        InvalidBasicPassword(#[source] FormatError): fault => bad_request(format!("Invalid app password: {fault}"));
        InvalidUserName "the body is neither empty nor an object with a username" => bad_request("The body must be empty or a JSON object whose username, if it has one, is a string of 1 to 255 bytes without colon and control character");
        InvalidScopes "the body has no list of scopes" => bad_request("The body must be a JSON object whose scopes is a list of at most 100 names of at most 100 bytes");
        /// These are no scopes.
        #[error("the body names scopes that do not exist")]
        UnknownScopes(String): names => bad_request(format!("Invalid scopes: {names}")).names_scopes();
        OtherUser "the path names another user than the credentials of the request" => forbidden("The path names another user than the credentials of the request");
        UnknownPath "no such path" => not_found("There is no such path"), "Look for a trailing slash, another case, or a prefix that a proxy did not remove.";
        /// A known path that does not take the method; the value lists those it takes.
        #[error("method not allowed; the path takes {0}")]
        MethodNotAllowed(Cow<'static, str>): allowed => row(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed", "The path does not take this method; see the Allow header")
            .field(ALLOW, HeaderValue::try_from(&**allowed).expect("methods are visible ASCII"));
        /// A body over the limit of this many bytes.
        #[error("the body is over the limit of {0} bytes")]
        PayloadTooLarge(usize): limit => row(StatusCode::PAYLOAD_TOO_LARGE, "Payload too large", format!("The body may have at most {limit} bytes")), "The setting is `max_body`.";
        /// The body was incomplete, or its framing invalid.
        #[error("the body could not be read: {0}")]
        UnreadableBody(#[source] Box<dyn StdError + Send + Sync>): _ => bad_request("The body could not be read to its end"), "The client or a proxy ended it: the proxy's log says why.";
        /// The body of a request to create a webhook is not JSON (docs/API.md, section 4.2).
        #[error("the body is not JSON: {0}")]
        NotJson(#[source] serde_json::Error): _ => rejection(RejectionReason::NotJson, "The body is not valid JSON: send an object with event and uri, not a form; a backslash in a string is doubled");
        /// The body of a request is refused.
        #[error(transparent)]
        Input(#[from] InputError): fault => bad_request(fault.to_string());
        /// The groupware server does not know the event class of a new webhook; the class that was probably meant.
        #[error("groupware server: {}", GroupwareError::UnknownEvent)]
        UnknownEvent(Option<&'static str>): meant => match meant {
            Some(class) => internal(format!("The groupware server does not know this event class: is it {class}?")),
            None => internal("The groupware server does not know this event class: GET /api/v1/events lists known ones, and what each is part of"),
        };
        /// Deliveries of a webhook could be too large, which is refused (docs/API.md,
        /// section 4.9); the text says what could be lost.
        #[error("webhook refused: {0}")]
        UnboundedWebhook(Box<str>): warning => bad_request(format!("This gateway registers no such webhook: {warning}")), "The setting is `unbounded_webhooks`.";
        /// The token lacks scopes that the request needs (docs/API.md, section 13.4).
        #[error("the token lacks the scope {0}")]
        InsufficientScope(String): missing => row(StatusCode::FORBIDDEN, "Forbidden", format!("The token lacks the scope {missing}: get one that has it, a static one by `portreeve token new --scope`")).insufficient_scope(missing), "`portreeve forward explain` says which scope a request needs.";
        /// The user has limited the stored app password to other scopes (docs/API.md, section 10.4).
        #[error("the stored app password is limited to other scopes than {0}")]
        LimitedByUser(String): missing => row(StatusCode::FORBIDDEN, "Forbidden", format!("The user has limited what is forwarded to other scopes than {missing}, and no token changes that: only the user can, by PATCH /api/v1/users/{{id}}/scopes with the app password")).insufficient_scope(missing);
        /// The request is not forwarded (docs/API.md, section 13).
        #[error("not forwarded: {0}")]
        NotForwarded(#[from] Refused): refused => not_forwarded(refused);
        /// A forwarded request that changes nothing was not answered.
        #[error("groupware server: {0}")]
        ForwardedRead(#[source] GroupwareError): fault => unanswered(fault, fault.public_message());
        /// A forwarded request that may have changed something was not answered.
        #[error("groupware server: {0}")]
        ForwardedWrite(#[source] WriteError): fault => unanswered(&fault.cause, fault.public_message());
        BodyIsGone "the groupware server refused one of two ways to log in, and the body cannot be sent again" => row(StatusCode::SERVICE_UNAVAILABLE, "Overloaded", "The login has to be made in another way, and the body is too large to be kept for that: send the request again").wait(Some(Duration::from_secs(1)));
        MissingWebhookId "webhook_id is missing" => bad_request("Missing webhook_id: name the webhook in the path");
        InvalidWebhookId "webhook_id is not an integer" => bad_request("Invalid webhook_id: must be an integer of 64 bits");
        UnknownWebhook "no such webhook" => not_found("There is no webhook with this id");
        UnknownPreset "no such preset" => not_found("There is no webhook preset with this name");
        InvalidPresetBody "the body is no object with a uri" => bad_request("The body must be a JSON object with uri, a string that is not empty");
        MissingUri "uri is missing in the query" => bad_request("Missing uri in the query: name the delivery address, percent-encoded");
        InvalidUri "uri in the query is there twice, empty or not UTF-8" => bad_request("Invalid uri in the query: must be given once, percent-encoded UTF-8 that is not empty");
        /// The webhooks of a preset are not all registered, or not all deleted, as requested (docs/API.md, section 4.6).
        #[error("{0}")]
        Preset(#[source] Box<PresetFailure>): failure => failure.row();
        PresetChanged "its webhooks were changed by something else at the same time" => internal("The webhooks of the preset were changed by something else at the same time: repeat the request");
        /// A parameter of the query that is neither `true` nor `false`.
        #[error("{0} in the query is neither true nor false")]
        InvalidSwitch(&'static str): name => bad_request(format!("Invalid {name} in the query: must be true or false"));
        InvalidUserId "the user id in the path cannot be one" => bad_request("Invalid user id: must be percent-encoded UTF-8 of at most 255 bytes, without control characters");
        NotAdministrator "the caller is not an administrator" => forbidden("Only administrators may read the credentials of other users"), "Use the token of a member of Nextcloud's group `admin`, or one with `admin_scope` if that is set.";
        RevealOff "admin_reveal is off" => forbidden("Showing stored app passwords is switched off on this server"), "The setting is `admin_reveal`.";
        NoCredential "no credential is stored for the user" => not_found("No credential is stored for this user");
        OtherAccount "the app password is of another account than the caller's" => forbidden("The app password belongs to another account than yours");
        AccountPassword "the password that was to be stored is that of the account" => rejected("This is the password of the account: make an app password in the groupware server's settings, Security");
        OneTimePassword "the password that was to be stored was good for one use" => rejected("This was probably a one-time password, as in a QR code, and is used up now: make an app password in the groupware server's settings, Security");
        Rejected "the groupware server refused the app password that was to be stored" => rejected("The groupware server does not accept this app password with this login name"), "It is mistyped, deleted, or of another login name, such as an e-mail address: send that as `loginName`.";
        RejectedAsBearer "the groupware server refused the app password that was to be stored, as a bearer token" => rejected("The groupware server does not accept this as an app password: it was sent as a bearer token, which may be neither the password of an account nor a temporary one. Make an app password in the groupware server's settings, Security");
        NoOwnAddress "self is no address without deliveries and public_url" => bad_request("The address self needs deliveries and public_url to be set on this gateway");
        RefusedSender "the delivery has no valid credential" => rejection(RejectionReason::RefusedSender, "unauthorized");
        /// A delivery that cannot be stored.
        #[error("the delivery cannot be stored: {0}")]
        InvalidReceipt(&'static str): fault => bad_request(*fault);
        NotRemover "a user is to be removed, and the caller is not an administrator" => forbidden("Only administrators may remove users");
        NotYourTarget "the target would be another user's, and the caller is not an administrator" => forbidden("Only administrators may have or see targets of other users");
        UnknownTarget "no such target" => not_found("There is no such target");
        UnknownDelivery "no such delivery" => not_found("There is no such delivery"), "It was removed, is older than `deliveries_keep`, or is another account's.";
        TooManyWaitingOfCaller "the caller waits for events too many times" => rejection(RejectionReason::CallerLimit, "Too many requests of this user wait for events"), "Eight are open, or eight large answers are unread.";
        TooManyWaiting "too many requests wait for events" => rejection(RejectionReason::InFlightLimit, "Too many requests wait for events"), "4,096 are open, or 128 MiB of answers are unread.";
        TestUnderWay "a sample of the caller is under way" => rejection(RejectionReason::CallerLimit, "A test of this user is under way"), "It takes 15 seconds at most.";
        /// The stored deliveries failed.
        #[error("deliveries: {0}")]
        Queue(#[from] QueueError): fault => match fault {
            QueueError::TooManyTargets => bad_request("This account has 100 targets already: delete one first"),
            fault if fault.is_full() => rejection(RejectionReason::QueueFull, "queue full"),
            QueueError::Store(error) if error.is_effect_unknown => internal(format!("The deliveries cannot be reached at the moment. {NOT_KNOWN}")),
            _ => internal("The deliveries cannot be reached at the moment"),
        };
        /// The caller sent too many passwords that were refused; the value is the time to wait.
        #[error("the caller brought too many passwords that were refused; next try in {0:?}")]
        TooManyAttempts(Duration): wait => rejection(RejectionReason::RefusedLoginLimit, "Too many app passwords of this user were refused; wait before the next try").wait(Some(*wait));
        /// The groupware server refused too many logins; the value is the time to wait.
        #[error("the budget of refused logins is spent for {0:?}")]
        TooManyRefused(Duration): wait => rejection(RejectionReason::RefusedLoginLimit, "The groupware server refused too many logins recently; wait before the next try").wait(Some(*wait)), "`refused_login_budget` is used up: docs/OPERATIONS.md, \"Refused app passwords\".";
        UnknownFlow "no such login flow" => not_found("There is no such login flow, or it has expired"), "It lasts 20 minutes, and only its caller sees it.";
        /// The groupware server did not destroy the app password, as far as is known; it stays stored.
        #[error("the app password stays stored: {0}")]
        NotRevoked(#[source] WriteError): fault => internal(match fault.effect() {
            Effect::Unknown => format!("The app password is still stored, and it is not known whether the groupware server destroyed it: look before you repeat it. {}", fault.cause.public_message()),
            _ => format!("The app password was not destroyed and is still stored. {}", fault.cause.public_message()),
        }).wait(fault.cause.retry_after());
        /// The app password is destroyed at the groupware server, but its record was not removed, as far as is known.
        #[error("the app password is destroyed, but its record may still be stored: {0}")]
        NotRemoved(#[source] VaultError): _ => internal("The app password does not work any more, but its record may still be stored: repeat the request");
        NotProvisioned "no app password is stored for the caller" => provisioning_required("No app password is stored for this user: send one, as {\"appPassword\": \"…\"}, and \"loginName\" if it was made under another login name than the account id, to POST /api/v1/background-sync/credentials, or have one granted by POST /api/v1/background-sync/login-flow");
        /// The caller's person is bound to no account (docs/API.md, section 2.7).
        #[error("the caller is a person who is bound to no account")]
        NotBound {
            /// Whether a login flow would bind them.
            by_login_flow: bool,
        } => if *by_login_flow {
            provisioning_required("No account is bound to you yet: start a login flow by POST /api/v1/background-sync/login-flow, and grant it with your account")
        } else {
            provisioning_required("No account is bound to you: ask the administrator of this gateway to bind yours")
        }, "The administrator can bind one by `portreeve accounts bind`.";
        AccountTaken "the account that granted is bound to another person than the caller" => forbidden("The account that granted cannot be bound to you: ask the administrator of this gateway"), "It is bound to somebody else: `portreeve accounts list`.";
        Suspended "the stored app password is suspended since it was refused" => provisioning_required("The groupware server refuses the stored app password, perhaps only as a bearer token, as which it takes neither a temporary one nor the password of an account: send a new one, as {\"appPassword\": \"…\"}, and \"loginName\" if it was made under another login name than the account id, to POST /api/v1/background-sync/credentials, or have one granted by POST /api/v1/background-sync/login-flow"), "The user deleted it, or the account is disabled. It is tried again after `refused_retry`.";
        TooManyOfCaller "the caller has too many requests under way" => rejection(RejectionReason::CallerLimit, "Too many requests of this user are under way"), "The setting is `max_in_flight_per_caller`.";
        Overloaded "too many requests under way" => rejection(RejectionReason::InFlightLimit, "Too many requests are under way"), "The setting is `max_in_flight`; mostly, Nextcloud is slow. For a target, host names are looked up too slowly.";
        Timeout "the request took too long" => timeout("The request was not answered in time"), "It took longer than `request_timeout`.";
        WriteTimeout "the request took too long, and it is not known whether it was carried out" => timeout(format!("The request was not answered in time. {NOT_KNOWN}"));
        NotConfigured "groupware_url is not set" => internal("The groupware server is not configured"), "Set `groupware_url`.";
        /// The call of the groupware server failed.
        #[error("groupware server: {0}")]
        Groupware(#[from] GroupwareError): fault => internal(fault.public_message()).by_basic(StatusCode::BAD_GATEWAY).wait(fault.retry_after());
        /// A call that was to change something at the groupware server failed.
        #[error("groupware server: {0}")]
        Write(#[from] WriteError): fault => internal(fault.public_message()).wait(fault.cause.retry_after());
        /// The vault failed.
        #[error("vault: {0}")]
        Vault(#[from] VaultError): fault => match fault {
            VaultError::Store(error) if error.is_read_only => internal("The stored credentials cannot be changed at the moment"),
            VaultError::Store(error) if error.is_effect_unknown => internal(format!("The stored credentials cannot be reached at the moment. {NOT_KNOWN}")),
            VaultError::Store(_) => internal("The stored credentials cannot be reached at the moment"),
            _ => internal("The stored credential could not be used"),
        };
        /// The credential cannot be sent as HTTP Basic.
        #[error("stored credential: {0}")]
        Credential(#[source] Box<dyn StdError + Send + Sync>): _ => internal("The stored credential could not be used");
        /// A layer that is not part of this crate refused the request.
        #[error("refused: {0}")]
        Refusal(#[from] Refusal): refusal => {
            row(refusal.status(), &refusal.error, &*refusal.message).wait(refusal.retry_after)
        };
        /// An error of another type, from a service below.
        #[error(transparent)]
        Other(Box<dyn StdError + Send + Sync>): _ => internal("The request could not be completed"), "This is a bug: please report it.";
    }
}

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

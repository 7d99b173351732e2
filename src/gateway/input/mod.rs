//! The parsed requests: one typed value per endpoint.
//!
//! The router makes an [`Input`] from the method, the path and the body. Nothing is parsed again after that.

mod app_password;
mod create_webhook;
mod deliveries;
mod headers;
mod match_event;
mod members;
mod preset;
mod store_credential;
mod target;

use std::borrow::Cow;
use std::sync::Arc;

pub(super) use app_password::{AppPasswordInput, scopes};
pub(super) use create_webhook::CreateWebhook;
pub(super) use deliveries::{DeliveryInput, EventsInput, invalid_cursor};
pub(super) use match_event::MatchEvent;
pub(super) use preset::PresetInput;
pub(super) use store_credential::StoreCredential;
pub(super) use target::{ANYBODY, TargetInput, filter_warnings, invalid_uri, invalid_user};

/// Why the body of a request is refused, for the caller. It contains no part of a body that has a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InputError(Cow<'static, str>);

pub(super) fn refused(reason: impl Into<Cow<'static, str>>) -> InputError {
    InputError(reason.into())
}

/// Declares the kinds of requests, each of which is an [`Input`].
macro_rules! inputs {
    ($($kind:ident($input:ty)),*) => {
        /// A request. A stored credential is opened for the first kind, and for any other only by its endpoint.
        #[derive(Debug)]
        pub enum Input {
            $($kind($input),)*
        }

        $(impl From<$input> for Input {
            fn from(input: $input) -> Self {
                Self::$kind(input)
            }
        })*
    };
}

inputs!(
    Groupware(GroupwareInput),
    Credential(CredentialInput),
    LoginFlow(LoginFlowInput),
    Preset(PresetInput),
    Event(EventInput),
    Delivery(DeliveryInput)
);

/// A request to the groupware server (docs/API.md, sections 3 and 4).
#[derive(Clone, Debug)]
pub enum GroupwareInput {
    ListApps,
    ListWebhooks,
    CreateWebhook(Arc<CreateWebhook>),
    DeleteWebhook(i64),
}

/// A request about a credential (docs/API.md, sections 5, 10.2 and 10.3).
#[derive(Debug)]
pub enum CredentialInput {
    Store(StoreCredential),
    Status,
    /// Say who the caller is; with `ask`, ask the groupware server whether they are an administrator.
    Me {
        ask: bool,
    },
    /// List the accounts that come after this one, as an administrator.
    Users {
        after: Option<Box<str>>,
    },
    /// Remove it; with `revoke`, after revoking it at the groupware server.
    Delete {
        revoke: bool,
    },
    /// Read another user's credential, as an administrator.
    Read {
        user_id: Box<str>,
        /// The same with each `+` replaced by a space, if there are any: PHP's `urlencode` encodes paths like that.
        or_user_id: Option<Box<str>>,
        reveal: bool,
    },
    /// Report whether the token is valid and a credential is stored, in the front end's way.
    Session(Box<str>),
    /// Remove it, in the front end's way.
    Revoke(Box<str>),
    /// Remove all that is kept of a user, as an administrator.
    RemoveUser {
        user_id: Box<str>,
        revoke: bool,
    },
}

/// A request about a login flow (docs/API.md, section 5.5).
#[derive(Debug)]
pub enum LoginFlowInput {
    Start,
    Poll(Box<str>),
}

/// A request about the events of webhooks (docs/API.md, sections 4.7 and 4.8).
#[derive(Debug)]
pub enum EventInput {
    List,
    Match(MatchEvent),
}

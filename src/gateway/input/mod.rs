//! The parsed requests: one typed value per endpoint.
//!
//! The router makes an [`Input`] from the method and path, and from the body if the endpoint has one.
//! Nothing is parsed again after that.

mod app_password;
mod create_webhook;
mod deliveries;
mod match_event;
mod members;
mod preset;
mod store_credential;

use std::sync::Arc;

pub(super) use app_password::AppPasswordInput;
pub use create_webhook::{CreateWebhook, CreateWebhookError};
pub(super) use deliveries::{ANYBODY, warnings};
pub use deliveries::{
    DeliveryInput, DeliveryInputError, EventsInput, NewTarget, Replay, TargetChange,
};
pub use match_event::{MatchEvent, MatchEventError};
pub use preset::PresetInput;
pub use store_credential::{CredentialBodyError, StoreCredential};

/// A parsed request.
#[derive(Debug)]
#[non_exhaustive]
pub enum Input {
    /// A call of the groupware server, which needs a stored credential.
    Groupware(GroupwareInput),
    /// Any other request.
    Local(LocalInput),
}

/// A request for which no stored credential is opened, or only by its endpoint.
#[derive(Debug)]
#[non_exhaustive]
pub enum LocalInput {
    /// A request about a credential itself.
    Credential(CredentialInput),
    /// A request about a login flow.
    LoginFlow(LoginFlowInput),
    /// A request about presets of webhooks.
    Preset(PresetInput),
    /// A request about the events of webhooks, answered locally.
    Event(EventInput),
    /// A request about targets and deliveries.
    Delivery(DeliveryInput),
}

/// A request to the groupware server (docs/API.md, sections 3 and 4).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum GroupwareInput {
    /// List the apps that announce capabilities.
    ListApps,
    /// List all webhook registrations.
    ListWebhooks,
    /// Create a webhook registration.
    CreateWebhook(Arc<CreateWebhook>),
    /// Delete the webhook registration with this id.
    DeleteWebhook(i64),
}

/// A request about a credential (docs/API.md, sections 5, 10.2 and 10.3).
#[derive(Debug)]
#[non_exhaustive]
pub enum CredentialInput {
    /// Store an app password.
    Store(StoreCredential),
    /// Report whether one is stored.
    Status,
    /// Remove it; with `revoke`, after revoking it at the groupware server.
    Delete {
        /// Whether to revoke it at the groupware server.
        revoke: bool,
    },
    /// Read another user's credential, as an administrator.
    Read {
        /// The user.
        user_id: Box<str>,
        /// The same with each `+` replaced by a space, if there are any: PHP's `urlencode` encodes paths
        /// like that.
        or_user_id: Option<Box<str>>,
        /// Whether to include the password itself.
        reveal: bool,
    },
    /// Report whether the token is valid and a credential is stored, in the front end's way.
    Session {
        /// The user id in the path.
        user_id: Box<str>,
    },
    /// Remove it, in the front end's way.
    Revoke {
        /// The user id in the path.
        user_id: Box<str>,
    },
}

/// A request about a login flow, in which a user grants a credential on the groupware server's own page
/// (docs/API.md, section 5.5).
#[derive(Debug)]
#[non_exhaustive]
pub enum LoginFlowInput {
    /// Start one.
    Start,
    /// Report whether it was granted.
    Poll {
        /// The login flow.
        flow_id: Box<str>,
    },
}

/// A request about the events of webhooks (docs/API.md, sections 4.7 and 4.8).
#[derive(Debug)]
#[non_exhaustive]
pub enum EventInput {
    /// List the known events.
    List,
    /// Try a filter on an event.
    Match(MatchEvent),
}

// === impl Input ===

impl From<GroupwareInput> for Input {
    fn from(input: GroupwareInput) -> Self {
        Self::Groupware(input)
    }
}

/// The variant of [`LocalInput`] with each of these.
macro_rules! local {
    ($($variant:ident($input:ty)),*) => {$(
        impl From<$input> for Input {
            fn from(input: $input) -> Self {
                Self::Local(LocalInput::$variant(input))
            }
        }
    )*};
}

local!(
    Credential(CredentialInput),
    LoginFlow(LoginFlowInput),
    Preset(PresetInput),
    Event(EventInput),
    Delivery(DeliveryInput)
);

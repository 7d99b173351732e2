//! What a caller wants: one typed value per endpoint, parsed once.
//!
//! The router makes an [`Input`] from method and path, and from the body if the
//! endpoint has one. From there on nothing is parsed again.

mod app_password;
mod create_webhook;
mod match_event;
mod preset;
mod store_credential;

pub(super) use app_password::AppPasswordInput;
pub use create_webhook::{CreateWebhook, CreateWebhookError};
pub use match_event::{MatchEvent, MatchEventError};
pub use preset::PresetInput;
pub use store_credential::{CredentialBodyError, StoreCredential};

/// What a caller wants.
#[derive(Debug)]
#[non_exhaustive]
pub enum Input {
    /// Something of the groupware server, for which a stored credential is needed.
    Groupware(GroupwareInput),
    /// Something about a credential itself.
    Credential(CredentialInput),
    /// Something about a preset of webhooks.
    Preset(PresetInput),
    /// Something about the events that webhooks are for, which needs nobody else.
    Event(EventInput),
}

/// What a caller wants of the groupware server (docs/API.md, sections 3 and 4).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum GroupwareInput {
    /// The apps installed there.
    ListApps,
    /// All webhook registrations.
    ListWebhooks,
    /// A new webhook registration.
    CreateWebhook(CreateWebhook),
    /// The end of the webhook registration with this id.
    DeleteWebhook(i64),
}

/// What a caller wants with a credential (docs/API.md, sections 5, 10.2 and 10.3).
#[derive(Debug)]
#[non_exhaustive]
pub enum CredentialInput {
    /// To store an app password.
    Store(StoreCredential),
    /// To know whether one is stored.
    Status,
    /// To have it removed and, with `revoke`, destroyed at the groupware server before.
    Delete {
        /// Whether it is to be destroyed.
        revoke: bool,
    },
    /// To read that of another user, as an administrator.
    Read {
        /// The user.
        user_id: Box<str>,
        /// The same with a blank for each `+`, if it has one: as PHP's `urlencode` writes a path.
        or_user_id: Option<Box<str>>,
        /// Whether the password itself is to be shown.
        reveal: bool,
    },
    /// To know, as the front end does, whether the token is good and one is stored.
    Session {
        /// Who the caller is, as the path says.
        user_id: Box<str>,
    },
    /// To have it removed, as the front end does.
    Revoke {
        /// Who the caller is, as the path says.
        user_id: Box<str>,
    },
    /// To grant one on the groupware server's own page.
    StartLoginFlow,
    /// To know whether that was granted.
    PollLoginFlow {
        /// The login flow.
        flow_id: Box<str>,
    },
}

/// What a caller wants to know of the events that webhooks are for (docs/API.md, sections 4.7 and 4.8).
#[derive(Debug)]
#[non_exhaustive]
pub enum EventInput {
    /// Which there are.
    List,
    /// What a filter would do with one.
    Match(MatchEvent),
}

// === impl Input ===

impl From<GroupwareInput> for Input {
    fn from(input: GroupwareInput) -> Self {
        Self::Groupware(input)
    }
}

impl From<CredentialInput> for Input {
    fn from(input: CredentialInput) -> Self {
        Self::Credential(input)
    }
}

impl From<PresetInput> for Input {
    fn from(input: PresetInput) -> Self {
        Self::Preset(input)
    }
}

impl From<EventInput> for Input {
    fn from(input: EventInput) -> Self {
        Self::Event(input)
    }
}

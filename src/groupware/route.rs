//! The endpoints of the groupware server that are called.

use http::Method;

/// The endpoint of a call. It determines the meaning of a status of the answer, and is the name of the
/// call in the log and in metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u8)]
pub enum Route {
    /// Get the capabilities.
    Capabilities,
    /// List the webhook registrations.
    Webhooks,
    /// Create a webhook registration.
    CreateWebhook,
    /// Delete a webhook registration.
    DeleteWebhook,
    /// Get the account's details.
    User,
    /// Revoke an app password.
    AppPassword,
    /// Start a login flow.
    StartLoginFlow,
    /// Poll a login flow.
    PollLoginFlow,
}

// === impl Route ===

impl Route {
    /// All of them, in the order of their discriminants.
    pub const ALL: [Self; 8] = [
        Self::Capabilities,
        Self::Webhooks,
        Self::CreateWebhook,
        Self::DeleteWebhook,
        Self::User,
        Self::AppPassword,
        Self::StartLoginFlow,
        Self::PollLoginFlow,
    ];

    /// Its name in the log and in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Capabilities => "capabilities",
            Self::Webhooks => "webhooks",
            Self::CreateWebhook => "create_webhook",
            Self::DeleteWebhook => "delete_webhook",
            Self::User => "user",
            Self::AppPassword => "delete_app_password",
            Self::StartLoginFlow => "start_login_flow",
            Self::PollLoginFlow => "poll_login_flow",
        }
    }

    pub(super) fn method(self) -> Method {
        match self {
            Self::Capabilities | Self::Webhooks | Self::User => Method::GET,
            Self::CreateWebhook | Self::StartLoginFlow | Self::PollLoginFlow => Method::POST,
            Self::DeleteWebhook | Self::AppPassword => Method::DELETE,
        }
    }

    pub(super) fn is_of_webhooks(self) -> bool {
        matches!(
            self,
            Self::Webhooks | Self::CreateWebhook | Self::DeleteWebhook
        )
    }

    /// Whether the server answers it successfully to everyone, authenticated or not.
    pub(super) fn is_public(self) -> bool {
        self == Self::Capabilities
    }

    /// Whether the answer must be for the calling account. Only revoking an app password does not
    /// depend on the account.
    pub(super) fn is_of_one_account(self) -> bool {
        self != Self::AppPassword
    }
}

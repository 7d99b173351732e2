//! What the groupware server is asked for.

/// What a call asks the server for. It decides what a status of the answer means, and it names the
/// call in the log and in metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u8)]
pub enum Route {
    /// What the server can do.
    Capabilities,
    /// All webhook registrations.
    Webhooks,
    /// A new webhook registration.
    CreateWebhook,
    /// The end of a webhook registration.
    DeleteWebhook,
    /// Whose account it is.
    User,
    /// The end of an app password.
    AppPassword,
    /// The start of a login flow.
    StartLoginFlow,
    /// Whether a login flow was granted.
    PollLoginFlow,
}

// === impl Route ===

impl Route {
    /// All of them, each at the place of its number.
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

    pub(super) fn is_of_webhooks(self) -> bool {
        matches!(
            self,
            Self::Webhooks | Self::CreateWebhook | Self::DeleteWebhook
        )
    }

    /// Whether the server answers it with a success to everybody, logged in or not.
    pub(super) fn is_public(self) -> bool {
        self == Self::Capabilities
    }

    /// Whether the answer must be for the account that asked. Only the end of an app password
    /// does not depend on whose it was.
    pub(super) fn is_of_one_account(self) -> bool {
        self != Self::AppPassword
    }
}

//! The endpoints of the groupware server that are called.

use http::Method;

use crate::labels::labels;

/// The path of the registrations, with the query that each call has.
pub(super) const WEBHOOKS: &str = "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks?format=json";

labels! {
    /// The endpoint of a call: it gives the status of an answer its meaning, and is its name in the log and in metrics.
    pub enum Route {
        Capabilities = "capabilities",
        /// List the webhook registrations.
        Webhooks = "webhooks",
        CreateWebhook = "create_webhook",
        DeleteWebhook = "delete_webhook",
        /// Get the account's details.
        User = "user",
        AppPassword = "delete_app_password",
        StartLoginFlow = "start_login_flow",
        PollLoginFlow = "poll_login_flow",
        /// Get the public status.
        Status = "status",
    }
}

impl Route {
    /// Those that change something which outlasts the request and its answer: a poll takes the granted password away.
    pub(crate) const WRITES: [Self; 4] =
        [Self::CreateWebhook, Self::DeleteWebhook, Self::AppPassword, Self::PollLoginFlow];

    /// Its path below the address of the server; that of an item begins like this.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Capabilities => "/ocs/v2.php/cloud/capabilities?format=json",
            Self::Webhooks | Self::CreateWebhook | Self::DeleteWebhook => WEBHOOKS,
            Self::User => "/ocs/v2.php/cloud/user?format=json",
            Self::AppPassword => "/ocs/v2.php/core/apppassword?format=json",
            Self::StartLoginFlow | Self::PollLoginFlow => "/index.php/login/v2",
            Self::Status => "/status.php",
        }
    }

    pub(super) fn method(self) -> Method {
        match self {
            Self::Capabilities | Self::Webhooks | Self::User | Self::Status => Method::GET,
            Self::CreateWebhook | Self::StartLoginFlow | Self::PollLoginFlow => Method::POST,
            Self::DeleteWebhook | Self::AppPassword => Method::DELETE,
        }
    }

    pub(super) fn is_of_webhooks(self) -> bool {
        matches!(self, Self::Webhooks | Self::CreateWebhook | Self::DeleteWebhook)
    }

    /// Whether the server answers it successfully to everyone, authenticated or not.
    pub(super) fn is_public(self) -> bool {
        self == Self::Capabilities
    }
}

//! A request about a credential, with everything that its endpoint needs.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::json;

use crate::audit::{Action, Attempt};
use crate::gateway::endpoint::answer::{self, Answer};
use crate::gateway::endpoint::services::Services;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::{AdminPolicy, Error, Logins, User};
use crate::groupware::Groupware;

pub(super) const NOTHING_STORED: &str = "No app password was stored";

/// One request. Each endpoint is a method of it, in its own file.
pub(in crate::gateway::endpoint) struct CredentialRequest {
    services: Arc<Services>,
    context: RequestContext,
    pub(super) user: User,
}

// === impl CredentialRequest ===

impl CredentialRequest {
    pub(in crate::gateway::endpoint) fn new(
        services: Arc<Services>,
        context: RequestContext,
    ) -> Result<Self, Error> {
        let user = context.principal().require_user()?.clone();
        Ok(Self {
            services,
            context,
            user,
        })
    }

    pub(super) fn services(&self) -> &Arc<Services> {
        &self.services
    }

    /// Runs `attempted`, an action on the stored data of `user_id`, and records how it ended. A task
    /// that continues after the caller has disconnected ends the attempt itself.
    pub(super) async fn audited<F>(
        &self,
        action: Action,
        user_id: &str,
        attempted: impl FnOnce(Attempt) -> F,
    ) -> Result<Answer, Error>
    where
        F: Future<Output = Result<Answer, Error>>,
    {
        let attempt = self
            .services
            .auditor(&self.context)
            .attempt(action)
            .user(user_id);
        audited(&attempt, attempted(attempt.clone())).await
    }

    /// The caller's account.
    pub(super) fn user_id(&self) -> &str {
        self.user.user_id()
    }

    pub(super) fn client_address(&self) -> Option<IpAddr> {
        self.context.client_address()
    }

    pub(super) fn groupware(&self) -> Result<Groupware, Error> {
        self.services.groupware()
    }

    pub(super) fn logins(&self) -> &Logins {
        &self.services.logins
    }

    pub(super) fn administrators(&self) -> &AdminPolicy {
        &self.services.administrators
    }
}

/// Records how `attempted` ended.
pub(in crate::gateway::endpoint) async fn audited<T>(
    attempt: &Attempt,
    attempted: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let ended = attempted.await;
    Error::audit(attempt, &ended);
    ended
}

/// Whether a credential can be used for calls: not while it is suspended.
pub(super) fn has_access(suspended_at: Option<SystemTime>) -> bool {
    suspended_at.is_none()
}

/// RFC 3339 in UTC, to the second.
pub(super) fn rfc3339(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

/// The message after a removal; `existed` is whether there was anything to remove.
pub(in crate::gateway::endpoint) fn removed(existed: bool) -> &'static str {
    if existed {
        "App password removed"
    } else {
        NOTHING_STORED
    }
}

/// The answer 200 that says what was done.
pub(in crate::gateway::endpoint) fn done(message: &str) -> Answer {
    answer(&json!({"success": true, "message": message}))
}

/// The answer 200 with a JSON body.
pub(super) fn answer(body: &serde_json::Value) -> Answer {
    answer::json(body.to_string())
}

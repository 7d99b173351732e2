//! A request about a credential, with everything that its endpoint needs.

use std::sync::Arc;

use crate::audit::{Action, Attempt};
use crate::gateway::endpoint::services::Services;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::{Error, User};

pub(super) const NOTHING_STORED: &str = "No app password was stored";

/// One request. Each endpoint is a method of it, in its own file.
pub(in crate::gateway::endpoint) struct CredentialRequest {
    pub(super) services: Arc<Services>,
    pub(super) context: RequestContext,
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

    /// An attempt on the stored data of `user_id`.
    pub(super) fn attempt(&self, action: Action, user_id: &str) -> Attempt {
        let auditor = self.services.auditor(&self.context);
        auditor.attempt(action).user(user_id)
    }

    /// The caller's account.
    pub(super) fn user_id(&self) -> &str {
        self.user.user_id()
    }
}

/// The message after a removal; `existed` is whether there was anything to remove.
pub(in crate::gateway::endpoint) fn removed(existed: bool) -> &'static str {
    if existed {
        "App password removed"
    } else {
        NOTHING_STORED
    }
}

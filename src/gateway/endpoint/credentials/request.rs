//! A request about a credential, with everything its endpoint works with.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::json;

use super::admin_policy::AdminPolicy;
use crate::gateway::endpoint::answer::{self, Answer};
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::{Error, Logins};
use crate::groupware::{BaseUrl, Groupware};
use crate::vault::Store;

/// What all requests share.
#[derive(Debug)]
pub(super) struct Services<St: Store> {
    pub(super) groupware: Option<Groupware>,
    pub(super) logins: Logins<St>,
    pub(super) administrators: AdminPolicy,
    pub(super) groupware_public_url: Option<BaseUrl>,
}

/// One request. Each endpoint is a method of it, in the file of its topic.
pub(super) struct CredentialRequest<St: Store> {
    services: Arc<Services<St>>,
    pub(super) context: RequestContext,
}

// === impl CredentialRequest ===

impl<St: Store> CredentialRequest<St> {
    pub(super) fn new(services: Arc<Services<St>>, context: RequestContext) -> Self {
        Self { services, context }
    }

    /// The caller's account.
    pub(super) fn user_id(&self) -> &str {
        self.context.caller().user_id()
    }

    pub(super) fn client_address(&self) -> Option<IpAddr> {
        self.context.client_address()
    }

    pub(super) fn groupware(&self) -> Result<Groupware, Error> {
        self.services.groupware.clone().ok_or(Error::NotConfigured)
    }

    pub(super) fn logins(&self) -> &Logins<St> {
        &self.services.logins
    }

    pub(super) fn administrators(&self) -> &AdminPolicy {
        &self.services.administrators
    }

    pub(super) fn groupware_public_url(&self) -> Option<&BaseUrl> {
        self.services.groupware_public_url.as_ref()
    }
}

/// Whether calls can be made with a credential: not while it is suspended.
pub(super) fn has_access(suspended_at: Option<SystemTime>) -> bool {
    suspended_at.is_none()
}

/// RFC 3339 in UTC, to the second.
pub(super) fn rfc3339(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

/// The answer 200 that says what was done.
pub(super) fn done(message: &str) -> Answer {
    answer(&json!({"success": true, "message": message}))
}

/// The answer 200 with a JSON body.
pub(super) fn answer(body: &serde_json::Value) -> Answer {
    answer::json(body.to_string())
}

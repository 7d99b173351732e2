//! The endpoints that store, show and remove app passwords, and let users grant them on the groupware
//! server's own page (docs/API.md, sections 5, 10.2 and 10.3).

mod administrator;
mod login_flow;
mod own;
mod pickup;

use std::sync::Arc;

use super::answer::Answer;
use super::services::Services;
use crate::audit::{Action, Attempt};
use crate::gateway::input::CredentialInput;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::{Error, User};

pub(super) use login_flow::LoginFlows;

const NOTHING_STORED: &str = "No app password was stored";

/// One request. Each endpoint is a method of it.
pub(crate) struct CredentialRequest {
    pub(super) services: Arc<Services>,
    pub(super) context: RequestContext,
    pub(super) user: User,
}

impl CredentialRequest {
    pub(crate) fn new(services: Arc<Services>, context: RequestContext) -> Result<Self, Error> {
        let user = context.principal.require_user()?.clone();
        Ok(Self { services, context, user })
    }

    pub(super) fn attempt(&self, action: Action, user_id: &str) -> Attempt {
        let auditor = self.services.auditor(&self.context);
        auditor.attempt(action).user(user_id)
    }

    pub(super) async fn answer(&self, input: CredentialInput) -> Result<Answer, Error> {
        let own = self.user.user_id();
        match input {
            CredentialInput::Store(wanted) => self.store(wanted).await,
            CredentialInput::Status => self.status().await,
            CredentialInput::Me { ask } => self.me(ask).await,
            CredentialInput::Users { after } => self.users(after.as_deref()).await,
            CredentialInput::Delete { revoke: false } => self.remove(own).await,
            CredentialInput::Delete { revoke: true } => self.revoke().await,
            CredentialInput::Read { user_id, or_user_id, reveal } => {
                self.read(&user_id, or_user_id.as_deref(), reveal).await
            }
            CredentialInput::Session(user_id) => self.session(&user_id).await,
            CredentialInput::RemoveUser { user_id, revoke } => {
                self.remove_user(&user_id, revoke).await
            }
            CredentialInput::Revoke(user_id) => self.remove(&user_id).await,
        }
    }
}

/// The message after a removal; `existed` is whether there was anything to remove.
pub(crate) fn removed(existed: bool) -> &'static str {
    if existed { "App password removed" } else { NOTHING_STORED }
}

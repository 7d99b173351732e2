//! The endpoints that store, show and remove app passwords, and let users grant them on the groupware
//! server's own page (docs/API.md, sections 5, 10.2 and 10.3).

mod administrator;
mod login_flow;
mod own;
mod pickup;
mod request;
mod session;

use super::answer::Answer;
use crate::audit::Action;
use crate::gateway::Error;
use crate::gateway::input::CredentialInput;

pub(super) use login_flow::LoginFlows;
pub(super) use request::{CredentialRequest, removed};

// === impl CredentialRequest ===

impl CredentialRequest {
    pub(super) async fn answer(&self, input: CredentialInput) -> Result<Answer, Error> {
        let own = self.user_id();
        match input {
            CredentialInput::Store(wanted) => {
                let attempt = self.attempt(Action::StoreCredential, own);
                self.store(wanted, attempt).await
            }
            CredentialInput::Status => self.status().await,
            CredentialInput::Delete { revoke: false } => {
                let attempt = self.attempt(Action::RemoveCredential, own);
                self.remove(attempt).await
            }
            CredentialInput::Delete { revoke: true } => {
                let attempt = self.attempt(Action::RevokeCredential, own);
                self.revoke(attempt).await
            }
            CredentialInput::Read {
                user_id,
                or_user_id,
                reveal,
            } => self.read(&user_id, or_user_id.as_deref(), reveal).await,
            CredentialInput::Session { user_id } => self.session(&user_id).await,
            CredentialInput::Revoke { user_id } => {
                let attempt = self.attempt(Action::RemoveCredential, &user_id);
                self.remove_own(&user_id, attempt).await
            }
        }
    }
}

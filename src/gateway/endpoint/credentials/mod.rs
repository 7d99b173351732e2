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
pub(super) use request::{CredentialRequest, audited, done, removed};

// === impl CredentialRequest ===

impl CredentialRequest {
    pub(super) async fn answer(&self, input: CredentialInput) -> Result<Answer, Error> {
        let own = self.user_id();
        match input {
            CredentialInput::Store(wanted) => {
                let action = Action::StoreCredential;
                self.audited(action, own, |it| self.store(wanted, it)).await
            }
            CredentialInput::Status => self.status().await,
            CredentialInput::Delete { revoke: false } => {
                let action = Action::RemoveCredential;
                self.audited(action, own, |it| self.remove(it)).await
            }
            CredentialInput::Delete { revoke: true } => {
                let action = Action::RevokeCredential;
                self.audited(action, own, |it| self.revoke(it)).await
            }
            CredentialInput::Read {
                user_id,
                or_user_id,
                reveal,
            } => {
                let action = if reveal {
                    Action::RevealCredential
                } else {
                    Action::ReadCredential
                };
                let read = |it| self.read(&user_id, or_user_id.as_deref(), reveal, it);
                self.audited(action, &user_id, read).await
            }
            CredentialInput::Session { user_id } => self.session(&user_id).await,
            CredentialInput::Revoke { user_id } => {
                let remove = |it| self.remove_own(&user_id, it);
                self.audited(Action::RemoveCredential, &user_id, remove)
                    .await
            }
        }
    }
}

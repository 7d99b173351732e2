//! The front end's requests about a user who has a token (docs/API.md, sections 10.2 and 10.3).

use serde_json::json;

use super::request::CredentialRequest;
use crate::audit::Attempt;
use crate::gateway::Error;
use crate::gateway::endpoint::answer::{self, Answer, rfc3339};

impl CredentialRequest {
    /// Shows the session of `user_id`, who must be the caller.
    ///
    /// The front end discards the user's token on any answer but a 200, and a new one would not help if
    /// the vault fails. So if the vault cannot be read, the session has no background access, which is
    /// what every other endpoint would find.
    pub(super) async fn session(&self, user_id: &str) -> Result<Answer, Error> {
        self.check_is_own(user_id)?;
        let metadata = match self.services.logins.vault().metadata(user_id).await {
            Ok(metadata) => metadata,
            Err(error) => {
                self.services.unread_sessions.count(&error);
                None
            }
        };
        let granted = metadata.filter(|stored| stored.suspended_at().is_none());
        let mut session = json!({
            "session_id": user_id,
            "background_access_granted": granted.is_some(),
        });
        if let Some(stored) = granted {
            let granted_at = rfc3339(stored.provisioned_at());
            session["background_access_details"] = json!({"granted_at": granted_at});
        }
        Ok(answer::to_json(&session))
    }

    /// Removes the credential of `user_id`, who must be the caller.
    pub(super) async fn remove_own(
        &self,
        user_id: &str,
        attempt: Attempt,
    ) -> Result<Answer, Error> {
        if let Err(error) = self.check_is_own(user_id) {
            return Error::audit(&attempt, Err(error));
        }
        self.remove(attempt).await
    }

    fn check_is_own(&self, user_id: &str) -> Result<(), Error> {
        let is_own = user_id == self.user_id();
        is_own.then_some(()).ok_or(Error::OtherUser)
    }
}

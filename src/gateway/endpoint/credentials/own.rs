//! Storing, reading and removing the caller's own credential (docs/API.md, sections 5.1 to 5.3), and the
//! same in the way of the front end (sections 10.2 and 10.3).

use serde_json::json;

use super::{CredentialRequest, NOTHING_STORED, removed};
use crate::audit::Action;
use crate::gateway::Error;
use crate::gateway::endpoint::answer::{self, Answer, done, rfc3339};
use crate::gateway::input::StoreCredential;
use crate::gateway::login::{Candidate, Revocation, Source};
use crate::vault::{Login, Metadata};

const REFUSED_BY_BASIC: &str = "The groupware server refused this app password by HTTP Basic, and calls are made with \
    it as a bearer token: if it was made under another login name than the account id, store it again with loginName";

impl CredentialRequest {
    pub(super) async fn store(&self, wanted: StoreCredential) -> Result<Answer, Error> {
        let (user_id, address) = (self.user.user_id(), self.context.client_address);
        let attempt = self.attempt(Action::StoreCredential, user_id);
        let name = wanted.login_name.unwrap_or_else(|| user_id.into());
        let password = wanted.password;
        let candidate = Candidate { login: Login { name, password }, source: Source::User };
        let (logins, groupware) = (&self.services.logins, self.services.groupware.clone());
        let metadata = logins.enroll(groupware, user_id, address, candidate, attempt).await?;
        Ok(answer::to_json(&json!({
            "success": true,
            "message": "App password stored",
            "credential_type": Metadata::CREDENTIAL_TYPE,
            "provisioned_at": rfc3339(metadata.provisioned_at),
        })))
    }

    pub(super) async fn status(&self) -> Result<Answer, Error> {
        let vault = self.services.logins.vault();
        let found = vault.metadata(self.user.user_id()).await?;
        let metadata = found.as_ref();
        let has_access = metadata.is_some_and(|stored| stored.suspended_at.is_none());
        let mut status = json!({
            "has_background_access": has_access,
            "credential_type": metadata.map(|_| Metadata::CREDENTIAL_TYPE),
            "provisioned_at": metadata.map(|stored| rfc3339(stored.provisioned_at)),
        });
        if has_access && metadata.is_some_and(|stored| stored.is_refused_by_basic) {
            status["warnings"] = json!([REFUSED_BY_BASIC]);
        }
        Ok(answer::to_json(&status))
    }

    pub(super) async fn me(&self, ask: bool) -> Result<Answer, Error> {
        let services = &self.services;
        let found = services.logins.vault().metadata(self.user.user_id()).await?;
        let suspended_at = found.as_ref().and_then(|stored| stored.suspended_at);
        let since = suspended_at.or(found.as_ref().map(|stored| stored.provisioned_at));
        let is_administrator = match (&services.administrators.scope, ask) {
            (None, false) => None,
            _ => Some(services.is_administrator(&self.context).await?),
        };
        let has_server = services.groupware.is_some();
        Ok(answer::to_json(&json!({
            "account": self.user.user_id(),
            "app_password": state(found.is_some(), suspended_at.is_some()),
            "login_name": found.as_ref().map(|stored| &stored.login_name),
            "since": since.map(rfc3339),
            "administrator": is_administrator,
            "parts": {
                "webhooks": has_server,
                "presets": has_server,
                "login_flow": has_server,
                "deliveries": services.deliveries.is_some(),
            },
        })))
    }

    /// Removes the credential of `user_id`, who must be the caller.
    pub(super) async fn remove(&self, user_id: &str) -> Result<Answer, Error> {
        let attempt = self.attempt(Action::RemoveCredential, user_id);
        if let Err(error) = self.check_is_own(user_id) {
            return Error::audit(&attempt, Err(error));
        }
        Ok(done(removed(self.services.logins.remove(user_id, attempt).await?)))
    }

    pub(super) async fn revoke(&self) -> Result<Answer, Error> {
        let (user_id, address) = (self.user.user_id(), self.context.client_address);
        let attempt = self.attempt(Action::RevokeCredential, user_id);
        let (logins, groupware) = (&self.services.logins, self.services.groupware.clone());
        let revoked = logins.revoke(groupware, user_id, address, attempt);
        Ok(done(match revoked.await? {
            Revocation::Destroyed => "App password destroyed at the groupware server and removed",
            Revocation::WasRefused => {
                "App password removed; the groupware server refused it already"
            }
            Revocation::NothingStored => NOTHING_STORED,
        }))
    }

    /// Shows the session of `user_id`, who must be the caller.
    ///
    /// The front end discards the user's token on any answer but a 200, and a new one would not help if the vault fails. So
    /// if the vault cannot be read, the session has no background access, which is what every other endpoint would find.
    pub(super) async fn session(&self, user_id: &str) -> Result<Answer, Error> {
        self.check_is_own(user_id)?;
        let metadata = match self.services.logins.vault().metadata(user_id).await {
            Ok(metadata) => metadata,
            Err(error) => {
                self.services.unread_sessions.count(&error);
                None
            }
        };
        let granted = metadata.filter(|stored| stored.suspended_at.is_none());
        let mut session = json!({
            "session_id": user_id,
            "background_access_granted": granted.is_some(),
        });
        if let Some(stored) = granted {
            let granted_at = rfc3339(stored.provisioned_at);
            session["background_access_details"] = json!({"granted_at": granted_at});
        }
        Ok(answer::to_json(&session))
    }

    fn check_is_own(&self, user_id: &str) -> Result<(), Error> {
        let is_own = user_id == self.user.user_id();
        is_own.then_some(()).ok_or(Error::OtherUser)
    }
}

pub(super) fn state(is_stored: bool, is_suspended: bool) -> &'static str {
    match (is_stored, is_suspended) {
        (false, _) => "none",
        (true, false) => "stored",
        (true, true) => "suspended",
    }
}

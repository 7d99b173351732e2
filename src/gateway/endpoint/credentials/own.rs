//! Storing, reading and removing the caller's own credential (docs/API.md, sections 5.1 to 5.3).

use serde_json::json;

use super::request::{CredentialRequest, NOTHING_STORED, removed};
use crate::audit::Attempt;
use crate::gateway::Error;
use crate::gateway::endpoint::answer::{self, Answer, done, rfc3339};
use crate::gateway::endpoint::services::Services;
use crate::gateway::input::StoreCredential;
use crate::gateway::login::{Candidate, Revocation, Source};
use crate::vault::{Login, Metadata};

const REFUSED_BY_BASIC: &str = "The groupware server refused this app password by HTTP Basic, and calls are made with \
    it as a bearer token: if it was made under another login name than the account id, store it again with loginName";

impl CredentialRequest {
    /// Stores a password after the groupware server has confirmed that it is the caller's.
    pub(super) async fn store(
        &self,
        wanted: StoreCredential,
        attempt: Attempt,
    ) -> Result<Answer, Error> {
        let name = wanted.login_name.unwrap_or_else(|| self.user_id().into());
        let password = wanted.password;
        let candidate = Candidate {
            login: Login { name, password },
            source: Source::User,
        };
        let Services {
            groupware, logins, ..
        } = &*self.services;
        let (user_id, address) = (self.user_id(), self.context.client_address());
        let enrolled = logins.enroll(groupware.clone(), user_id, address, candidate, attempt);
        let metadata = enrolled.await?;
        Ok(answer::to_json(&json!({
            "success": true,
            "message": "App password stored",
            "credential_type": metadata.credential_type(),
            "provisioned_at": rfc3339(metadata.provisioned_at()),
        })))
    }

    pub(super) async fn status(&self) -> Result<Answer, Error> {
        let vault = self.services.logins.vault();
        let metadata = vault.metadata(self.user_id()).await?;
        let metadata = metadata.as_ref();
        let has_access = metadata.is_some_and(|stored| stored.suspended_at().is_none());
        let mut status = json!({
            "has_background_access": has_access,
            "credential_type": metadata.map(Metadata::credential_type),
            "provisioned_at": metadata.map(|stored| rfc3339(stored.provisioned_at())),
        });
        if has_access && metadata.is_some_and(Metadata::is_refused_by_basic) {
            status["warnings"] = json!([REFUSED_BY_BASIC]);
        }
        Ok(answer::to_json(&status))
    }

    pub(super) async fn remove(&self, attempt: Attempt) -> Result<Answer, Error> {
        let removal = self.services.logins.remove(self.user_id(), attempt);
        Ok(done(removed(removal.await?)))
    }

    pub(super) async fn revoke(&self, attempt: Attempt) -> Result<Answer, Error> {
        let Services {
            groupware, logins, ..
        } = &*self.services;
        let (user_id, address) = (self.user_id(), self.context.client_address());
        let revoked = logins.revoke(groupware.clone(), user_id, address, attempt);
        Ok(done(match revoked.await? {
            Revocation::Destroyed => "App password destroyed at the groupware server and removed",
            Revocation::WasRefused => {
                "App password removed; the groupware server refused it already"
            }
            Revocation::NothingStored => NOTHING_STORED,
        }))
    }
}

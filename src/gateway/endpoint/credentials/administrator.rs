//! The credentials of others, for administrators (docs/API.md, sections 2.5 and 5.4).

use bytes::Bytes;
use serde::Serialize;
use zeroize::Zeroizing;

use super::request::CredentialRequest;
use crate::gateway::endpoint::answer::{Answer, json, rfc3339};
use crate::gateway::endpoint::services::Services;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::{Error, User};
use crate::groupware::{Access, AccountInfo, notes};
use crate::vault::Metadata;

impl CredentialRequest {
    /// Reads the credential of `user_id`, or of `or_user_id` if there is none; with `reveal` including
    /// the password itself.
    pub(super) async fn read(
        &self,
        user_id: &str,
        or_user_id: Option<&str>,
        reveal: bool,
    ) -> Result<Answer, Error> {
        #[derive(Serialize)]
        struct Body<'a> {
            user_id: &'a str,
            login_name: &'a str,
            has_background_access: bool,
            credential_type: &'a str,
            provisioned_at: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            app_password: Option<&'a str>,
        }

        self.check_administrator().await?;
        if reveal && !self.services.administrators.reveal {
            return Err(Error::RevealOff);
        }
        let vault = self.services.logins.vault();
        let credential = match (vault.credential(user_id).await?, or_user_id) {
            (None, Some(user_id)) => vault.credential(user_id).await?,
            (found, _) => found,
        };
        let credential = credential.ok_or(Error::NoCredential)?;
        if let Some(attempt) = notes::current().as_ref().and_then(|notes| notes.attempt()) {
            attempt.found_user(credential.user_id());
        }
        let credential = Body {
            user_id: credential.user_id(),
            login_name: credential.login_name(),
            has_background_access: credential.suspended_at().is_none(),
            credential_type: Metadata::CREDENTIAL_TYPE,
            provisioned_at: rfc3339(credential.provisioned_at()),
            app_password: reveal.then(|| credential.password().expose()),
        };
        // Allocated once: a growing vector would leave copies of the password behind.
        let mut body = Zeroizing::new(Vec::with_capacity(4096));
        serde_json::to_writer(&mut *body, &credential)
            .map_err(|error| Error::Other(error.into()))?;
        Ok(json(Bytes::from_owner(body)))
    }

    async fn check_administrator(&self) -> Result<(), Error> {
        match self.services.is_administrator(&self.context).await? {
            true => Ok(()),
            false => Err(Error::NotAdministrator),
        }
    }
}

// === impl Services ===

impl Services {
    /// Whether the caller is an administrator.
    pub(in crate::gateway::endpoint) async fn is_administrator(
        &self,
        context: &RequestContext,
    ) -> Result<bool, Error> {
        let user = context.principal().require_user()?;
        match &self.administrators.scope {
            Some(scope) => Ok(user.has_scope(scope)),
            None => self.is_in_group(user, context).await,
        }
    }

    /// Asks the groupware server, with the caller's own credential; a caller without one is not an
    /// administrator.
    async fn is_in_group(&self, user: &User, context: &RequestContext) -> Result<bool, Error> {
        let groupware = self.groupware()?;
        let client_address = context.client_address();
        let mut call = |access: Access| async move {
            let reply = access.user().await;
            Ok::<_, Error>(reply.and_then(|user: AccountInfo| Ok(user.is_administrator())))
        };
        let user_id = user.user_id();
        let logins = &self.logins;
        let asked = logins.use_stored(user_id, &groupware, client_address, &mut call);
        match asked.await {
            Err(Error::NotProvisioned) => Ok(false),
            asked => asked,
        }
    }
}

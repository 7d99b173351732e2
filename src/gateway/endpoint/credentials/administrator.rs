//! The credentials of others, for administrators (docs/API.md, sections 2.5, 5.4 and 5.7).

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::OptionFuture;
use serde::Serialize;
use serde_json::json;
use zeroize::Zeroizing;

use super::CredentialRequest;
use super::own::state;
use crate::audit::Action;
use crate::deliveries::queue::MAX_PAGE;
use crate::gateway::Error;
use crate::gateway::endpoint::answer::{self, Answer, json, rfc3339};
use crate::gateway::endpoint::services::Services;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::login::Revocation;
use crate::gateway::makers::is_member;
use crate::groupware::notes;
use crate::vault::{Metadata, StoredCredential};

/// What is left to do, wherever the gateway cannot.
const LEFT: [&str; 2] = [
    "Disable the account at the identity provider and at the groupware server",
    "Revoke its static tokens: portreeve users remove does so where their file is",
];

impl CredentialRequest {
    /// Reads the credential of `user_id`, or of `or_user_id` if there is none; with `reveal` including the password itself.
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

        if !self.services.is_administrator(&self.context).await? {
            return Err(Error::NotAdministrator);
        }
        if reveal && !self.services.administrators.reveal {
            return Err(Error::RevealOff);
        }
        let vault = self.services.logins.vault();
        let found = match (vault.credential(user_id).await?, or_user_id) {
            (None, Some(user_id)) => vault.credential(user_id).await?,
            (found, _) => found,
        };
        let credential = found.ok_or(Error::NoCredential)?;
        if let Some(attempt) = notes::current().as_ref().and_then(|notes| notes.attempt()) {
            attempt.found_user(&credential.user_id);
        }
        let shown = Body {
            user_id: &credential.user_id,
            login_name: &credential.login_name,
            has_background_access: credential.suspended_at.is_none(),
            credential_type: Metadata::CREDENTIAL_TYPE,
            provisioned_at: rfc3339(credential.provisioned_at),
            app_password: reveal.then(|| credential.password.expose()),
        };
        // Allocated once: a growing vector would leave copies of the password behind.
        let mut body = Zeroizing::new(Vec::with_capacity(4096));
        serde_json::to_writer(&mut *body, &shown).map_err(|error| Error::Other(error.into()))?;
        Ok(json(Bytes::from_owner(body)))
    }

    /// The accounts after `after` that have an app password or targets, in the order of their ids.
    pub(super) async fn users(&self, after: Option<&str>) -> Result<Answer, Error> {
        if !self.services.is_administrator(&self.context).await? {
            return Err(Error::NotAdministrator);
        }
        let mut users = BTreeMap::<Arc<str>, (Option<StoredCredential>, u64)>::new();
        for stored in self.services.logins.vault().stored_after(after, MAX_PAGE).await? {
            users.insert(stored.user_id().clone(), (Some(stored), 0));
        }
        if let Some(deliveries) = &self.services.deliveries {
            let counts = deliveries.queue().target_counts(after.unwrap_or_default(), MAX_PAGE);
            for (account, targets) in counts.await? {
                users.entry(account.into()).or_default().1 = targets;
            }
        }
        // Beyond the last one of a full page, the other list may lack some.
        let last = users.keys().nth(MAX_PAGE - 1).map(|account| &**account);
        let page = users.iter().take(MAX_PAGE).map(|(account, (stored, targets))| {
            let suspended_at = stored.as_ref().and_then(StoredCredential::suspended_at);
            json!({
                "account": &**account,
                "app_password": state(stored.is_some(), suspended_at.is_some()),
                "suspended_at": suspended_at.map(rfc3339),
                "targets": targets,
            })
        });
        let page: Vec<_> = page.collect();
        Ok(answer::to_json(&json!({"users": page, "cursor": last})))
    }

    /// Removes all that there is, as far as that can be done: the error is the first one, and a repetition goes on.
    pub(super) async fn remove_user(&self, user_id: &str, revoke: bool) -> Result<Answer, Error> {
        let attempt = self.attempt(Action::RemoveUser, user_id);
        Error::audit(&attempt, self.remove_all(user_id, revoke).await)
    }

    async fn remove_all(&self, user_id: &str, revoke: bool) -> Result<Answer, Error> {
        if !self.services.is_administrator(&self.context).await? {
            return Err(Error::NotRemover);
        }
        notes::record_change(true);
        let (logins, groupware) = (&self.services.logins, self.services.groupware.clone());
        let password = async {
            if revoke {
                let attempt = self.attempt(Action::RevokeCredential, user_id);
                let revoked = logins.revoke(groupware, user_id, None, attempt).await;
                return revoked.map(|it| it != Revocation::NothingStored);
            }
            let attempt = self.attempt(Action::RemoveCredential, user_id);
            logins.remove(user_id, attempt).await
        };
        let deliveries = self.services.deliveries.as_ref();
        let deliveries = OptionFuture::from(deliveries.map(|it| it.remove_account(user_id)));
        let person = logins.vault().remove_person(user_id);
        // At once, since the password waits for the calls that are made with it.
        let (password, person, deliveries) = tokio::join!(password, person, deliveries);
        let (password, (login_flows, binding)) = (password?, person?);
        let removed = deliveries.transpose()?.unwrap_or_default();
        let mut left: Vec<_> = LEFT.map(str::to_owned).into();
        left.extend(removed.left());
        Ok(answer::to_json(&json!({
            "success": true,
            "message": "What was kept of the user is removed",
            "removed": {
                "app_password": password,
                "binding": binding,
                "login_flows": login_flows,
                "targets": removed.targets,
                "events": removed.events,
            },
            "left": left,
        })))
    }
}

impl Services {
    /// Without a scope for it, asks the groupware server with the caller's own credential; without one, they are none.
    pub(crate) async fn is_administrator(&self, context: &RequestContext) -> Result<bool, Error> {
        let user = context.principal.require_user()?;
        if let Some(scope) = &self.administrators.scope {
            return Ok(user.has_scope(scope));
        }
        let (groupware, address) = (self.groupware()?, context.client_address);
        match is_member(&self.logins, &groupware, user.user_id(), address).await {
            Err(Error::NotProvisioned) => Ok(false),
            asked => asked,
        }
    }
}

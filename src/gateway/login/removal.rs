//! The end of a stored password: forgotten here, or destroyed at the groupware server first.

use std::net::IpAddr;

use super::{Logins, login, stored};
use crate::audit::Attempt;
use crate::gateway::Error;
use crate::groupware::{Access, Groupware, LoginEvidence};
use crate::vault::{Credential, LoginPurpose, Store};

/// How an order to destroy a stored password ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gateway) enum Revocation {
    /// Nothing was stored.
    NothingStored,
    /// The server destroyed it, and it is not stored any more.
    Destroyed,
    /// The server refuses it; it is not stored any more.
    WasRefused,
}

impl<St: Store> Logins<St> {
    /// Removes what is stored of `user_id`; `false` if that is nothing. Once it has returned, no
    /// call is made with the password any more.
    ///
    /// `attempt` ends with the removal, also if nobody waits for that any longer.
    pub(in crate::gateway) async fn remove(
        &self,
        user_id: &str,
        attempt: &Attempt,
    ) -> Result<bool, Error> {
        let (logins, user, attempt) = (self.clone(), user_id.to_owned(), attempt.clone());
        let removal = self.run_to_end(async move {
            let removed = logins.vault().remove(&user).await.map_err(Into::into);
            Error::audit(&attempt, &removed);
            removed
        });
        let removed = removal.await?;
        self.inner.leases.ended(user_id).await;
        Ok(removed)
    }

    /// Destroys the stored password of `user_id` at the server, then removes it from the vault.
    ///
    /// From its start on no other call uses the password. If the server fails to destroy it, it
    /// stays stored as it was. Once it has begun it runs to its end, and `attempt` ends with it.
    pub(in crate::gateway) async fn revoke(
        &self,
        groupware: Groupware,
        user_id: &str,
        client_address: Option<IpAddr>,
        attempt: &Attempt,
    ) -> Result<Revocation, Error> {
        let change = self.change(user_id).await;
        let Some(credential) = self.vault().credential(user_id).await? else {
            return Ok(Revocation::NothingStored);
        };
        let account = stored::open(&credential)?;
        let access = Access::new(groupware, account).with_client_address(client_address);
        let logins = self.clone();
        let attempt = attempt.clone();
        self.run_to_end(async move {
            let _change = change;
            let revoked = logins.destroy_stored(&credential, access).await;
            Error::audit(&attempt, &revoked);
            revoked
        })
        .await
    }

    async fn destroy_stored(
        &self,
        credential: &Credential,
        access: Access,
    ) -> Result<Revocation, Error> {
        let (user_id, revision) = (credential.user_id(), credential.revision());
        let was_suspended = credential.suspended_at().is_some();
        // Keeps all other calls from it, on all replicas and across a crash: once it is
        // destroyed, each of them would be a refused login.
        self.vault().suspend(user_id, revision).await?;
        self.inner.leases.ended(user_id).await;
        let purpose = match was_suspended {
            // Refused before, or a revocation like this one that was cut off: only the server
            // knows which.
            true => LoginPurpose::New,
            false => self.purpose(credential),
        };
        let login = login(user_id, credential.login_name(), purpose);
        let revoked = match self.permit(login.clone()).await {
            Err(error) => Err(error),
            Ok(permit) => {
                let reply = access.delete_app_password().await;
                match (reply.login, reply.result) {
                    (LoginEvidence::Refused, _) => {
                        let counted = self.count_refused(Some(permit), login).await;
                        counted.map(|()| Revocation::WasRefused)
                    }
                    (_, Ok(())) => Ok(Revocation::Destroyed),
                    (_, Err(fault)) => Err(Error::NotRevoked(fault)),
                }
            }
        };
        if revoked.is_err() {
            if !was_suspended {
                self.vault().resume(user_id, revision).await?;
            }
            return revoked;
        }
        self.inner.proofs.forget(revision);
        // Another process may have stored a new password meanwhile; that one stays.
        if self.vault().suspend(user_id, revision).await? {
            self.vault().remove(user_id).await?;
        }
        revoked
    }
}

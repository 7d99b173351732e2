//! The end of a stored password: forgotten here, or destroyed at the groupware server first.

use std::net::IpAddr;

use super::{Logins, login, stored};
use crate::gateway::Error;
use crate::groupware::{Access, Groupware, LoginEvidence};
use crate::vault::{LoginPurpose, Store};

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
    pub(in crate::gateway) async fn remove(&self, user_id: &str) -> Result<bool, Error> {
        let removed = self.vault().remove(user_id).await?;
        self.inner.leases.ended(user_id).await;
        Ok(removed)
    }

    /// Destroys the stored password of `user_id` at the server, then removes it from the vault.
    ///
    /// From its start on no other call uses the password. If the server fails to destroy it, it
    /// stays stored as it was.
    pub(in crate::gateway) async fn revoke(
        &self,
        groupware: Groupware,
        user_id: &str,
        client_address: Option<IpAddr>,
    ) -> Result<Revocation, Error> {
        let change = self.change(user_id).await;
        let Some(credential) = self.vault().credential(user_id).await? else {
            return Ok(Revocation::NothingStored);
        };
        let account = stored::open(&credential)?;
        let access = Access::new(groupware, account).with_client_address(client_address);
        let logins = self.clone();
        self.run_to_end(async move {
            let _change = change;
            let (user_id, revision) = (credential.user_id(), credential.revision());
            let was_suspended = credential.suspended_at().is_some();
            // Keeps all other calls from it, on all replicas and across a crash: once it is
            // destroyed, each of them would be a refused login.
            logins.vault().suspend(user_id, revision).await?;
            logins.inner.leases.ended(user_id).await;
            let purpose = match was_suspended {
                // Refused before, or a revocation like this one that was cut off: only the server
                // knows which.
                true => LoginPurpose::New,
                false => logins.purpose(&credential),
            };
            let login = login(user_id, credential.login_name(), purpose);
            let revoked = match logins.permit(login.clone()).await {
                Err(error) => Err(error),
                Ok(permit) => {
                    let reply = access.delete_app_password().await;
                    match (reply.login, reply.result) {
                        (LoginEvidence::Refused, _) => {
                            let counted = logins.count_refused(Some(permit), login).await;
                            counted.map(|()| Revocation::WasRefused)
                        }
                        (_, Ok(())) => Ok(Revocation::Destroyed),
                        (_, Err(fault)) => Err(Error::NotRevoked(fault)),
                    }
                }
            };
            if revoked.is_err() {
                if !was_suspended {
                    logins.vault().resume(user_id, revision).await?;
                }
                return revoked;
            }
            logins.inner.proofs.forget(revision);
            // Another process may have stored a new password meanwhile; that one stays.
            if logins.vault().suspend(user_id, revision).await? {
                logins.vault().remove(user_id).await?;
            }
            revoked
        })
        .await
    }
}

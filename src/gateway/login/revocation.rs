//! Destroying a stored password at the groupware server.

use std::net::IpAddr;

use super::{Logins, account};
use crate::gateway::Error;
use crate::groupware::Groupware;
use crate::vault::Store;

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
    /// Destroys the stored password of `user_id` at the server, then removes it from the vault.
    ///
    /// From its start on nobody else uses the password. Where the server fails to destroy it, it
    /// stays stored as it was.
    pub(in crate::gateway) async fn revoke(
        &self,
        groupware: &Groupware,
        user_id: &str,
        client_address: Option<IpAddr>,
    ) -> Result<Revocation, Error> {
        let change = self.change(user_id).await;
        let Some(credential) = self.vault().credential(user_id).await? else {
            return Ok(Revocation::NothingStored);
        };
        let account = account(&credential)?;
        let (logins, groupware) = (self.clone(), groupware.clone());
        self.to_the_end(async move {
            let _change = change;
            let (user_id, revision) = (credential.user_id(), credential.revision());
            let was_suspended = credential.suspended_at().is_some();
            // Keeps others from it, on all replicas and over a crash. What the call below would
            // make of it without this: refused logins.
            logins.vault().suspend(user_id, revision).await?;
            logins.inner.leases.ended(user_id).await;
            let place = match was_suspended {
                // Refused once, or an order like this one that was cut off: only the server knows.
                true => logins.doubtful().await.map(Some),
                false => logins.place_for(&credential).await,
            };
            let destroyed = match place {
                Ok(place) => match groupware
                    .delete_app_password(&account, client_address)
                    .await
                {
                    Ok(()) => Ok(Revocation::Destroyed),
                    Err(fault) if fault.is_refused_login() => {
                        logins.count_refused(place);
                        Ok(Revocation::WasRefused)
                    }
                    Err(fault) => Err(Error::NotRevoked(fault)),
                },
                Err(error) => Err(error),
            };
            if destroyed.is_err() {
                if was_suspended {
                    return destroyed;
                }
                logins.vault().resume(user_id, revision).await?;
                return destroyed;
            }
            logins.inner.proven.forget(revision);
            // What another process stored meanwhile is not what was destroyed.
            if logins.vault().suspend(user_id, revision).await? {
                logins.vault().remove(user_id).await?;
            }
            destroyed
        })
        .await
    }
}

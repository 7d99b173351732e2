//! Removing a stored password, with or without destroying it at the groupware server first.

use std::net::IpAddr;

use super::Logins;
use crate::audit::Attempt;
use crate::gateway::Error;
use crate::groupware::Groupware;
use crate::vault::Credential;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Revocation {
    NothingStored,
    /// The server destroyed it, and it is not stored any more.
    Destroyed,
    /// The server refuses it; it is not stored any more.
    WasRefused,
}

impl Logins {
    /// Removes the stored password of `user_id`; `false` if there is none. After it has returned, no call begins with
    /// the password.
    ///
    /// It completes even if the caller disconnects, and ends `attempt`.
    pub(crate) async fn remove(&self, user_id: &str, attempt: Attempt) -> Result<bool, Error> {
        let (logins, user) = (self.clone(), user_id.to_owned());
        let removal = async move { Ok(logins.vault().remove(&user).await?) };
        let removed = self.run_audited(attempt, removal).await?;
        self.inner.users.quiesce(user_id).await;
        Ok(removed)
    }

    /// Destroys the stored password of `user_id` at the server, then removes it from the vault.
    ///
    /// From its start, no other call uses the password. If the server does not destroy it, it stays stored as it was.
    /// Once it has begun, it completes even if the caller disconnects. It ends `attempt`.
    pub(crate) async fn revoke(
        &self,
        groupware: Option<Groupware>,
        user_id: &str,
        client_address: Option<IpAddr>,
        attempt: Attempt,
    ) -> Result<Revocation, Error> {
        let lock = self.lock(user_id).await;
        let (logins, user) = (self.clone(), user_id.to_owned());
        let revocation = self.run_audited(attempt, async move {
            let _lock = lock;
            let groupware = groupware.ok_or(Error::NotConfigured)?;
            let Some(credential) = logins.vault().credential(&user).await? else {
                return Ok(Revocation::NothingStored);
            };
            logins.destroy_stored(&credential, &groupware, client_address).await
        });
        revocation.await
    }

    async fn destroy_stored(
        &self,
        credential: &Credential,
        groupware: &Groupware,
        client_address: Option<IpAddr>,
    ) -> Result<Revocation, Error> {
        let (user_id, revision) = (&*credential.user_id, credential.revision);
        let was_suspended = credential.suspended_at.is_some();
        // Stops all other calls with it, also on other replicas and after a crash: each would be a refused login.
        self.vault().suspend(user_id, revision).await?;
        self.inner.users.quiesce(user_id).await;
        let login = credential.login();
        let destroyed = self.destroy(groupware, user_id, &login, client_address);
        let revoked = match destroyed.await {
            Ok(true) => Revocation::Destroyed,
            Ok(false) => Revocation::WasRefused,
            Err(error) => {
                if !was_suspended && let Err(error) = self.vault().resume(user_id, revision).await {
                    tracing::warn!(
                        %error, user = user_id,
                        "an app password that was not destroyed stays suspended: it is tried again after refused_retry"
                    );
                }
                return Err(match error {
                    Error::Write(fault) => Error::NotRevoked(fault),
                    error => error,
                });
            }
        };
        // Another process may have stored a new one meanwhile, which stays.
        let removed = self.vault().remove_revision(user_id, revision).await;
        removed.map_err(Error::NotRemoved)?;
        Ok(revoked)
    }
}

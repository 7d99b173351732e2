//! Calls with a stored password.

use std::net::IpAddr;
use std::time::Duration;

use super::Logins;
use super::log_in::{Scheme, SchemePreference, ServerLogin, Stored};
use crate::gateway::Error;
use crate::gateway::users::Use;
use crate::groupware::{Access, Groupware, LoginEvidence, Reply};
use crate::vault::{Credential, StoredCredential, VaultError};

/// The longest pause before a suspended password is tried again by HTTP Basic, unless the first pause is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

impl Logins {
    /// Makes `call` at `groupware` with the stored password of `user_id`, and again with the other scheme if necessary.
    ///
    /// A refusal suspends the password, unless another one has been stored since. While it is suspended, calls end with
    /// 428 and make no request, except one retry after each [`refused_retry`](super::LoginPolicy::refused_retry). None is
    /// made with a password that `may_use` refuses.
    pub(crate) async fn use_stored<T, F>(
        &self,
        user_id: &str,
        groupware: &Groupware,
        client_address: Option<IpAddr>,
        may_use: impl FnOnce(&Credential) -> Result<(), Error> + Send,
        call: &mut impl FnMut(Access) -> F,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = Result<Reply<T, Error>, Error>> + Send + 'static,
    {
        let in_use = self.inner.users.acquire(user_id);
        // Before the record is read.
        let turn = in_use.try_turn();
        let mut record = self.record(user_id).await?;
        let mut retry = None;
        if record.suspended_at().is_some() {
            retry = Some(in_use.retry().ok_or(Error::Suspended)?);
            // The retry of another call may just have ended.
            record = self.record(user_id).await?;
        }
        let avoids_basic =
            || record.is_refused_by_basic() || in_use.avoids_basic(record.revision());
        let preference = self.preference(&record, avoids_basic())?;
        let credential = self.vault().open(&record).await?;
        may_use(&credential)?;
        let mut login = ServerLogin {
            groupware,
            client_address,
            user_id: record.user_id().clone(),
            login_name: &credential.login_name,
            password: &credential.password,
            stored: Some(Stored { revision: record.revision(), in_use: &in_use, turn }),
        };
        let (reply, scheme) = self.log_in(&mut login, preference, call).await?;
        if record.suspended_at().is_some() || avoids_basic() {
            if reply.login == LoginEvidence::Refused && record.suspended_at().is_some() {
                return Err(Error::Suspended);
            }
            // Boxed, as it is seldom needed: it would enlarge the future of every call.
            let noted = Box::pin(self.note_standing(&record, &in_use, reply.login, scheme)).await;
            // The call was made, and its answer stays true if this cannot be stored.
            if let Err(error) = noted {
                self.inner.unstored_standing.count(&error);
            }
        }
        drop(retry);
        reply.result
    }

    /// Records that a password that was refused before is accepted, and by which scheme.
    async fn note_standing(
        &self,
        record: &StoredCredential,
        in_use: &Use,
        evidence: LoginEvidence,
        scheme: Scheme,
    ) -> Result<(), VaultError> {
        if evidence != LoginEvidence::Accepted {
            return Ok(());
        }
        let (vault, user_id, revision) = (self.vault(), record.user_id(), record.revision());
        if record.suspended_at().is_some() {
            vault.resume(user_id, revision).await?;
        }
        let was_refused = record.is_refused_by_basic() || in_use.avoids_basic(revision);
        let is_refused = was_refused && scheme == Scheme::Bearer;
        if record.is_refused_by_basic() != is_refused {
            vault.mark_refused_by_basic(user_id, revision, is_refused).await?;
        }
        Ok(())
    }

    async fn record(&self, user_id: &str) -> Result<StoredCredential, Error> {
        self.vault().stored(user_id).await?.ok_or(Error::NotProvisioned)
    }

    /// The scheme for the password in `record` that is tried first; an error if it must not be tried yet.
    fn preference(
        &self,
        record: &StoredCredential,
        avoids_basic: bool,
    ) -> Result<SchemePreference, Error> {
        let Some(at) = record.suspended_at() else {
            return Ok(if avoids_basic {
                SchemePreference::AvoidBasic
            } else {
                SchemePreference::Basic
            });
        };
        let first = self.inner.refused_retry;
        // If the clock was set back, nobody is locked out for ever.
        let has_passed = |pause| !at.elapsed().is_ok_and(|since| since < pause);
        if !has_passed(first) {
            return Err(Error::Suspended);
        }
        Ok(if has_passed(longer_pause(first, record.refusals())) {
            SchemePreference::Retry
        } else {
            SchemePreference::RetryByBearer
        })
    }
}

/// The time from the last of `refusals` in a row to the next retry by HTTP Basic: `first`, then four
/// times as long each time, but at most a day. Otherwise revoked passwords would take all permits.
fn longer_pause(first: Duration, refusals: u32) -> Duration {
    let longer = first.saturating_mul(4_u32.saturating_pow(refusals.saturating_sub(1)));
    longer.min(LONGEST_PAUSE.max(first))
}

#[cfg(test)]
#[path = "../../../tests/unit/stored_login.rs"]
mod tests;

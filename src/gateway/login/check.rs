//! Checking a password that is brought: whose is it?

use std::net::IpAddr;
use std::sync::Arc;

use subtle::ConstantTimeEq as _;

use super::attempts::Attempts;
use super::permit::Permit;
use super::places::Login;
use super::{Candidate, Logins, Source, account, login};
use crate::gateway::Error;
use crate::groupware::{Access, Groupware, GroupwareError, LoginEvidence};
use crate::vault::{AppPassword, LoginPurpose, Store};

/// What the server said of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gateway) enum Checked {
    /// It opens the user's own account.
    Own,
    /// It opens another account.
    OtherAccount,
    /// The server refused it.
    Refused,
    /// It was good for one use, which the check was.
    OneTimePassword,
}

/// A check that may be made: it holds the permit for it.
///
/// Once it has begun it must be [run](Logins::run_to_end) to its end, so that no refusal goes
/// unnoticed.
pub(super) struct Check<St: Store> {
    logins: Logins<St>,
    user_id: Arc<str>,
    access: Access,
    permit: Permit,
    login: Login,
    source: Source,
}

// === impl Logins ===

impl<St: Store> Logins<St> {
    /// Asks the server whether `candidate` opens the account of `user_id`. Nothing is stored.
    ///
    /// It waits for a permit first. Once the check has begun it runs to its end, even if its
    /// caller goes away.
    pub(in crate::gateway) async fn prove(
        &self,
        user_id: &str,
        groupware: Groupware,
        client_address: Option<IpAddr>,
        candidate: &Candidate,
    ) -> Result<Checked, Error> {
        let check = self.check(user_id, groupware, client_address, candidate);
        self.run_to_end(check.await?.run()).await
    }

    /// Whether `password` is the one that is stored for `user_id`: nobody but the user, and who
    /// was told it, can know that. A record that does not open holds no password.
    pub(in crate::gateway) async fn is_stored(
        &self,
        user_id: &str,
        password: &AppPassword,
    ) -> bool {
        match self.vault().credential(user_id).await {
            Ok(Some(stored)) => {
                let (stored, brought) = (stored.password().expose(), password.expose());
                stored.as_bytes().ct_eq(brought.as_bytes()).into()
            }
            _ => false,
        }
    }

    /// Acquires the permit to check `candidate`.
    pub(super) async fn check(
        &self,
        user_id: &str,
        groupware: Groupware,
        client_address: Option<IpAddr>,
        candidate: &Candidate,
    ) -> Result<Check<St>, Error> {
        let Candidate {
            login_name,
            password,
            source,
        } = candidate;
        if let Some(attempts) = self.attempts(source) {
            attempts.check(user_id).map_err(Error::TooManyAttempts)?;
        }
        let purpose = match source {
            Source::User => LoginPurpose::New,
            Source::Basic => LoginPurpose::Basic,
            Source::LoginFlow(_) => LoginPurpose::Granted,
        };
        let account = account(user_id, login_name, password)?;
        let login = login(user_id, login_name, purpose);
        let permit = self.permit(login.clone()).await?;
        Ok(Check {
            logins: self.clone(),
            user_id: user_id.into(),
            access: Access::new(groupware, account).with_client_address(client_address),
            permit,
            login,
            source: source.clone(),
        })
    }

    /// The refused attempts that count against a password from `source`.
    fn attempts(&self, source: &Source) -> Option<&Attempts> {
        match source {
            Source::User => Some(&self.inner.attempts),
            Source::Basic => Some(&self.inner.attempts_by_basic),
            Source::LoginFlow(_) => None,
        }
    }
}

// === impl Check ===

impl<St: Store> Check<St> {
    /// The server as the account that the password is to open.
    pub(super) fn access(&self) -> &Access {
        &self.access
    }

    /// Asks the server.
    pub(super) async fn run(self) -> Result<Checked, Error> {
        let Self {
            logins,
            user_id,
            access,
            permit,
            login,
            source,
        } = self;
        let reply = access.user().await;
        if reply.login == LoginEvidence::Refused {
            let counted = logins.count_refused(Some(permit), login).await;
            if let Some(attempts) = logins.attempts(&source) {
                attempts.refused(&user_id);
            }
            return counted.map(|()| Checked::Refused);
        }
        if reply.login == LoginEvidence::Accepted {
            logins.forgive(&permit, &user_id).await?;
        }
        match reply.into_result() {
            Ok(_) => Ok(Checked::Own),
            Err(GroupwareError::OneTimePassword) => Ok(Checked::OneTimePassword),
            Err(GroupwareError::OtherAccount) => Ok(Checked::OtherAccount),
            Err(fault) => Err(fault.into()),
        }
    }
}

//! Checking whose password it is, at the server.

use std::net::IpAddr;

use super::log_in::{AfterRefusal, Scheme, SchemePreference, ServerLogin};
use super::{Candidate, Logins, Source, unstored};
use crate::gateway::Error;
use crate::gateway::users::Users;
use crate::groupware::{
    Access, Groupware, GroupwareError, LoginEvidence, Reply, has_the_form_of_an_app_password,
};
use crate::vault::AppPassword;

impl Logins {
    /// Whether `password` is the stored one of `user_id`: only the user, or somebody who was given it, can know it.
    /// A record that cannot be opened contains no password, and one that the server has refused proves nothing any more.
    pub(crate) async fn is_stored(&self, user_id: &str, password: &AppPassword) -> bool {
        let stored = self.vault().credential(user_id).await;
        matches!(stored, Ok(Some(it)) if it.suspended_at.is_none() && it.password == *password)
    }

    /// Like [`prove`](Self::prove), but also tries the login name if a permit is free: a bearer token contains none.
    /// Otherwise the first use of the password tries it.
    pub(super) async fn check_with_name(
        &self,
        user_id: &str,
        groupware: &Groupware,
        client_address: Option<IpAddr>,
        candidate: &Candidate,
    ) -> Result<(), Error> {
        let scheme = self.prove(user_id, groupware, client_address, candidate).await?;
        // With a password from a login flow, the server itself has returned the login name.
        let Some(users) = self.attempts_from(&candidate.source) else {
            return Ok(());
        };
        if scheme != Scheme::Bearer || self.inner.bearer.is_throttled() {
            return Ok(());
        }
        let mut login = unstored(groupware, user_id, &candidate.login, client_address);
        let Some(permit) = self.permit(&mut login).await else {
            return Ok(());
        };
        let access = login.by_basic()?;
        let call = async move { Ok(access.user().await) };
        let reply = self.by_basic(&mut login, permit, AfterRefusal::Suspend, call).await?;
        if reply.login != LoginEvidence::Refused {
            return Ok(());
        }
        // This counts as a wrong password.
        if let Ok(mut attempt) = users.try_password(user_id) {
            attempt.show();
        }
        Err(Error::Rejected)
    }

    /// Asks the server whether `candidate` opens the account of `user_id`. Nothing is stored. Returns the scheme by which
    /// the password was accepted.
    /// Fails with [`Error::Rejected`], [`Error::RejectedAsBearer`], [`Error::OtherAccount`], [`Error::AccountPassword`] or
    /// [`Error::OneTimePassword`] if it does not, other errors if the server does not answer that.
    pub(crate) async fn prove(
        &self,
        user_id: &str,
        groupware: &Groupware,
        client_address: Option<IpAddr>,
        candidate: &Candidate,
    ) -> Result<Scheme, Error> {
        let mut login = unstored(groupware, user_id, &candidate.login, client_address);
        let users = self.attempts_from(&candidate.source);
        let call = |access: Access| async move { Ok(access.user().await) };
        let (reply, scheme) = self.try_password(&mut login, users, call).await?;
        let has_form = has_the_form_of_an_app_password(candidate.login.password.expose());
        match reply.result {
            // The server would hash an account password at each call, and it cannot be revoked.
            Ok(_) if scheme != Scheme::Bearer && !has_form => Err(Error::AccountPassword),
            Ok(_) => Ok(scheme),
            Err(GroupwareError::OneTimePassword) => Err(Error::OneTimePassword),
            Err(GroupwareError::OtherAccount) => Err(Error::OtherAccount),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Makes `call` with a password that may be wrong, and counts it in `users` if the server saw and refused it.
    pub(super) async fn try_password<T, F>(
        &self,
        login: &mut ServerLogin<'_>,
        users: Option<&Users>,
        call: impl Fn(Access) -> F,
    ) -> Result<(Reply<T>, Scheme), Error>
    where
        T: Send + 'static,
        F: Future<Output = Result<Reply<T>, Error>> + Send + 'static,
    {
        let begun = users.map(|users| users.try_password(&login.user_id));
        let mut attempt = begun.transpose().map_err(Error::TooManyAttempts)?;
        let mut shown = |access| {
            if let Some(attempt) = &mut attempt {
                attempt.show();
            }
            call(access)
        };
        let (reply, scheme) = self.log_in(login, SchemePreference::Bearer, &mut shown).await?;
        match (reply.login, scheme) {
            (LoginEvidence::Refused, Scheme::Bearer) => return Err(Error::RejectedAsBearer),
            (LoginEvidence::Refused, _) => return Err(Error::Rejected),
            _ => {}
        }
        if let Some(attempt) = attempt {
            attempt.forgive();
        }
        Ok((reply, scheme))
    }

    /// The table that counts refused passwords from `source`.
    fn attempts_from(&self, source: &Source) -> Option<&Users> {
        match source {
            Source::User => Some(&self.inner.users),
            Source::Basic(_) => Some(&self.inner.basic_users),
            Source::LoginFlow(_) => None,
        }
    }
}

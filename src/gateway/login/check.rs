//! Checking a password that is brought: whose is it?

use std::net::IpAddr;

use subtle::ConstantTimeEq as _;

use super::attempt::{Order, Scheme};
use super::{Candidate, Logins, Source, brought};
use crate::gateway::Error;
use crate::gateway::users::Users;
use crate::groupware::has_the_form_of_an_app_password;
use crate::groupware::{Access, Groupware, GroupwareError, LoginEvidence};
use crate::vault::AppPassword;

// === impl Logins ===

impl Logins {
    /// Asks the server whether `candidate` opens the account of `user_id`. Nothing is stored.
    ///
    /// # Errors
    /// [`Error::Rejected`], [`Error::OtherAccount`], [`Error::AccountPassword`] or
    /// [`Error::OneTimePassword`] if it does not, and others if that cannot be found out.
    pub(in crate::gateway) async fn prove(
        &self,
        user_id: &str,
        groupware: &Groupware,
        client_address: Option<IpAddr>,
        candidate: &Candidate,
    ) -> Result<(), Error> {
        let checked = self.check(user_id, groupware, client_address, candidate);
        checked.await.map(|_scheme| ())
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

    /// As [`prove`](Self::prove), and tries the login name as well, if a permit is free for that:
    /// a bearer token has none. Otherwise the first use does.
    pub(super) async fn check_with_name(
        &self,
        user_id: &str,
        groupware: &Groupware,
        client_address: Option<IpAddr>,
        candidate: &Candidate,
    ) -> Result<(), Error> {
        let checked = self.check(user_id, groupware, client_address, candidate);
        let scheme = checked.await?;
        // The server itself has said the login name of a password that it handed out.
        let Some(users) = self.tried_by(&candidate.source) else {
            return Ok(());
        };
        if scheme != Scheme::Bearer || self.inner.bearer.is_throttled() {
            return Ok(());
        }
        let Some(permit) = self.permit().await else {
            return Ok(());
        };
        let pair = (&*candidate.login_name, &candidate.password);
        let login = brought(groupware, user_id, pair, client_address);
        let access = login.by_basic()?;
        let call = async move { Ok::<_, Error>(access.user().await) };
        let reply = self.by_basic(&login, permit, call).await?;
        match reply.login {
            LoginEvidence::Refused => {
                // It counts like a wrong password.
                users.try_password(user_id).ok();
                Err(Error::Rejected)
            }
            _ => Ok(()),
        }
    }

    /// As [`prove`](Self::prove); returns the scheme by which the password was accepted.
    async fn check(
        &self,
        user_id: &str,
        groupware: &Groupware,
        client_address: Option<IpAddr>,
        candidate: &Candidate,
    ) -> Result<Scheme, Error> {
        let attempt = match self.tried_by(&candidate.source) {
            Some(users) => {
                let attempt = users.try_password(user_id);
                Some(attempt.map_err(Error::TooManyAttempts)?)
            }
            None => None,
        };
        let pair = (&*candidate.login_name, &candidate.password);
        let login = brought(groupware, user_id, pair, client_address);
        let call = |access: Access| async move { Ok::<_, Error>(access.user().await) };
        let (reply, scheme) = self.log_in(&login, Order::Bearer, call).await?;
        if reply.login == LoginEvidence::Refused {
            return Err(Error::Rejected);
        }
        if let Some(attempt) = attempt {
            attempt.forgive();
        }
        let has_form = has_the_form_of_an_app_password(candidate.password.expose());
        match reply.result {
            // Each call with it would cost the server the hashing of a password, and it cannot be revoked.
            Ok(_) if scheme != Scheme::Bearer && !has_form => Err(Error::AccountPassword),
            Ok(_) => Ok(scheme),
            Err(GroupwareError::OneTimePassword) => Err(Error::OneTimePassword),
            Err(GroupwareError::OtherAccount) => Err(Error::OtherAccount),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Who counts refused passwords from `source`.
    fn tried_by(&self, source: &Source) -> Option<&Users> {
        match source {
            Source::User => Some(&self.inner.users),
            Source::Basic => Some(&self.inner.strangers),
            Source::LoginFlow(_) => None,
        }
    }
}

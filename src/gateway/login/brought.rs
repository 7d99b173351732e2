//! Passwords that somebody brings, to be stored.

use std::net::IpAddr;

use super::Logins;
use super::budget::{Place, Purpose};
use super::gates::Inside;
use crate::gateway::Error;
use crate::groupware::{Account, Groupware};
use crate::vault::{Metadata, Store};

/// What a look at the server says about a password that is not stored.
pub(in crate::gateway) enum Verdict {
    /// It opens the account with this id.
    Opens(String),
    /// The server refused it.
    Refused,
}

impl<St: Store> Logins<St> {
    /// Whether `user_id` may bring another password now.
    pub(in crate::gateway) fn may_bring(&self, user_id: &str) -> Result<(), Error> {
        let attempts = &self.inner.attempts;
        attempts.check(user_id).map_err(Error::TooManyAttempts)
    }

    /// Notes that a password was refused that `user_id` brought.
    pub(in crate::gateway) fn refused_brought(&self, user_id: &str) {
        self.inner.attempts.refused(user_id);
    }

    /// Waits until nobody else stores or destroys a password of `user_id`.
    pub(in crate::gateway) async fn change(&self, user_id: &str) -> Inside {
        self.inner.changes.enter(user_id).await
    }

    /// A place for a login with a password that somebody brings.
    pub(in crate::gateway) async fn doubtful(&self) -> Result<Place, Error> {
        let place = self.inner.budget.reserve(Purpose::Doubtful).await;
        place.map_err(Error::TooManyRefused)
    }

    /// Asks the server whose account `account` is.
    pub(in crate::gateway) async fn look(
        &self,
        groupware: &Groupware,
        account: &Account,
        client_address: Option<IpAddr>,
        place: Place,
    ) -> Result<Verdict, Error> {
        match groupware.user(account, client_address).await {
            Ok(user) => Ok(Verdict::Opens(user.id)),
            Err(fault) if fault.is_refused_login() => {
                place.refused();
                Ok(Verdict::Refused)
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// Notes that a login was refused that nobody thought would be.
    pub(in crate::gateway) fn refused(&self) {
        self.inner.budget.refused();
    }

    /// Notes that the password of `metadata` was good when it was stored just now.
    pub(in crate::gateway) fn stored_good(&self, metadata: &Metadata) {
        self.inner.proven.is_good(metadata.revision());
    }
}

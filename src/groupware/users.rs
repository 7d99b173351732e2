//! The account itself, and its app password.

use std::net::IpAddr;

use http::Method;
use serde::Deserialize;

use super::client::Call;
use super::ocs::Route;
use super::{Account, Groupware, GroupwareError};

impl Groupware {
    /// Whose login the credentials are. An answer proves them good.
    ///
    /// The id is the server's; it is for the caller to compare it with the one expected.
    ///
    /// # Errors
    /// Any [`GroupwareError`]; [`GroupwareError::is_refused_login`] tells bad credentials.
    pub async fn user(
        &self,
        account: &Account,
        forwarded: Option<IpAddr>,
    ) -> Result<User, GroupwareError> {
        let answer = self
            .exchange(Call {
                route: "user",
                method: Method::GET,
                uri: self.routes().user.clone(),
                account: Some(account),
                forwarded,
                body: None,
            })
            .await?;
        serde_json::from_slice(answer.data(Route::User)?.as_bytes()).map_err(|error| {
            GroupwareError::Unreadable {
                reason: "its data is not an account",
                source: Some(error.into()),
            }
        })
    }

    /// Destroys the app password of the account; it is refused from then on.
    ///
    /// # Errors
    /// Any [`GroupwareError`]; [`GroupwareError::NotAnAppPassword`] where the password is that of
    /// the account itself.
    pub async fn delete_app_password(
        &self,
        account: &Account,
        forwarded: Option<IpAddr>,
    ) -> Result<(), GroupwareError> {
        let answer = self
            .exchange(Call {
                route: "delete app password",
                method: Method::DELETE,
                uri: self.routes().app_password.clone(),
                account: Some(account),
                forwarded,
                body: None,
            })
            .await?;
        answer.data(Route::AppPassword).map(drop)
    }
}

/// An account, as the server describes it to itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct User {
    /// The account id, in the letter case in which it is stored.
    pub id: String,
    /// The groups it is in.
    pub groups: Vec<String>,
}

impl User {
    /// Whether it is in the group of administrators.
    pub fn is_administrator(&self) -> bool {
        self.groups.iter().any(|group| group == "admin")
    }
}

//! The account itself, and its app password.

use http::Method;
use serde::Deserialize;

use super::access::AccountCall;
use super::ocs::Route;
use super::{Access, GroupwareError, LoginEvidence, Reply};

impl Access {
    /// What the server says of the account. A success proves the app password, and that it opens
    /// this account.
    ///
    /// # Errors
    /// Any [`GroupwareError`]; [`GroupwareError::OtherAccount`] if the credentials open another
    /// account than [`Access::account`].
    pub async fn user(&self) -> Reply<User> {
        let call = AccountCall {
            route: Route::User,
            method: Method::GET,
            uri: self.groupware().routes().user.clone(),
            body: None,
        };
        let reply = self.call(call, |answer| {
            serde_json::from_slice(answer.data(Route::User)?.as_bytes()).map_err(|error| {
                GroupwareError::Unreadable {
                    reason: "its data is not an account",
                    source: Some(error.into()),
                }
            })
        });
        match reply.await {
            // Servers that send no `X-User-Id` name the account in the body alone.
            Reply {
                result: Ok(User { id, .. }),
                ..
            } if id != self.account().user_id() => Reply {
                result: Err(GroupwareError::OtherAccount),
                login: LoginEvidence::None,
            },
            reply => reply,
        }
    }

    /// Destroys the app password of these credentials; it is refused from then on. Which account
    /// it opens does not matter.
    ///
    /// # Errors
    /// Any [`GroupwareError`]; [`GroupwareError::NotAnAppPassword`] if the password is that of the
    /// account itself.
    pub async fn delete_app_password(&self) -> Reply<()> {
        let call = AccountCall {
            route: Route::AppPassword,
            method: Method::DELETE,
            uri: self.groupware().routes().app_password.clone(),
            body: None,
        };
        self.call(call, |answer| answer.data(Route::AppPassword).map(drop))
            .await
    }
}

/// An account, as the server describes it to itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct User {
    /// The account id, in the letter case in which it is stored.
    pub id: String,
    /// The groups it is in.
    pub groups: Vec<String>,
}

// === impl User ===

impl User {
    /// Whether it is in the group of administrators, `admin`.
    pub fn is_administrator(&self) -> bool {
        self.groups.iter().any(|group| group == "admin")
    }
}

//! The account itself, and its app password.

use serde::Deserialize;

use super::call::Answer;
use super::ocs::names_only;
use super::{Access, GroupwareError, LoginEvidence, Reply, Route, WriteError};

// === impl Access ===

impl Access {
    /// The account's details. A success proves that the app password works and belongs to this account.
    ///
    /// # Errors
    /// Any [`GroupwareError`]; [`GroupwareError::OtherAccount`] if the credentials belong to an account
    /// other than [`Access::account`].
    pub async fn user(&self) -> Reply<AccountInfo> {
        match self.call(self.groupware.call_of(Route::User), user).await {
            // Servers that send no `X-User-Id` name the account only in the body.
            Reply { result: Ok(AccountInfo { id, .. }), .. } if id != self.account.user_id() => {
                Reply { result: Err(GroupwareError::OtherAccount), login: LoginEvidence::None }
            }
            reply => reply,
        }
    }

    /// The details of the account that the credentials belong to, whichever it is.
    ///
    /// # Errors
    /// Any [`GroupwareError`]; [`GroupwareError::OtherAccount`] if the answer names two accounts.
    pub async fn owner(&self) -> Reply<AccountInfo> {
        let mut call = self.groupware.call_of(Route::User);
        self.authorize(&mut call);
        let read = |answer: Answer| {
            let user = user(&answer);
            let named = user.as_ref().ok().and_then(|user| names_only(&answer.headers, &user.id));
            answer.reply(named, |_| user)
        };
        self.groupware.call(&call, read).await
    }

    /// Revokes the app password of these credentials, whichever account it belongs to; it is refused from then on.
    ///
    /// # Errors
    /// Any [`GroupwareError`], with what is known of the password; [`GroupwareError::NotAnAppPassword`] if it
    /// is that of the account itself.
    pub async fn delete_app_password(&self) -> Reply<(), WriteError> {
        let call = self.groupware.call_of(Route::AppPassword);
        self.write(Ok(call), |answer| answer.data().map(drop)).await
    }
}

fn user(answer: &Answer) -> Result<AccountInfo, GroupwareError> {
    serde_json::from_slice(answer.data()?.as_bytes())
        .map_err(|error| GroupwareError::unreadable_by("its data is not an account", error))
}

/// Whether `password` is 72 letters and digits, or five groups of five: the formats of the server's app passwords.
pub(crate) fn has_the_form_of_an_app_password(password: &str) -> bool {
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match password.len() {
        72 => is_plain(password),
        29 => password.split('-').all(|group| group.len() == 5 && is_plain(group)),
        _ => false,
    }
}

/// An account's own details.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct AccountInfo {
    /// The account id, in its stored letter case.
    pub id: String,
    /// The groups it is in.
    pub groups: Vec<String>,
}

// === impl AccountInfo ===

impl AccountInfo {
    /// Whether it is in the group of administrators, `admin`.
    pub fn is_administrator(&self) -> bool {
        self.groups.iter().any(|group| group == "admin")
    }
}

//! The account itself, and its app password.

use std::net::IpAddr;

use bytes::Bytes;
use http::{HeaderValue, Method};
use serde::Deserialize;
use zeroize::Zeroizing;

use super::access::AccountCall;
use super::ocs::X_USER_ID;
use super::{Access, Account, Groupware, GroupwareError, LoginEvidence, RawJson, Reply, Route};

// === impl Access ===

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
            if_none_match: None,
            body: None,
        };
        let reply = self.call(call, |answer| {
            answer.data(Route::User).and_then(|data| user(&data))
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

    /// Whether `password`, which works for the account, is an app password and not the password of
    /// the account itself.
    ///
    /// The server accepts an app password as a bearer token, too. A bearer token that it does not
    /// know makes a request anonymous and is not counted as a failed login. A password that has the
    /// form of those that the server makes is not asked about.
    ///
    /// # Errors
    /// Any [`GroupwareError`]; then it is not known.
    pub async fn is_app_password(&self, password: &str) -> Result<bool, GroupwareError> {
        if has_the_form_of_an_app_password(password) {
            return Ok(true);
        }
        let field = Zeroizing::new(["Bearer ", password].concat());
        let mut bearer = HeaderValue::from_maybe_shared(Bytes::from_owner(field))
            .map_err(|_| GroupwareError::unreadable("the password fits in no header field"))?;
        bearer.set_sensitive(true);
        let call = AccountCall {
            route: Route::User,
            method: Method::GET,
            uri: self.groupware().routes().user.clone(),
            if_none_match: None,
            body: None,
        };
        let answer = self.exchange(call, bearer).await?;
        match answer.data(Route::User) {
            Ok(_) => Ok(true),
            Err(GroupwareError::Anonymous) => Ok(false),
            Err(error) => Err(error),
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
            if_none_match: None,
            body: None,
        };
        self.call(call, |answer| answer.data(Route::AppPassword).map(drop))
            .await
    }
}

// === impl Groupware ===

impl Groupware {
    /// Whose app password this is: the account that `login_name` and `password` open.
    ///
    /// # Errors
    /// Any [`GroupwareError`]; [`GroupwareError::OtherAccount`] if the answer names two accounts.
    pub async fn owner(
        &self,
        login_name: &str,
        password: &str,
        client_address: Option<IpAddr>,
    ) -> Reply<User> {
        let Ok(nobody) = Account::new("", login_name, password) else {
            let unusable = "the login name cannot be sent by HTTP Basic";
            return Reply::failed(GroupwareError::unreadable(unusable));
        };
        let access = Access::new(self.clone(), nobody).with_client_address(client_address);
        let call = AccountCall {
            route: Route::User,
            method: Method::GET,
            uri: self.routes().user.clone(),
            if_none_match: None,
            body: None,
        };
        let authorization = access.account().authorization();
        let answer = match access.exchange(call, authorization).await {
            Ok(answer) => answer,
            Err(error) => return Reply::failed(error),
        };
        let user = answer.data(Route::User).and_then(|data| user(&data));
        let named = answer.headers.get(X_USER_ID);
        match user {
            Ok(User { id, .. }) if named.is_some_and(|named| named.as_bytes() != id.as_bytes()) => {
                Reply::failed(GroupwareError::OtherAccount)
            }
            result => {
                let login = match &result {
                    Ok(_) => LoginEvidence::Accepted,
                    Err(error) => error.login_evidence(),
                };
                Reply { result, login }
            }
        }
    }
}

/// What the server says of an account.
fn user(data: &RawJson) -> Result<User, GroupwareError> {
    serde_json::from_slice(data.as_bytes()).map_err(|error| GroupwareError::Unreadable {
        reason: "its data is not an account",
        source: Some(error.into()),
    })
}

/// 72 letters and digits, or five groups of five: the two forms in which the server makes them.
fn has_the_form_of_an_app_password(password: &str) -> bool {
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match password.len() {
        72 => is_plain(password),
        29 => password
            .split('-')
            .all(|group| group.len() == 5 && is_plain(group)),
        _ => false,
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

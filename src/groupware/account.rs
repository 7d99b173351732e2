//! The account that a call is made as.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::headers::basic;

/// An account at the groupware server, with its app password.
///
/// The password is kept only in the value of an `Authorization` field, is wiped from memory when the
/// last clone is dropped, and does not appear in `Debug`.
#[derive(Clone, Debug)]
pub struct Account {
    user_id: Arc<str>,
    authorization: HeaderValue,
}

impl Account {
    /// The account `user_id`, authenticated by `login_name` and `app_password` with HTTP Basic (RFC 7617).
    ///
    /// The server counts such a login as failed if it refuses it, and throttles addresses with too many failed logins.
    ///
    /// The login name may differ from the user id: an app password works only with the login name
    /// that it was created with, for example an e-mail address.
    ///
    /// # Errors
    /// A login name with a colon, or a control character of ASCII in either (RFC 7617, section 2).
    pub fn new(
        user_id: impl Into<Arc<str>>,
        login_name: &str,
        app_password: &str,
    ) -> Result<Self, AccountError> {
        // All bytes are looked at, which compiles to vector instructions.
        let has_control =
            |text: &str| text.bytes().fold(false, |any, byte| any | byte.is_ascii_control());
        if login_name.contains(':') || has_control(login_name) || has_control(app_password) {
            return Err(AccountError);
        }
        Self::with(user_id, basic(login_name, app_password))
    }

    /// The account `user_id`, authenticated by `app_password` as a bearer token (RFC 6750).
    ///
    /// The server accepts app passwords like that, whatever their login name, but not account
    /// passwords. It neither counts nor throttles such logins.
    ///
    /// # Errors
    /// A control character in the password.
    pub fn bearer(user_id: impl Into<Arc<str>>, app_password: &str) -> Result<Self, AccountError> {
        let field = [b"Bearer ", app_password.as_bytes()].concat();
        Self::with(user_id, Zeroizing::new(field))
    }

    fn with(user_id: impl Into<Arc<str>>, field: Zeroizing<Vec<u8>>) -> Result<Self, AccountError> {
        let mut authorization =
            HeaderValue::from_maybe_shared(Bytes::from_owner(field)).map_err(|_| AccountError)?;
        authorization.set_sensitive(true);
        Ok(Self { user_id: user_id.into(), authorization })
    }

    /// The account id at the groupware server.
    pub fn user_id(&self) -> &str {
        &self.user_id
    }

    /// Whether it is authenticated by a bearer token.
    pub fn is_bearer(&self) -> bool {
        self.authorization.as_bytes().starts_with(b"Bearer ")
    }

    /// What stands for it where it is remembered.
    pub(super) fn digest(&self) -> [u8; 32] {
        let digest = Sha256::new_with_prefix(self.authorization.as_bytes());
        digest.chain_update([0]).chain_update(&*self.user_id).finalize().into()
    }

    /// The value of the `Authorization` field, marked as sensitive.
    pub(super) fn authorization(&self) -> HeaderValue {
        self.authorization.clone()
    }
}

/// Why a login name and app password cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a login name must not hold a colon, and neither it nor an app password a control character"
)]
pub struct AccountError;

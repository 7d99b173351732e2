//! The body of a store request (docs/API.md, section 5.1).

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use zeroize::{Zeroize as _, Zeroizing};

use super::members::members;
use crate::names::check_login_name;
use crate::vault::{AppPassword, FormatError};

/// A request to store a credential.
#[derive(Debug)]
#[non_exhaustive]
pub struct StoreCredential {
    /// The app password.
    pub password: AppPassword,
    /// The login name, if it is not the user id.
    pub login_name: Option<Box<str>>,
}

/// Why the body of a store request is refused. It contains no part of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialBodyError {
    /// Not a JSON object, or one with a duplicate member, including both names of one.
    #[error("The body must be a JSON object with the string appPassword and optionally loginName")]
    NotAnObject,
    /// No `appPassword`, or one that is not a string.
    #[error("Missing required field: appPassword, a string")]
    MissingPassword,
    /// An `appPassword` in the wrong format.
    #[error("Invalid appPassword: {0}")]
    Password(FormatError),
    /// A `loginName` that HTTP Basic cannot transmit (RFC 7617, section 2).
    #[error(
        "Invalid loginName: must be a string of 1 to 255 bytes without colon and control character"
    )]
    LoginName,
}

// === impl StoreCredential ===

impl StoreCredential {
    /// Parses the body of a store request, and wipes its buffer if nothing else references it.
    ///
    /// # Errors
    /// Any [`CredentialBodyError`].
    pub fn parse(body: Bytes) -> Result<Self, CredentialBodyError> {
        let parsed = Self::read(&body);
        if let Ok(mut body) = body.try_into_mut() {
            body.zeroize();
        }
        parsed
    }

    fn read(body: &[u8]) -> Result<Self, CredentialBodyError> {
        #[derive(Deserialize)]
        struct Members<'a> {
            #[serde(borrow, rename = "appPassword", alias = "app_password")]
            app_password: Option<&'a RawValue>,
            #[serde(borrow, rename = "loginName", alias = "login_name")]
            login_name: Option<&'a RawValue>,
        }

        let members: Members<'_> = members(body).ok_or(CredentialBodyError::NotAnObject)?;
        let password = members.app_password.and_then(text);
        let password = password.ok_or(CredentialBodyError::MissingPassword)?;
        let login_name = match members.login_name {
            None => None,
            Some(value) => match text(value) {
                Some(name) if check_login_name(&name).is_ok() => Some(name.as_str().into()),
                _ => return Err(CredentialBodyError::LoginName),
            },
        };
        Ok(Self {
            password: AppPassword::new(&password).map_err(CredentialBodyError::Password)?,
            login_name,
        })
    }
}

/// The string that `value` is, if it is one.
fn text(value: &RawValue) -> Option<Zeroizing<String>> {
    serde_json::from_str(value.get()).ok().map(Zeroizing::new)
}

//! The body of a store request (specification, section 4.2 rule 1).

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use zeroize::{Zeroize as _, Zeroizing};

use crate::gateway::Error;
use crate::vault::{AppPassword, FormatError};

/// What a store request asks for.
#[derive(Debug)]
pub struct StoreCredential {
    pub(super) password: AppPassword,
    /// The user id, where there is none.
    pub(super) login_name: Option<Box<str>>,
}

/// What is wrong with the body of a store request. It holds nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFault {
    /// Not a JSON object, or one in which a member is there twice or under both of its names.
    #[error(
        "The body must be a JSON object with the string appPassword and, if need be, loginName"
    )]
    Body,
    /// No `appPassword`, or one that is not a string.
    #[error("Missing required field: appPassword, a string")]
    MissingPassword,
    /// An `appPassword` that cannot be one.
    #[error("Invalid appPassword: {0}")]
    Password(FormatError),
    /// A `loginName` that HTTP Basic cannot carry (RFC 7617, section 2).
    #[error(
        "Invalid loginName: must be a string of 1 to 255 bytes without colon and control character"
    )]
    LoginName,
}

impl StoreCredential {
    /// Reads the body of a store request, and wipes it.
    ///
    /// # Errors
    ///
    /// [`Error::Store`].
    pub(in crate::gateway) fn parse(body: Bytes) -> Result<Self, Error> {
        let parsed = Self::read(&body);
        if let Ok(mut body) = body.try_into_mut() {
            body.zeroize();
        }
        parsed.map_err(Error::Store)
    }

    fn read(body: &[u8]) -> Result<Self, StoreFault> {
        #[derive(Deserialize)]
        struct Members<'a> {
            #[serde(borrow, rename = "appPassword", alias = "app_password")]
            app_password: Option<&'a RawValue>,
            #[serde(borrow, rename = "loginName", alias = "login_name")]
            login_name: Option<&'a RawValue>,
        }

        // An array would be read as the members in their order.
        if !body.trim_ascii_start().starts_with(b"{") {
            return Err(StoreFault::Body);
        }
        // The error of serde_json may hold a piece of the text, which may be the password.
        let members: Members<'_> = serde_json::from_slice(body).map_err(|_| StoreFault::Body)?;
        let password = members.app_password.and_then(text);
        let password = password.ok_or(StoreFault::MissingPassword)?;
        let login_name = match members.login_name {
            None => None,
            Some(written) => match text(written) {
                Some(name) if is_login_name(&name) => Some(name.as_str().into()),
                _ => return Err(StoreFault::LoginName),
            },
        };
        Ok(Self {
            password: AppPassword::new(&password).map_err(StoreFault::Password)?,
            login_name,
        })
    }
}

/// A string.
fn text(value: &RawValue) -> Option<Zeroizing<String>> {
    serde_json::from_str(value.get()).ok().map(Zeroizing::new)
}

fn is_login_name(name: &str) -> bool {
    (1..=255).contains(&name.len()) && !name.contains(|c: char| c == ':' || c.is_control())
}

//! The body of a request that sends an app password by HTTP Basic (docs/API.md, section 10.4).

use serde::Deserialize;
use serde_json::value::RawValue;

use super::members::members;
use crate::gateway::Error;
use crate::names::check_login_name;

/// What to do with the app password of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::gateway) enum AppPasswordInput {
    /// Store it.
    Store {
        /// `None` stands for the user id.
        login_name: Option<Box<str>>,
    },
    /// Remove the stored one.
    Delete,
}

impl AppPasswordInput {
    /// Parses the body of a store request: empty, or an object that may contain the login name.
    ///
    /// # Errors
    /// [`Error::InvalidUserName`].
    pub(in crate::gateway) fn store(body: &[u8]) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Members<'a> {
            #[serde(borrow)]
            username: Option<&'a RawValue>,
        }

        let body = body.trim_ascii();
        if body.is_empty() {
            return Ok(Self::Store { login_name: None });
        }
        let members: Members<'_> = members(body).ok_or(Error::InvalidUserName)?;
        let login_name = match members.username {
            None => None,
            Some(value) => {
                let name: String =
                    serde_json::from_str(value.get()).map_err(|_| Error::InvalidUserName)?;
                check_login_name(&name).map_err(|_| Error::InvalidUserName)?;
                Some(name.into())
            }
        };
        Ok(Self::Store { login_name })
    }
}

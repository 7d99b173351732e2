//! The body of a store request (docs/API.md, section 5.1).

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use zeroize::{Zeroize as _, Zeroizing};

use super::members::members;
use super::{InputError, refused};
use crate::names::check_login_name;
use crate::vault::AppPassword;

const NOT_AN_OBJECT: &str =
    "The body must be a JSON object with appPassword and optionally loginName";
const NO_PASSWORD: &str = "Missing required field: appPassword, a string";
/// HTTP Basic can transmit no others (RFC 7617, section 2).
const LOGIN_NAME: &str =
    "Invalid loginName: must be a string of 1 to 255 bytes without colon and control character";

#[derive(Debug)]
pub struct StoreCredential {
    pub password: AppPassword,
    /// The login name, if it is not the user id.
    pub login_name: Option<Box<str>>,
}

impl StoreCredential {
    /// Parses the body of a store request, and wipes its buffer if nothing else references it.
    pub fn parse(body: Bytes) -> Result<Self, InputError> {
        let parsed = Self::read(&body);
        if let Ok(mut body) = body.try_into_mut() {
            body.zeroize();
        }
        parsed
    }

    fn read(body: &[u8]) -> Result<Self, InputError> {
        #[derive(Deserialize)]
        struct Members<'a> {
            #[serde(borrow, rename = "appPassword", alias = "app_password")]
            app_password: Option<&'a RawValue>,
            #[serde(borrow, rename = "loginName", alias = "login_name")]
            login_name: Option<&'a RawValue>,
        }

        let members: Members<'_> = members(body).ok_or(refused(NOT_AN_OBJECT))?;
        let password = members.app_password.and_then(text);
        let password = password.ok_or(refused(NO_PASSWORD))?;
        let login_name = match members.login_name {
            None => None,
            Some(value) => match text(value) {
                Some(name) if check_login_name(&name).is_ok() => Some(name.as_str().into()),
                _ => return Err(refused(LOGIN_NAME)),
            },
        };
        let password = AppPassword::new(&password);
        Ok(Self {
            password: password.map_err(|fault| refused(format!("Invalid appPassword: {fault}")))?,
            login_name,
        })
    }
}

fn text(value: &RawValue) -> Option<Zeroizing<String>> {
    serde_json::from_str(value.get()).ok().map(Zeroizing::new)
}

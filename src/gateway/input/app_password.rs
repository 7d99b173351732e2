//! The body of a request that sends an app password by HTTP Basic (docs/API.md, section 10.4).

use serde::Deserialize;
use serde_json::value::RawValue;

use super::members::members;
use crate::gateway::Error;
use crate::names::check_login_name;

/// The login name in the body of a store request, which is empty or an object; `None` stands for the user id.
pub(crate) fn login_name(body: &[u8]) -> Result<Option<Box<str>>, Error> {
    #[derive(Deserialize)]
    struct Members<'a> {
        #[serde(borrow)]
        username: Option<&'a RawValue>,
    }

    let body = body.trim_ascii();
    if body.is_empty() {
        return Ok(None);
    }
    let members: Members<'_> = members(body).ok_or(Error::InvalidUserName)?;
    let Some(value) = members.username else {
        return Ok(None);
    };
    let name: Option<Box<str>> = serde_json::from_str(value.get()).ok();
    let name = name.filter(|name| check_login_name(name).is_ok());
    name.ok_or(Error::InvalidUserName).map(Some)
}

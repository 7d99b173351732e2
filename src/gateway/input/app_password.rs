//! The bodies of requests with HTTP Basic (docs/API.md, section 10.4).

use indexmap::IndexSet;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::members::members;
use crate::gateway::Error;
use crate::gateway::forward::Scope;
use crate::names::check_login_name;

/// The most scopes in a list, and the most bytes in each: more are not even looked at, nor repeated in the answer.
const MOST: usize = 100;

/// The body of a store request, which is empty or an object.
#[derive(Debug, Default)]
pub(crate) struct AppPasswordInput {
    /// `None` stands for the user id.
    pub(crate) login_name: Option<Box<str>>,
    /// Names, separated by spaces.
    pub(crate) scopes: Option<Box<str>>,
}

#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow)]
    username: Option<&'a RawValue>,
    #[serde(borrow)]
    scopes: Option<&'a RawValue>,
}

impl AppPasswordInput {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Error> {
        let body = body.trim_ascii();
        if body.is_empty() {
            return Ok(Self::default());
        }
        let members: Members<'_> = members(body).ok_or(Error::InvalidUserName)?;
        let login_name = members.username.map(|value| {
            let name: Option<Box<str>> = serde_json::from_str(value.get()).ok();
            name.filter(|name| check_login_name(name).is_ok()).ok_or(Error::InvalidUserName)
        });
        let scopes = members.scopes.map(list);
        Ok(Self { login_name: login_name.transpose()?, scopes: scopes.transpose()? })
    }
}

/// The list in the body of a request to change it, as names separated by spaces.
pub(crate) fn scopes(body: &[u8]) -> Result<Box<str>, Error> {
    let members: Option<Members<'_>> = members(body);
    list(members.and_then(|members| members.scopes).ok_or(Error::InvalidScopes)?)
}

fn list(value: &RawValue) -> Result<Box<str>, Error> {
    let names: Option<Vec<String>> = serde_json::from_str(value.get()).ok();
    let fits =
        |names: &Vec<String>| names.len() <= MOST && names.iter().all(|name| name.len() <= MOST);
    let names = names.filter(fits).ok_or(Error::InvalidScopes)?;
    let names: IndexSet<_> = names.into_iter().collect();
    let unknown = names.iter().map(String::as_str).filter(|name| Scope::parse(name).is_none());
    let unknown: Vec<_> = unknown.collect();
    if !unknown.is_empty() {
        return Err(Error::UnknownScopes(unknown.join(", ")));
    }
    Ok(names.into_iter().collect::<Vec<_>>().join(" ").into())
}

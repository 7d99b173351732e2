//! Which apps the server has (specification, section 2.4).

use std::borrow::Cow;
use std::net::IpAddr;

use http::Method;
use serde::ser::{Serialize, Serializer};

use super::client::Call;
use super::json::{Cursor, Stop};
use super::ocs::Route;
use super::{Account, Groupware, GroupwareError};

impl Groupware {
    /// The apps of the server, as its capabilities name them (specification, section 4.1 rule 1).
    ///
    /// The route is public: a refused password may get a 200, too. See [`AppIds::login_proved`].
    ///
    /// # Errors
    /// Any [`GroupwareError`]; [`GroupwareError::OtherAccount`] where the answer is for another
    /// account.
    pub async fn app_ids(
        &self,
        account: &Account,
        forwarded: Option<IpAddr>,
    ) -> Result<AppIds, GroupwareError> {
        let answer = self
            .exchange(Call {
                route: "capabilities",
                method: Method::GET,
                uri: self.routes().capabilities.clone(),
                account: Some(account),
                forwarded,
                body: None,
            })
            .await?;
        let names = answer.read(Route::Capabilities, names)?;
        let login_proved = match answer.headers.get("x-user-id") {
            Some(id) if id.as_bytes() == account.user_id().as_bytes() => true,
            Some(_) => return Err(GroupwareError::OtherAccount),
            None => false,
        };
        Ok(AppIds::new(names, login_proved))
    }
}

/// The keys of `capabilities`; none where that is absent, or an object without members as PHP
/// writes it.
fn names<'a>(data: &mut Cursor<'a, '_>) -> Result<Vec<Cow<'a, str>>, Stop> {
    let mut names = Vec::new();
    if data.nothing()? {
        return Ok(names);
    }
    data.object(|data, key| {
        if key != b"capabilities" {
            return data.skip();
        }
        if data.nothing()? {
            return Ok(());
        }
        names.reserve(64);
        data.object(|data, key| {
            match name(key) {
                Some(name) => names.push(name),
                None => return Err(Stop::Unexpected("a key that is not text")),
            }
            data.skip()
        })
    })?;
    Ok(names)
}

fn name(key: &[u8]) -> Option<Cow<'_, str>> {
    let key = std::str::from_utf8(key).ok()?;
    match key.contains('\\') {
        false => Some(Cow::Borrowed(key)),
        true => serde_json::from_str(&format!("\"{key}\""))
            .ok()
            .map(Cow::Owned),
    }
}

/// The identifiers of the apps of a server, sorted by code point, each once.
///
/// It serialises as an array of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppIds {
    /// All of them, one after the other.
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
    login_proved: bool,
}

impl AppIds {
    fn new(mut names: Vec<Cow<'_, str>>, login_proved: bool) -> Self {
        names.sort_unstable();
        names.dedup();
        let mut text = String::with_capacity(names.iter().map(|name| name.len()).sum());
        let ends = names.iter().map(|name| {
            text.push_str(name);
            text.len()
        });
        let ends = ends.collect();
        Self {
            text,
            ends,
            login_proved,
        }
    }

    /// Each identifier, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let name = &self.text[start..end];
            start = end;
            name
        })
    }

    /// Whether the answer shows that the password is good: it named the account as logged in.
    ///
    /// Without that, it may be what anybody gets.
    pub fn login_proved(&self) -> bool {
        self.login_proved
    }
}

impl Serialize for AppIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

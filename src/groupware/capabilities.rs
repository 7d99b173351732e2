//! Which apps the server has (docs/API.md, section 3).

use std::borrow::Cow;

use http::Method;
use serde::ser::{Serialize, Serializer};

use super::access::AccountCall;
use super::json::{Cursor, Stop};
use super::{Access, Reply, Route};

// === impl Access ===

impl Access {
    /// The apps of the server, as its capabilities name them (docs/API.md, section 3).
    ///
    /// The route is public: a server may answer 200 to a refused password, too. Then the answer
    /// is no evidence of the login.
    ///
    /// # Errors
    /// Any [`GroupwareError`](super::GroupwareError).
    pub async fn app_ids(&self) -> Reply<AppIds> {
        let call = AccountCall {
            route: Route::Capabilities,
            method: Method::GET,
            uri: self.groupware().routes().capabilities.clone(),
            body: None,
        };
        self.call(call, |answer| {
            answer.read(Route::Capabilities, names).map(AppIds::new)
        })
        .await
    }
}

/// The keys of `capabilities`; none if that is absent, or an object without members, which PHP
/// writes as `[]`.
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
}

// === impl AppIds ===

impl AppIds {
    fn new(mut names: Vec<Cow<'_, str>>) -> Self {
        names.sort_unstable();
        names.dedup();
        let mut text = String::with_capacity(names.iter().map(|name| name.len()).sum());
        let ends = names.iter().map(|name| {
            text.push_str(name);
            text.len()
        });
        let ends = ends.collect();
        Self { text, ends }
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
}

impl Serialize for AppIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

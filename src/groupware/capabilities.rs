//! The apps of the server (docs/API.md, section 3).

use std::borrow::Cow;

use bytes::Bytes;
use http::header::ETAG;
use serde_json::Value;

use super::call::Call;
use super::json::{Cursor, DUPLICATE, name};
use super::{Access, LoginEvidence, Reply, Route};

const BEGIN: &[u8] = br#"{"apps":"#;

/// The identifiers of the apps of a server, sorted by code point, each once.
///
/// Cheap to clone: clones share the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppIds {
    /// The object with these as its member `apps`, with which the list is answered: [`BEGIN`], the list, and a brace.
    pub(crate) object: Bytes,
    /// Whether the same answer said that refused logins of the address that asked are not counted.
    pub(super) is_allow_listed: bool,
}

// === impl AppIds ===

impl AppIds {
    fn new(mut names: Vec<Cow<'_, str>>, is_allow_listed: bool) -> Self {
        names.sort_unstable();
        names.dedup();
        let list = serde_json::to_vec(&names).expect("texts can always be written");
        Self { object: [BEGIN, &list, b"}"].concat().into(), is_allow_listed }
    }

    /// The identifiers, in order.
    pub fn to_vec(&self) -> Vec<String> {
        let list = &self.object[BEGIN.len()..self.object.len() - 1];
        serde_json::from_slice(list).expect("it was written as a list of strings")
    }
}

// === impl Access ===

impl Access {
    /// The apps of the server, as listed in its capabilities (docs/API.md, section 3).
    ///
    /// The endpoint is public: to a refused login the server may give the shorter answer that everyone
    /// gets. So if the answer names no account, a second call checks the login
    /// ([`user`](Access::user)), unless the server reports that its answer has not changed.
    ///
    /// # Errors
    /// Any [`GroupwareError`](super::GroupwareError).
    pub async fn app_ids(&self) -> Reply<AppIds> {
        let (known_apps, user_id) = (&self.groupware.0.known_apps, self.account.user_id());
        let known = known_apps.get(user_id);
        let tag = known.as_ref().map(|known| known.tag.clone());
        let call = Call { if_none_match: tag, ..self.groupware.call_of(Route::Capabilities) };
        // A new answer comes with its entity tag.
        let reply = self.call(call, |answer| match &known {
            Some(known) if answer.is_unchanged(&known.tag) => Ok((known.apps.clone(), None)),
            _ => {
                let (names, listed) = answer.read(Some(Default::default()), capabilities)?;
                let apps = AppIds::new(names, listed);
                Ok((apps, Some(answer.headers.get(ETAG).cloned())))
            }
        });
        let Reply { result, login } = match reply.await {
            Reply { result: Ok(answered), login: LoginEvidence::None } => match answered {
                (_, None) => Reply { result: Ok(answered), login: LoginEvidence::Accepted },
                _ => self.confirm(answered, LoginEvidence::None).await,
            },
            reply => reply,
        };
        match &result {
            Ok((_, None)) => {}
            // Only an answer to this account is kept for it.
            Ok((apps, Some(tag))) if login == LoginEvidence::Accepted => {
                known_apps.learn(user_id, tag.as_ref(), apps);
            }
            _ => known_apps.forget(user_id),
        }
        let result = result.map(|(apps, _)| apps);
        if let (Ok(apps), None) = (&result, self.client_address) {
            self.groupware.learn_allow_listed(apps.is_allow_listed);
        }
        Reply { result, login }
    }
}

/// The keys of `capabilities`, and whether the address that asked is allow-listed; none if that is absent or an empty
/// object, which PHP encodes as `[]`.
fn capabilities<'a>(data: &mut Cursor<'a, '_>) -> Result<(Vec<Cow<'a, str>>, bool), &'static str> {
    let (mut names, mut is_allow_listed, mut is_found) = (Vec::new(), false, false);
    if data.nothing()? {
        return Ok((names, is_allow_listed));
    }
    data.object(|data, key| {
        if name(key).as_deref() != Some("capabilities") {
            return data.skip();
        }
        if std::mem::replace(&mut is_found, true) {
            return Err(DUPLICATE);
        }
        if data.nothing()? {
            return Ok(());
        }
        names.reserve(64);
        data.object(|data, key| {
            names.push(name(key).ok_or("a key that is not text")?);
            if key == b"bruteforce" {
                let read: Value = serde_json::from_slice(data.raw()?).unwrap_or_default();
                is_allow_listed = read["allow-listed"] == true;
                return Ok(());
            }
            data.skip()
        })
    })?;
    Ok((names, is_allow_listed))
}

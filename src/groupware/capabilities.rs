//! Which apps the server has (specification, section 2.4).

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use http::Method;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::client::Call;
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
        let data = answer.data(Route::Capabilities)?;
        let login_proved = match answer.headers.get("x-user-id") {
            Some(id) if id.as_bytes() == account.user_id().as_bytes() => true,
            Some(_) => return Err(GroupwareError::OtherAccount),
            None => false,
        };
        let Data { capabilities } = serde_json::from_slice(data.as_bytes()).map_err(|error| {
            GroupwareError::Unreadable {
                reason: "its capabilities are not an object",
                source: Some(error.into()),
            }
        })?;
        Ok(AppIds::new(
            capabilities.unwrap_or_default().0,
            login_proved,
        ))
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

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    capabilities: Option<Keys<'a>>,
}

/// The keys of an object, or none of an empty array, which is how PHP writes an empty object.
#[derive(Default)]
struct Keys<'a>(Vec<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for Keys<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeysVisitor;

        impl<'de> Visitor<'de> for KeysVisitor {
            type Value = Keys<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object or an empty array")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys<'de>, A::Error> {
                let mut keys = Vec::with_capacity(64);
                while let Some(Key(key)) = map.next_key()? {
                    map.next_value::<IgnoredAny>()?;
                    keys.push(key);
                }
                Ok(Keys(keys))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Keys<'de>, A::Error> {
                match seq.next_element::<IgnoredAny>()? {
                    None => Ok(Keys::default()),
                    Some(_) => Err(serde::de::Error::invalid_length(1, &self)),
                }
            }
        }

        deserializer.deserialize_any(KeysVisitor)
    }
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

//! Whose an event is (docs/API.md, section 12.3).
//!
//! That is not who caused it: an invitation is in the calendar of the invited, with what only they may see of it.

use serde::Deserialize;
use serde::de::{Deserializer as _, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::known::bare;
use super::{EventClasses, KnownEvent};

/// How the paths of users' calendars begin.
const USERS: &str = "principals/users/";

/// Where the owner stands in an event of a class: at all of these paths below `event`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Owner {
    /// Nowhere: it belongs to nobody.
    #[default]
    Nobody,
    /// Whoever caused it may have all that it holds.
    Actor,
    /// The first segment of a path of a file.
    Path(Vec<String>),
    /// The last segment of the principal of a calendar.
    Principal(Vec<String>),
    /// The whole value.
    Account(Vec<String>),
}

// === impl EventClasses ===

impl EventClasses {
    /// The account whose thing an event of `class` is about, a valid JSON object; `None` if it says of none, or of several.
    /// `actor` is who caused it. Takes linear time.
    pub(crate) fn owner(
        &self,
        class: &str,
        event: &RawValue,
        actor: Option<String>,
    ) -> Option<String> {
        match KnownEvent::find(class) {
            Some(known) => known.owner.of(event, actor),
            None if self.trusted.iter().any(|it| **it == *bare(class)) => actor,
            None => None,
        }
    }
}

// === impl Owner ===

impl Owner {
    fn of(&self, event: &RawValue, actor: Option<String>) -> Option<String> {
        let (paths, read): (_, fn(&str) -> Option<&str>) = match self {
            Self::Nobody => return None,
            Self::Actor => return actor,
            Self::Path(paths) => (paths, of_path),
            Self::Principal(paths) => {
                (paths, |text| text.strip_prefix(USERS).filter(|user| !user.contains('/')))
            }
            Self::Account(paths) => (paths, |text| Some(text)),
        };
        let mut owners = paths.iter().map(|path| {
            let value = path.split('.').try_fold(event, member)?;
            let text: String = serde_json::from_str(value.get()).ok()?;
            read(&text).map(str::to_owned)
        });
        let first = owners.next()??;
        owners.all(|owner| owner.as_ref() == Some(&first)).then_some(first)
    }
}

/// The user whose files a path is among; none for the folders of the server itself.
fn of_path(path: &str) -> Option<&str> {
    let user = path.strip_prefix('/')?.split('/').next()?;
    let is_servers = matches!(user, "" | "__groupfolders" | "files_external");
    (!is_servers && !user.starts_with("appdata_")).then_some(user)
}

/// The only member of `object` with this name.
fn member<'e>(object: &'e RawValue, name: &str) -> Option<&'e RawValue> {
    struct Named<'n>(&'n str);

    impl<'e> Visitor<'e> for Named<'_> {
        type Value = Option<&'e RawValue>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'e>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(key) = map.next_key::<String>()? {
                let value = map.next_value()?;
                // Readers differ in which of two they take.
                if key == self.0 && found.replace(value).is_some() {
                    return Err(A::Error::duplicate_field("owner"));
                }
            }
            Ok(found)
        }
    }

    let mut json = serde_json::Deserializer::from_str(object.get());
    json.deserialize_map(Named(name)).ok().flatten()
}

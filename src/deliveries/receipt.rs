//! What was received: an event, as the server or its front end sent it.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::IdError;
use super::queue::{Mark, OVERHEAD};
use crate::groupware::EventClasses;
use crate::names::{MAX_LEN, check_user_id};
use crate::random;

/// The most levels of objects and arrays: as many as `serde_json` reads.
const MAX_DEPTH: usize = 127;

/// Names a receipt: 40 bits of the time, in milliseconds, so that those that come together are neighbours in an index, and 88
/// random ones. Displayed as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ReceiptId(u128);

/// A body as it is kept, and what is read in it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Incoming {
    /// The account that the event belongs to, if it is one account's.
    pub account: Option<Box<str>>,
    /// The class of the event, without a leading backslash.
    pub class: Box<str>,
    /// The body without `authentication`, otherwise byte for byte.
    pub body: Vec<u8>,
}

/// Why a body is no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IncomingError {
    /// Not JSON.
    #[error("the body is not valid JSON")]
    NotJson,
    /// Nested so deeply that those who read it later might not.
    #[error("the body has more than {MAX_DEPTH} levels of objects and arrays")]
    TooDeep,
    /// Not an object with one `event` that has a `class` of 1 to 255 bytes without control characters.
    #[error("the body must be an object with one object \"event\" that has a \"class\"")]
    NoEvent,
}

/// A receipt as a queue is given it.
#[derive(Clone, Debug)]
pub struct NewReceipt {
    /// Its id.
    pub id: ReceiptId,
    /// The account that the event belongs to.
    pub account: Option<Box<str>>,
    /// The class of the event.
    pub class: Box<str>,
    /// The sealed body.
    pub sealed: Box<[u8]>,
}

/// What was received, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its id.
    pub id: ReceiptId,
    /// Its place in the order in which receipts were committed.
    pub position: i64,
    /// The account that the event belongs to.
    pub account: Option<Box<str>>,
    /// The class of the event.
    pub class: Box<str>,
    /// When it was received, by the clock of the database.
    pub received_at: SystemTime,
    /// The sealed body.
    pub sealed: Box<[u8]>,
}

/// The members of a body, as far as they are read.
#[derive(Default)]
struct Members<'b> {
    event: Option<&'b RawValue>,
    user: Option<&'b RawValue>,
    /// Each `authentication`: where the value before it ended, if there was one, and where its own ends.
    cuts: Vec<(Option<usize>, usize)>,
}

#[derive(Deserialize)]
struct Event {
    class: String,
}

#[derive(Deserialize)]
struct User {
    uid: String,
}

// === impl ReceiptId ===

impl ReceiptId {
    /// A new one.
    ///
    /// # Errors
    /// If the operating system gives no random bytes.
    pub fn random() -> io::Result<Self> {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Ok(Self(time << 88 | u128::from_be_bytes(random::bytes()?) >> 40))
    }

    /// The first half of its digits: enough to tell it from others.
    pub(crate) fn half(self) -> u64 {
        (self.0 >> 64) as u64
    }
}

impl fmt::Display for ReceiptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for ReceiptId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        super::hex_digits(text, 32).map(Self)
    }
}

// === impl Receipt ===

impl Receipt {
    /// How far somebody has read who has read it.
    pub fn mark(&self) -> Mark {
        Mark { position: self.position, event: Some(self.id.half()), gap: 0 }
    }
}

// === impl NewReceipt ===

impl NewReceipt {
    /// As it is kept at `position`.
    pub(super) fn kept(self, position: i64, received_at: SystemTime) -> Receipt {
        let Self { id, account, class, sealed } = self;
        Receipt { id, position, account, class, received_at, sealed }
    }

    /// The bytes that it takes of `deliveries_max`.
    pub(super) fn size(&self) -> u64 {
        self.sealed.len() as u64 + OVERHEAD
    }
}

// === impl Incoming ===

impl Incoming {
    /// Reads a body, and cuts `authentication` out of it: it holds app passwords that are in force. `classes` say whose its
    /// event is.
    ///
    /// # Errors
    /// It is no event.
    pub fn parse(body: &[u8], classes: &EventClasses) -> Result<Self, IncomingError> {
        let text = std::str::from_utf8(body).map_err(|_| IncomingError::NotJson)?;
        let whole: &RawValue = serde_json::from_str(text).map_err(|_| IncomingError::NotJson)?;
        if !whole.get().starts_with('{') {
            return Err(IncomingError::NoEvent);
        }
        if is_deep(text) {
            return Err(IncomingError::TooDeep);
        }
        let mut json = serde_json::Deserializer::from_str(text);
        let members = json.deserialize_map(MembersOf(text));
        let members = members.map_err(|_| IncomingError::NoEvent)?;
        // `serde` would read a list as the members in their order.
        let is_object = |value: &&RawValue| value.get().starts_with('{');
        let event = members.event.filter(is_object);
        let event = event.ok_or(IncomingError::NoEvent)?;
        let read: Event = serde_json::from_str(event.get()).map_err(|_| IncomingError::NoEvent)?;
        let class = read.class.trim_start_matches('\\');
        // PostgreSQL keeps no NUL in a text, and would refuse the receipts of the same transaction with it.
        if !(1..=MAX_LEN).contains(&class.len()) || class.contains(char::is_control) {
            return Err(IncomingError::NoEvent);
        }
        let user =
            members.user.filter(is_object).map(|user| serde_json::from_str::<User>(user.get()));
        let actor = user.and_then(Result::ok).map(|user| user.uid);
        let owner = classes.owner(class, event, actor);
        Ok(Self {
            account: owner.filter(|owner| check_user_id(owner).is_ok()).map(Into::into),
            class: class.into(),
            body: without(text, &members.cuts).into_bytes(),
        })
    }
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming")
            .field("account", &self.account)
            .field("class", &self.class)
            .finish_non_exhaustive()
    }
}

/// Whether `json`, which is valid, has more than [`MAX_DEPTH`] levels.
fn is_deep(json: &str) -> bool {
    let opens = |byte: &u8| matches!(byte, b'{' | b'[');
    // Most have few: counting these costs a tenth.
    if json.as_bytes().iter().filter(|byte| opens(byte)).count() <= MAX_DEPTH {
        return false;
    }
    let (mut depth, mut is_quoted, mut is_escaped) = (0, false, false);
    json.bytes().any(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b'{' | b'[' if !is_quoted => depth += 1,
            b'}' | b']' if !is_quoted => depth -= 1,
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

/// `text` without what `cuts` name.
fn without(text: &str, cuts: &[(Option<usize>, usize)]) -> String {
    let brace = text.find('{').map_or(0, |at| at + 1);
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    for &(before, end) in cuts {
        let start = from.max(before.unwrap_or(brace));
        kept.push_str(&text[from..start]);
        // With the comma before it or, if no member precedes it, with the one after it.
        let rest = text[end..].trim_ascii_start();
        from = match (before, rest.strip_prefix(',')) {
            (None, Some(rest)) => text.len() - rest.len(),
            _ => end,
        };
    }
    kept.push_str(&text[from..]);
    kept
}

/// Reads the members of the object that the text is.
struct MembersOf<'b>(&'b str);

impl<'b> Visitor<'b> for MembersOf<'b> {
    type Value = Members<'b>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'b>>(self, mut map: A) -> Result<Members<'b>, A::Error> {
        let mut members = Members::default();
        // The end of the member before; `None` at the first one, and at one that follows those that are cut.
        let mut before = None;
        while let Some(key) = map.next_key::<String>()? {
            let value: &RawValue = map.next_value()?;
            let end = value.get().as_ptr().addr() - self.0.as_ptr().addr() + value.get().len();
            let known = match &*key {
                "authentication" => {
                    members.cuts.push((before, end));
                    continue;
                }
                "event" => members.event.replace(value),
                "user" => members.user.replace(value),
                _ => None,
            };
            // Readers differ in which of two they take.
            if known.is_some() {
                return Err(A::Error::duplicate_field("event"));
            }
            before = Some(end);
        }
        Ok(members)
    }
}

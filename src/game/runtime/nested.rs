use std::fmt;

use super::decode::Decode;
use super::encode::{Encode, Output};
use super::error::DecodeError;
use super::fragments::Fragments;

/// A sub-message: absent, unread bytes or, for encoding, a value.
///
/// ```
/// use portreeve::game::Nested;
/// use portreeve::game::info::User;
/// use portreeve::game::payload::GetUserInfo;
///
/// let answer = GetUserInfo::parse(b"\x0a\x05\x0a\x03ann")?;
/// assert!(answer.user_info.is_present());
/// let user = answer.user_info.get()?.expect("it is present");
/// assert_eq!(user.name()?, "ann");
///
/// let bob = User { name: Some("bob".into()), ..User::default() };
/// let answer = GetUserInfo { user_info: Nested::from(&bob), ..GetUserInfo::default() };
/// # let _ = answer;
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Nested<'a, M>(Inner<'a, M>);

#[derive(Clone, Copy)]
enum Inner<'a, M> {
    Absent,
    Bytes(&'a [u8]),
    Merged(Fragments<'a>),
    Value(&'a M),
}

impl<'a, M: Decode<'a>> Nested<'a, M> {
    /// No sub-message.
    pub const ABSENT: Self = Self(Inner::Absent);

    /// A sub-message in these bytes.
    #[inline]
    pub const fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(Inner::Bytes(bytes))
    }

    pub(crate) const fn from_fragments(fragments: Fragments<'a>) -> Self {
        Self(Inner::Merged(fragments))
    }

    /// Whether it is present.
    #[inline]
    pub fn is_present(&self) -> bool {
        !matches!(self.0, Inner::Absent)
    }

    /// The sub-message, if it is present.
    ///
    /// # Errors
    /// [`DecodeError`] if its bytes cannot be read.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get(&self) -> Result<Option<M>, DecodeError> {
        match self.0 {
            Inner::Absent => Ok(None),
            Inner::Bytes(bytes) => M::read(bytes).map(Some),
            Inner::Merged(fragments) => {
                let mut message = M::empty();
                message.read_merged(fragments)?;
                Ok(Some(message))
            }
            Inner::Value(value) => Ok(Some(*value)),
        }
    }

    /// Reads the sub-message into `slot`, replacing its value; `None` if it is absent, and then `slot` is not changed.
    ///
    /// Like [`get`](Self::get), but the message is not moved after it was read.
    ///
    /// # Errors
    /// [`DecodeError`] if its bytes cannot be read.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn read_into<'s>(&self, slot: &'s mut Option<M>) -> Result<Option<&'s M>, DecodeError> {
        match self.0 {
            Inner::Absent => Ok(None),
            Inner::Bytes(bytes) => {
                let message = slot.insert(M::empty());
                message.read_whole(bytes)?;
                Ok(Some(message))
            }
            _ => self.read_rare(slot),
        }
    }

    #[cold]
    #[inline(never)]
    fn read_rare<'s>(&self, slot: &'s mut Option<M>) -> Result<Option<&'s M>, DecodeError> {
        Ok(self.get()?.map(|message| &*slot.insert(message)))
    }

    /// Records an occurrence of the field `number` of the message `outer`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn record(&mut self, bytes: &'a [u8], outer: &'a [u8], number: u32) {
        match self.0 {
            Inner::Absent => self.0 = Inner::Bytes(bytes),
            _ => self.record_again(outer, number),
        }
    }

    #[cold]
    #[inline]
    fn record_again(&mut self, outer: &'a [u8], number: u32) {
        self.0 = Inner::Merged(Fragments::one(outer).of_field(number));
    }

    /// Called when the enclosing message was merged from the fragments `outer`: a sub-message that occurred more
    /// than once may have occurred in several of them, so all of them contain its fragments.
    ///
    /// One that occurred once is in one piece, and needs nothing.
    #[cold]
    pub(crate) fn finish_merge(&mut self, outer: Fragments<'a>, number: u32) {
        if let Inner::Merged(_) = self.0 {
            self.0 = Inner::Merged(outer.of_field(number));
        }
    }
}

impl<M: Encode> Nested<'_, M> {
    pub(crate) fn write(&self, number: u32, out: &mut Output<'_>) {
        match self.0 {
            Inner::Absent => {}
            Inner::Bytes(bytes) => out.bytes(number, bytes),
            Inner::Merged(fragments) => {
                for fragment in fragments.iter() {
                    out.bytes(number, fragment);
                }
            }
            Inner::Value(value) => out.message(number, value),
        }
    }
}

impl<'a, M: Decode<'a> + fmt::Debug> fmt::Debug for Nested<'a, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get() {
            Ok(Some(message)) => message.fmt(f),
            Ok(None) => f.write_str("absent"),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

impl<M> Default for Nested<'_, M> {
    #[inline]
    fn default() -> Self {
        Self(Inner::Absent)
    }
}

impl<'a, M> From<&'a M> for Nested<'a, M> {
    #[inline]
    fn from(value: &'a M) -> Self {
        Self(Inner::Value(value))
    }
}

impl<'a, M> From<Option<&'a M>> for Nested<'a, M> {
    #[inline]
    fn from(value: Option<&'a M>) -> Self {
        Self(value.map_or(Inner::Absent, Inner::Value))
    }
}

use std::fmt;

use super::describe::Description;
use super::fragments::Fragments;
use super::raw::{RawFields, UnknownField};

/// The unknown fields of a message: fields that the schema does not have, or has with another wire type, and
/// enum values that the schema does not have.
///
/// ```
/// use portreeve::game::info::User;
/// use portreeve::game::{Message, UnknownValue};
///
/// // Field 99, which no user has.
/// let user = User::parse(b"\x98\x06\x2a")?;
/// let field = user.unknown.iter().next().expect("there is one");
/// assert_eq!((field.number, field.value), (99, UnknownValue::Varint(42)));
/// // Encoded, it is kept.
/// assert_eq!(user.to_vec(), b"\x98\x06\x2a");
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct UnknownFields<'a>(Option<Extent<'a>>);

/// Where the unknown fields are, and how to distinguish them from known ones.
#[derive(Clone, Copy)]
struct Extent<'a> {
    /// The message; if it is in one piece, from the first unknown field on.
    within: Fragments<'a>,
    message: &'static Description,
}

impl<'a> UnknownFields<'a> {
    /// The unknown fields of a message that did not record them while it was read.
    pub(crate) fn new(within: Fragments<'a>, message: &'static Description) -> Self {
        Self(Some(Extent { within, message }))
    }

    /// The fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = UnknownField<'a>> + use<'a> {
        self.0.into_iter().flat_map(|Extent { within, message }| {
            let is_unknown =
                |field: &UnknownField<'a>| message.find(field.number, field.value).is_none();
            RawFields::new(within).filter(is_unknown)
        })
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_none() || self.iter().next().is_none()
    }

    /// Records an unknown field; `from` begins with its tag and ends with the message.
    #[cold]
    #[inline]
    pub(crate) fn record(&mut self, from: &'a [u8], message: &'static Description) {
        self.0.get_or_insert(Extent { within: Fragments::one(from), message });
    }

    /// Called when the message was merged from several fragments, all of which may contain unknown fields.
    #[cold]
    pub(crate) fn finish_merge(&mut self, fragments: Fragments<'a>) {
        if let Some(extent) = &mut self.0 {
            extent.within = fragments;
        }
    }
}

impl fmt::Debug for UnknownFields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

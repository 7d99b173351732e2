use std::iter::FusedIterator;

use crate::game::runtime::extension::FIRST_EXTENSION;
use crate::game::runtime::fragments::Fragments;
use crate::game::runtime::unknown::{RawFields, UnknownValue};
use crate::game::runtime::wire::{Tag, WireType};
use crate::game::schema::payload::PayloadKind;

/// An extension of a [`Response`](crate::game::Response) as it was sent.
///
/// ```
/// use portreeve::game::{Extension, Response};
///
/// // A payload that this crate does not know.
/// let response = Response::parse(b"\x08\x07\x10\x01\x8a\x7d\x01a")?;
/// let extensions: Vec<_> = response.extensions().collect();
/// assert_eq!(extensions, [Extension { number: 2001, bytes: b"a" }]);
/// assert_eq!(extensions[0].kind(), None);
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension<'a> {
    /// Its number, at least 100.
    pub number: u32,
    /// The bytes of its message.
    pub bytes: &'a [u8],
}

/// The extensions of a [`Response`](crate::game::Response), in order.
#[derive(Clone, Debug)]
pub struct Extensions<'a>(RawFields<'a>);

// === impl Extension ===

impl Extension<'_> {
    /// The kind with this number; `None` if it is unknown.
    #[inline(always)]
    pub fn kind(&self) -> Option<PayloadKind> {
        PayloadKind::from_number(self.number)
    }

    /// Whether this is the tag of an extension.
    #[inline(always)]
    pub(super) fn is_tag(tag: Tag) -> bool {
        tag.is(WireType::LengthDelimited) && tag.field_number() >= FIRST_EXTENSION
    }
}

// === impl Extensions ===

impl<'a> Extensions<'a> {
    /// The extensions of a message that was read before.
    pub(super) fn of(message: Fragments<'a>) -> Self {
        Self(RawFields::of(message))
    }
}

impl<'a> Iterator for Extensions<'a> {
    type Item = Extension<'a>;

    fn next(&mut self) -> Option<Extension<'a>> {
        self.0.find_map(|field| match field.value {
            UnknownValue::Delimited(bytes) if field.number >= FIRST_EXTENSION => Some(Extension {
                number: field.number,
                bytes,
            }),
            _ => None,
        })
    }
}

impl FusedIterator for Extensions<'_> {}

use crate::game::runtime::describe::FIRST_EXTENSION;
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

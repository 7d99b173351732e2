use std::fmt;

use super::describe::Description;
use super::fragments::{FragmentIter, Fragments};
use super::options::MAX_DEPTH;
use super::wire::{Reader, WireType};

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

/// A field that the schema does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownField<'a> {
    /// Its number.
    pub number: u32,
    /// Its value, as far as the encoding determines it.
    pub value: UnknownValue<'a>,
    /// The bytes of the field, including its tag.
    pub bytes: &'a [u8],
}

/// The value of an unknown field: one variant for each wire type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownValue<'a> {
    /// The encoded value of an integer, a boolean or an enum.
    Varint(u64),
    /// Eight bytes, as a little-endian number.
    Fixed64(u64),
    /// Text, bytes, a message or packed numbers.
    Delimited(&'a [u8]),
    /// The fields of a group.
    Group(&'a [u8]),
    /// Four bytes, as a little-endian number.
    Fixed32(u32),
}

/// All fields of a message that was read before, known and unknown, in the order of its bytes.
#[derive(Clone, Debug)]
pub(crate) struct RawFields<'a> {
    reader: Reader<'a>,
    fragments: FragmentIter<'a>,
}

// === impl UnknownFields ===

impl<'a> UnknownFields<'a> {
    /// The unknown fields of a message that did not record them while it was read.
    pub(crate) fn of(within: Fragments<'a>, message: &'static Description) -> Self {
        Self(Some(Extent { within, message }))
    }

    /// The fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = UnknownField<'a>> + use<'a> {
        self.0.into_iter().flat_map(|Extent { within, message }| {
            RawFields::of(within).filter(|field| !message.knows(field))
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
        self.0.get_or_insert(Extent {
            within: Fragments::one(from),
            message,
        });
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

// === impl RawFields ===

impl<'a> RawFields<'a> {
    pub(crate) fn of(message: Fragments<'a>) -> Self {
        Self {
            reader: Reader::new(&[]),
            fragments: message.iter(),
        }
    }
}

impl<'a> Iterator for RawFields<'a> {
    type Item = UnknownField<'a>;

    /// An error cannot occur, since all bytes were read when the message was parsed; it is treated as the end.
    fn next(&mut self) -> Option<UnknownField<'a>> {
        let reader = &mut self.reader;
        while reader.is_empty() {
            *reader = Reader::new(self.fragments.next()?);
        }
        let start = reader.rest();
        let tag = reader.tag().ok()?;
        let inside = reader.rest();
        let value = match tag.wire_type()? {
            WireType::Varint => UnknownValue::Varint(reader.varint().ok()?),
            WireType::Fixed64 => UnknownValue::Fixed64(reader.fixed64().ok()?),
            WireType::LengthDelimited => UnknownValue::Delimited(reader.length_delimited().ok()?),
            WireType::Fixed32 => UnknownValue::Fixed32(reader.fixed32().ok()?),
            WireType::StartGroup | WireType::EndGroup => {
                reader.skip(tag, MAX_DEPTH).ok()?;
                let group = &inside[..inside.len() - reader.rest().len()];
                UnknownValue::Group(without_end(group))
            }
        };
        Some(UnknownField {
            number: tag.field_number(),
            value,
            bytes: &start[..start.len() - reader.rest().len()],
        })
    }
}

/// The bytes of a group without its end tag. That tag may be encoded in more bytes than necessary, so the
/// search for it begins at the start.
fn without_end(group: &[u8]) -> &[u8] {
    let mut reader = Reader::new(group);
    loop {
        let before = reader.rest();
        let Ok(tag) = reader.tag() else { return group };
        if reader.is_empty() {
            return &group[..group.len() - before.len()];
        }
        if reader.skip(tag, MAX_DEPTH).is_err() {
            return group;
        }
    }
}

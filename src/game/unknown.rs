use super::MAX_DEPTH;
use super::merged::{PieceIter, Pieces};
use super::wire::{DELIMITED, FIXED32, FIXED64, Reader, Tag, VARINT};

/// The fields of a message that its schema does not have, or has with another wire type, and enum
/// values that the schema does not have.
#[derive(Clone, Copy, Default)]
pub struct UnknownFields<'a>(Option<Place<'a>>);

#[derive(Clone, Copy)]
struct Place<'a> {
    /// The message, from the first unknown field on where it is in one piece.
    within: Pieces<'a>,
    is_known: IsKnown,
}

/// Whether the message has this field; for an enum the value counts too.
pub(crate) type IsKnown = fn(Tag, u64) -> bool;

impl<'a> UnknownFields<'a> {
    /// Those of a message that was not noted field by field.
    pub(crate) fn of(message: Pieces<'a>, is_known: IsKnown) -> Self {
        Self(Some(Place {
            within: message,
            is_known,
        }))
    }

    /// The fields, in order.
    pub fn iter(&self) -> UnknownIter<'a> {
        UnknownIter(self.0.map(|place| {
            let single = place.within.single();
            UnknownCursor {
                reader: Reader::new(single.unwrap_or_default()),
                pieces: single.is_none().then(|| place.within.iter()),
                is_known: place.is_known,
            }
        }))
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Notes an unknown field; `from` begins with its tag and ends with the message.
    #[cold]
    #[inline]
    pub(crate) fn note(&mut self, from: &'a [u8], is_known: IsKnown) {
        self.0.get_or_insert(Place {
            within: Pieces::one(from),
            is_known,
        });
    }

    /// Tells that the message, fully noted by now, was in several pieces.
    #[cold]
    pub(crate) fn spread(&mut self, pieces: Pieces<'a>) {
        if let Some(place) = &mut self.0 {
            place.within = pieces;
        }
    }
}

impl<'a> IntoIterator for UnknownFields<'a> {
    type Item = UnknownField<'a>;
    type IntoIter = UnknownIter<'a>;

    fn into_iter(self) -> UnknownIter<'a> {
        self.iter()
    }
}

impl std::fmt::Debug for UnknownFields<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A field that the schema does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownField<'a> {
    /// Its number.
    pub number: u32,
    /// Its value, as far as the encoding tells.
    pub value: UnknownValue<'a>,
    /// The field as it stands in the message, tag included.
    pub bytes: &'a [u8],
}

/// What the encoding tells of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownValue<'a> {
    /// An integer, a boolean or an enum, as it was sent.
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

/// The unknown fields of a message.
#[derive(Clone, Debug)]
pub struct UnknownIter<'a>(Option<UnknownCursor<'a>>);

#[derive(Clone, Debug)]
struct UnknownCursor<'a> {
    reader: Reader<'a>,
    pieces: Option<PieceIter<'a>>,
    is_known: IsKnown,
}

impl<'a> Iterator for UnknownIter<'a> {
    type Item = UnknownField<'a>;

    fn next(&mut self) -> Option<UnknownField<'a>> {
        let UnknownCursor {
            reader,
            pieces,
            is_known,
        } = self.0.as_mut()?;
        loop {
            while reader.is_empty() {
                *reader = Reader::new(pieces.as_mut()?.next()?);
            }
            let (tag, field) = read_field(reader)?;
            let varint = match field.value {
                UnknownValue::Varint(value) => value,
                _ => 0,
            };
            if !is_known(tag, varint) {
                return Some(field);
            }
        }
    }
}

impl std::iter::FusedIterator for UnknownIter<'_> {}

/// The next field. The bytes have been read through before, so that what cannot be read is as
/// good as the end.
fn read_field<'a>(reader: &mut Reader<'a>) -> Option<(Tag, UnknownField<'a>)> {
    let start = reader.rest();
    let tag = reader.tag().ok()?;
    let inside = reader.rest();
    let value = match tag & 7 {
        VARINT => UnknownValue::Varint(reader.varint().ok()?),
        FIXED64 => UnknownValue::Fixed64(reader.fixed64().ok()?),
        DELIMITED => UnknownValue::Delimited(reader.delimited().ok()?),
        FIXED32 => UnknownValue::Fixed32(reader.fixed32().ok()?),
        _ => {
            reader.skip(tag, MAX_DEPTH).ok()?;
            let group = &inside[..inside.len() - reader.rest().len()];
            UnknownValue::Group(without_end(group))
        }
    };
    let bytes = &start[..start.len() - reader.rest().len()];
    let number = tag >> 3;
    Some((
        tag,
        UnknownField {
            number,
            value,
            bytes,
        },
    ))
}

/// A group's bytes without the tag that ends it, which may be longer than it needs to be.
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

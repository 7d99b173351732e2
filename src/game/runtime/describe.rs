//! The schema as data: for what walks messages of any type, and for building them from other formats, such as JSON.

use super::error::DecodeError;
use super::fragments::{Fragments, MAX_NUMBER};
use super::raw::UnknownValue;
use super::wire::{Tag, WireType};

/// The first number that an extension can have.
pub(crate) const FIRST_EXTENSION: u32 = 100;
/// The tags below this are those of fields with numbers up to 31.
const TAGS: usize = 0x100;
/// The maximum number of fields and payloads of a message.
pub(crate) const MAX_FIELDS: usize = 48;

/// A message of the schema.
#[derive(Debug)]
pub struct Description {
    pub(crate) name: &'static str,
    /// In the order of the schema.
    pub(crate) fields: &'static [FieldDescription],
    pub(crate) payloads: &'static [PayloadDescription],
    /// A bit for each field that is required, by its index.
    pub(crate) required: u64,
    /// The fields by their tags.
    by_tag: [Known; TAGS],
    /// Reads a message as a view, and encodes that.
    pub(crate) reencode: fn(Fragments<'_>) -> Result<Vec<u8>, DecodeError>,
}

/// What a check needs to know of a field: its shape in the three low bits, and its index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known(u8);

/// How the value of a field is checked. Numbers, since a `match` of three bits needs no comparison before its jump.
pub(crate) mod shape {
    /// A field that is required, has a large number, or is not in the schema.
    pub(crate) const RARE: u8 = 0;
    pub(crate) const VARINT: u8 = 1;
    pub(crate) const FIXED64: u8 = 2;
    pub(crate) const BYTES: u8 = 3;
    pub(crate) const TEXT: u8 = 4;
    /// A message of which there may be several.
    pub(crate) const MESSAGES: u8 = 5;
    /// A message of which there may be one.
    pub(crate) const MESSAGE: u8 = 6;
}

/// A field of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// Its number.
    pub number: u32,
    /// Its name; that of an extension is in brackets: `[Response_Login.ext]`.
    pub name: &'static str,
    /// Whether it is a secret, such as a password or a token. `Debug` does not show secrets; JSON does.
    pub secret: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldDescription {
    pub(crate) field: Field,
    /// The tag before its value, or before each number of a list.
    pub(crate) tag: Tag,
    pub(crate) label: Label,
    pub(crate) kind: ValueKind,
}

/// An extension of an envelope: always an optional message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PayloadDescription {
    pub(crate) number: u32,
    /// Its name in JSON: `[Command_RoomSay.ext]`.
    pub(crate) name: &'static str,
    pub(crate) message: fn() -> &'static Description,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Optional,
    Required,
    Repeated,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ValueKind {
    Bool,
    Int32,
    Uint32,
    Sint32,
    Int64,
    Uint64,
    Double,
    Text,
    Bytes,
    /// Its names and numbers.
    Enum(&'static [(&'static str, i32)]),
    Message(fn() -> &'static Description),
}

// === impl Description ===

impl Description {
    pub(crate) const fn new(
        name: &'static str,
        fields: &'static [FieldDescription],
        payloads: &'static [PayloadDescription],
        reencode: fn(Fragments<'_>) -> Result<Vec<u8>, DecodeError>,
    ) -> Self {
        assert!(fields.len() < 32 && fields.len() + payloads.len() <= MAX_FIELDS);
        let (mut required, mut index) = (0, 0);
        let mut by_tag = [Known::RARE; TAGS];
        while index < fields.len() {
            let tag = fields[index].tag.encoded() as usize;
            if matches!(fields[index].label, Label::Required) {
                required |= 1 << index;
            }
            if tag < TAGS {
                by_tag[tag] = Known::new(index, &fields[index]);
            }
            index += 1;
        }
        index = 1;
        while index < payloads.len() {
            assert!(payloads[index - 1].number < payloads[index].number);
            index += 1;
        }
        Self { name, fields, payloads, required, by_tag, reencode }
    }

    /// The index of the field with this number, as of [`find_tag`](Self::find_tag); `None` if the schema does not
    /// have it with such a value.
    pub(crate) fn find(&self, number: u32, value: UnknownValue<'_>) -> Option<usize> {
        let index = self.find_tag(Tag::new(number, value.wire_type()))?;
        let known = self.fields.get(index);
        known.is_none_or(|known| known.accepts(value)).then_some(index)
    }

    /// The field with this tag, unless it is rare.
    #[inline(always)]
    pub(crate) fn find_known(&self, tag: Tag) -> Known {
        let known = self.by_tag.get(tag.encoded() as usize);
        known.copied().unwrap_or(Known::RARE)
    }

    /// The index of the field with this tag, or of the extension, which come after the fields; `None` if the schema
    /// does not have it. A list of numbers has a second tag, for packed ones.
    pub(crate) fn find_tag(&self, tag: Tag) -> Option<usize> {
        let number = tag.field_number();
        let mut fields = self.fields.iter();
        match fields.position(|known| known.field.number == number) {
            Some(index) => self.fields[index].has_tag(tag).then_some(index),
            None if tag.is(WireType::LengthDelimited) => {
                Some(self.fields.len() + self.find_payload(number)?)
            }
            None => None,
        }
    }

    /// The message in the field with this index, if it has one.
    #[inline(always)]
    pub(crate) fn message(&self, index: usize) -> Option<&'static Self> {
        match self.fields.get(index)?.kind {
            ValueKind::Message(message) => Some(message()),
            _ => None,
        }
    }

    /// The index of the extension with this number.
    pub(crate) fn find_payload(&self, number: u32) -> Option<usize> {
        self.payloads.binary_search_by_key(&number, |payload| payload.number).ok()
    }
}

// === impl Known ===

impl Known {
    const RARE: Self = Self(shape::RARE);

    const fn new(index: usize, field: &FieldDescription) -> Self {
        let shape = match (field.kind, field.label) {
            (_, Label::Required) => shape::RARE,
            (ValueKind::Text, _) => shape::TEXT,
            (ValueKind::Bytes, _) => shape::BYTES,
            (ValueKind::Double, _) => shape::FIXED64,
            (ValueKind::Message(_), Label::Repeated) => shape::MESSAGES,
            (ValueKind::Message(_), _) => shape::MESSAGE,
            _ => shape::VARINT,
        };
        Self((index << 3) as u8 | shape)
    }

    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        (self.0 >> 3) as usize
    }

    #[inline(always)]
    pub(crate) const fn shape(self) -> u8 {
        self.0 & 7
    }
}

// === impl PayloadDescription ===

impl PayloadDescription {
    /// An extension; like that of a field, its number must fit in a path.
    pub(crate) const fn new(
        number: u32,
        name: &'static str,
        message: fn() -> &'static Description,
    ) -> Self {
        assert!(number >= FIRST_EXTENSION && number <= MAX_NUMBER);
        Self { number, name, message }
    }

    pub(crate) fn field(&self) -> Field {
        Field { number: self.number, name: self.name, secret: false }
    }
}

// === impl FieldDescription ===

impl FieldDescription {
    /// A field; its number must fit in the path to a message in several fragments.
    pub(crate) const fn new(field: Field, label: Label, kind: ValueKind) -> Self {
        assert!(field.number > 0 && field.number <= MAX_NUMBER);
        let tag = Tag::new(field.number, kind.wire_type());
        Self { field, tag, label, kind }
    }

    pub(crate) fn is_repeated(&self) -> bool {
        self.label == Label::Repeated
    }

    /// Whether an occurrence of it has this tag.
    pub(crate) fn has_tag(&self, tag: Tag) -> bool {
        let packed = Tag::new(self.field.number, WireType::LengthDelimited);
        tag == self.tag || self.is_repeated() && tag == packed
    }

    /// Whether it is no enum, or has this value.
    fn accepts(&self, value: UnknownValue<'_>) -> bool {
        match (self.kind, value) {
            (ValueKind::Enum(values), UnknownValue::Varint(wire)) => {
                values.iter().any(|(_, number)| *number == wire as i32)
            }
            _ => true,
        }
    }
}

// === impl ValueKind ===

impl ValueKind {
    pub(crate) const fn wire_type(self) -> WireType {
        match self {
            Self::Text | Self::Bytes | Self::Message(_) => WireType::LengthDelimited,
            Self::Double => WireType::Fixed64,
            _ => WireType::Varint,
        }
    }
}

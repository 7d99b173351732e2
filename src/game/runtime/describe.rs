//! The schema as data: for rare paths that are not expanded into each message, and for building messages from
//! other formats, such as JSON.

use super::extension::FIRST_EXTENSION;
use super::fragments::MAX_NUMBER;
use super::unknown::{UnknownField, UnknownValue};
use super::visit::Field;
use super::wire::{Tag, WireType};

/// A message of the schema.
#[derive(Debug)]
pub struct Description {
    /// Its name.
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [FieldDescription],
    /// Its extensions, if it is an envelope.
    pub(crate) payloads: &'static [PayloadDescription],
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldDescription {
    pub(crate) field: Field,
    pub(crate) label: Label,
    pub(crate) kind: ValueKind,
}

/// An extension of an envelope: always an optional message.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "game-client"), allow(dead_code))]
pub(crate) struct PayloadDescription {
    pub(crate) number: u32,
    /// Its name in JSON: `[Command_RoomSay.ext]`.
    pub(crate) name: &'static str,
    pub(crate) message: fn() -> &'static Description,
}

/// How often a field occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Optional,
    Required,
    Repeated,
}

/// The type of a field.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "game-client"), allow(dead_code))]
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
    /// Whether the schema has this field or extension; for an enum, whether it has the value too.
    pub(crate) fn knows(&self, found: &UnknownField<'_>) -> bool {
        let mut fields = self.fields.iter();
        match fields.find(|known| known.field.number == found.number) {
            Some(known) => known.accepts(found.value),
            None => {
                let mut payloads = self.payloads.iter();
                matches!(found.value, UnknownValue::Delimited(_))
                    && payloads.any(|payload| payload.number == found.number)
            }
        }
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
        Self {
            number,
            name,
            message,
        }
    }
}

// === impl FieldDescription ===

impl FieldDescription {
    /// A field; its number must fit in the path to a message in several fragments.
    pub(crate) const fn new(field: Field, label: Label, kind: ValueKind) -> Self {
        assert!(field.number > 0 && field.number <= MAX_NUMBER);
        Self { field, label, kind }
    }

    /// The tag before its value, or before each number of a list.
    pub(crate) const fn tag(&self) -> Tag {
        Tag::new(self.field.number, self.kind.wire_type())
    }

    fn accepts(&self, value: UnknownValue<'_>) -> bool {
        let wire_type = self.kind.wire_type();
        match (value, self.kind) {
            (UnknownValue::Varint(number), ValueKind::Enum(values)) => {
                values.iter().any(|(_, value)| *value == number as i32)
            }
            (UnknownValue::Varint(_), _) => wire_type == WireType::Varint,
            (UnknownValue::Fixed64(_), _) => wire_type == WireType::Fixed64,
            // Packed numbers.
            (UnknownValue::Delimited(_), _) => {
                wire_type == WireType::LengthDelimited || self.label == Label::Repeated
            }
            (UnknownValue::Fixed32(_) | UnknownValue::Group(_), _) => false,
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

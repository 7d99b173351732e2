//! The fields of a message of any type, by number, name and value, as its description in the schema tells them
//! from its bytes.
//!
//! What descends into sub-messages recurses at most [`MAX_DEPTH`](crate::game::MAX_DEPTH) levels: below that,
//! [`AnyMessage::fields`] is an error.

use std::iter::FusedIterator;

pub use super::describe::Field;
use super::describe::{Description, FieldDescription, MAX_FIELDS, ValueKind};
use super::error::{DecodeError, Fault};
use super::fault::MAX_DEPTH;
use super::fragments::Fragments;
use super::message::Message;
use super::raw::{RawFields, UnknownField, UnknownValue};
use super::scalar::{Bool, Double, Int32, Int64, Number, Scalar, Sint32, Uint32, Uint64};
use super::text::Text;
use super::unknown::UnknownFields;
use super::wire::{Reader, Tag, WireType};

/// The bytes of a message and its description: a message of any type, unread.
#[derive(Clone, Copy, Debug)]
pub struct AnyMessage<'a> {
    description: &'static Description,
    fragments: Fragments<'a>,
    /// How many levels may be read, this one included.
    pub(crate) levels: u32,
    /// Whether required fields must be present.
    complete: bool,
}

/// The value of a field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value<'a> {
    /// A number or a boolean.
    Number(Number),
    /// Text, which may not be UTF-8.
    Text(Text<'a>),
    /// Bytes.
    Bytes(&'a [u8]),
    /// The name of an enum's value.
    Enum(&'static str),
    /// An unread message.
    Message(AnyMessage<'a>),
    /// A repeated field.
    List(List<'a>),
}

/// The fields of a message that are present, in the order of the schema, its payload last.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    message: AnyMessage<'a>,
    /// Bits by the index of the field: those that are present, and not yet returned.
    present: u64,
    /// Those that occur more than once.
    several: u64,
    has_unknown: bool,
    /// From where they are: a repeated field's first occurrence, the last one of any other.
    places: [&'a [u8]; MAX_FIELDS],
}

/// The values of a repeated field, in order: numbers, texts or messages.
#[derive(Clone, Debug)]
pub struct List<'a> {
    message: AnyMessage<'a>,
    known: &'static FieldDescription,
    raw: RawFields<'a>,
    packed: Reader<'a>,
}

// === impl AnyMessage ===

impl<'a> AnyMessage<'a> {
    /// The message of this type in these bytes.
    pub fn new<'m, M: Message<'m>>(bytes: &'a [u8]) -> Self {
        Self::described(M::DESCRIPTION, Fragments::one(bytes))
    }

    pub(crate) fn described(description: &'static Description, fragments: Fragments<'a>) -> Self {
        Self { description, fragments, levels: MAX_DEPTH + 1, complete: true }
    }

    /// The same message, whose required fields may be absent.
    pub(crate) fn incomplete(self) -> Self {
        Self { complete: false, ..self }
    }

    /// The message as this crate encodes it: the fields in the order of the schema, each once, then the unknown ones.
    /// Sub-messages are copied unchanged.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not fields.
    pub fn reencode(&self) -> Result<Vec<u8>, DecodeError> {
        (self.description.reencode)(self.fragments)
    }

    /// The bytes that it is within: its own, if it is in one piece.
    pub fn root(&self) -> &'a [u8] {
        self.fragments.root()
    }

    pub(crate) fn description(&self) -> &'static Description {
        self.description
    }

    pub(crate) fn fragments(&self) -> Fragments<'a> {
        self.fragments
    }

    /// Finds its fields. Sub-messages are not read.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not fields, a required field is absent, or the nesting is too deep. Its
    /// offset counts from the start of this message.
    pub fn fields(&self) -> Result<Fields<'a>, DecodeError> {
        let Some(depth) = self.depth() else {
            return Err(self.fault(Fault::TooDeep));
        };
        let mut fields = Fields {
            message: *self,
            present: 0,
            several: 0,
            has_unknown: false,
            places: [&[]; MAX_FIELDS],
        };
        for fragment in self.fragments.iter() {
            let mut reader = Reader::new(fragment);
            while !reader.is_empty() {
                fields.read_field(&mut reader, depth).map_err(|fault| {
                    DecodeError::new(fault, self.description.name, fragment, reader.rest())
                })?;
            }
        }
        let missing = self.description.required & !fields.present;
        if missing != 0 && self.complete {
            let name = self.description.fields[missing.trailing_zeros() as usize].field.name;
            return Err(self.fault(Fault::MissingRequired(name)));
        }
        Ok(fields)
    }

    /// The remaining levels below this one; `None` if it is too deep itself.
    pub(crate) fn depth(&self) -> Option<u32> {
        self.levels.checked_sub(1)
    }

    /// The message in the extension with this number, if the schema has it.
    pub(crate) fn payload(&self, number: u32, bytes: &'a [u8]) -> Option<Self> {
        let payload = &self.description.payloads[self.description.find_payload(number)?];
        Some(self.below((payload.message)(), Fragments::one(bytes)))
    }

    fn fault(&self, fault: Fault) -> DecodeError {
        DecodeError::new(fault, self.description.name, self.root(), self.root())
    }

    fn below(&self, description: &'static Description, fragments: Fragments<'a>) -> Self {
        Self { description, fragments, levels: self.levels.saturating_sub(1), ..*self }
    }

    /// The value of an occurrence of a field that accepts it.
    fn value(&self, kind: ValueKind, raw: UnknownValue<'a>) -> Option<Value<'a>> {
        Some(match (kind, raw) {
            (ValueKind::Text, UnknownValue::Delimited(bytes)) => {
                Value::Text(Text::from_bytes(bytes))
            }
            (ValueKind::Bytes, UnknownValue::Delimited(bytes)) => Value::Bytes(bytes),
            (ValueKind::Message(of), UnknownValue::Delimited(bytes)) => {
                Value::Message(self.below(of(), Fragments::one(bytes)))
            }
            (ValueKind::Enum(values), UnknownValue::Varint(wire)) => {
                let found = values.iter().find(|(_, number)| *number == wire as i32);
                Value::Enum(found?.0)
            }
            (kind, UnknownValue::Varint(wire) | UnknownValue::Fixed64(wire)) => {
                Value::Number(decode_number(kind, wire)?)
            }
            _ => return None,
        })
    }
}

fn decode_number(kind: ValueKind, wire: u64) -> Option<Number> {
    Some(match kind {
        ValueKind::Bool => Bool::from_wire(wire).into(),
        ValueKind::Int32 => Int32::from_wire(wire).into(),
        ValueKind::Uint32 => Uint32::from_wire(wire).into(),
        ValueKind::Sint32 => Sint32::from_wire(wire).into(),
        ValueKind::Int64 => Int64::from_wire(wire).into(),
        ValueKind::Uint64 => Uint64::from_wire(wire).into(),
        ValueKind::Double => Double::from_wire(wire).into(),
        ValueKind::Text | ValueKind::Bytes | ValueKind::Enum(_) | ValueKind::Message(_) => {
            return None;
        }
    })
}

/// The encoded value of the next of several packed numbers.
fn next_packed(kind: ValueKind, packed: &mut Reader<'_>) -> Result<u64, Fault> {
    match kind {
        ValueKind::Double => packed.fixed64(),
        _ => packed.varint(),
    }
}

// === impl Fields ===

impl<'a> Fields<'a> {
    /// The fields that the schema does not have.
    pub fn unknown(&self) -> UnknownFields<'a> {
        if self.has_unknown {
            UnknownFields::new(self.message.fragments, self.message.description)
        } else {
            UnknownFields::default()
        }
    }

    /// Reads the next field of the message. If that fails, the reader is at the start of the item that cannot be read.
    fn read_field(&mut self, reader: &mut Reader<'a>, depth: u32) -> Result<(), Fault> {
        let before = *reader;
        let UnknownField { number, value, .. } = UnknownField::read(reader, depth)?;
        let description = self.message.description;
        let Some(index) = description.find(number, value) else {
            self.has_unknown = true;
            return Ok(());
        };
        let known = description.fields.get(index);
        let is_repeated = known.is_some_and(FieldDescription::is_repeated);
        if let (Some(known), UnknownValue::Delimited(bytes)) = (known, value)
            && !known.tag.is(WireType::LengthDelimited)
        {
            let mut packed = Reader::new(bytes);
            while !packed.is_empty() {
                if let Err(fault) = next_packed(known.kind, &mut packed) {
                    *reader = before;
                    reader.tag()?;
                    return Err(fault);
                }
            }
        }
        let bit = 1 << index;
        self.several |= self.present & bit;
        if self.present & bit == 0 || !is_repeated {
            self.places[index] = before.rest();
        }
        self.present |= bit;
        Ok(())
    }

    /// The field with this index, which is present.
    fn field(&self, index: usize) -> Option<(Field, Value<'a>)> {
        let message = &self.message;
        let fields = message.description.fields;
        let place = self.places[index];
        let (field, kind) = match fields.get(index) {
            Some(known) if known.is_repeated() => {
                // A message in one piece has no occurrence before the first one.
                let within =
                    message.fragments.single().map_or(message.fragments, |_| Fragments::one(place));
                let list = List {
                    message: *message,
                    known,
                    raw: RawFields::new(within),
                    packed: Reader::new(&[]),
                };
                return Some((known.field, Value::List(list)));
            }
            Some(known) => (known.field, known.kind),
            None => {
                let payload = message.description.payloads.get(index - fields.len())?;
                (payload.field(), ValueKind::Message(payload.message))
            }
        };
        let value = match kind {
            ValueKind::Message(of) if self.several & 1 << index != 0 => {
                Value::Message(message.below(of(), message.fragments.of_field(field.number)))
            }
            kind => {
                let raw = UnknownField::read(&mut Reader::new(place), MAX_DEPTH).ok()?;
                message.value(kind, raw.value)?
            }
        };
        Some((field, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (Field, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.present == 0 {
            return None;
        }
        let index = self.present.trailing_zeros();
        self.present &= self.present - 1;
        self.field(index as usize)
    }
}

impl FusedIterator for Fields<'_> {}

// === impl List ===

impl<'a> Iterator for List<'a> {
    type Item = Value<'a>;

    /// An error cannot occur, since all bytes were read when the fields were found; it is treated as the end.
    fn next(&mut self) -> Option<Value<'a>> {
        let kind = self.known.kind;
        loop {
            if !self.packed.is_empty() {
                let wire = next_packed(kind, &mut self.packed).ok()?;
                return decode_number(kind, wire).map(Value::Number);
            }
            let known = self.known;
            let is_wanted =
                |raw: &UnknownField<'_>| known.has_tag(Tag::new(raw.number, raw.value.wire_type()));
            let found = self.raw.find(is_wanted)?;
            match self.message.value(kind, found.value) {
                Some(value) => return Some(value),
                None => match found.value {
                    UnknownValue::Delimited(bytes) => self.packed = Reader::new(bytes),
                    _ => return None,
                },
            }
        }
    }
}

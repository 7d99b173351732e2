//! Encoding, with `quick_protobuf`'s writer.

use quick_protobuf::sizeofs::sizeof_varint;
use quick_protobuf::{Result, Writer, WriterBackend};

use super::message::Message;
use super::nested::Nested;
use super::scalar::{Enumeration, Int32, Scalar};
use super::text::Text;
use super::unknown::UnknownFields;
use super::visit::{Field, Visitor};
use super::wire::{Tag, WireType};

pub(crate) fn encoded_len<'a, M: Message<'a>>(message: &M) -> usize {
    let mut size = Size(0);
    let Ok(()) = message.visit(&mut size);
    size.0
}

pub(crate) fn append<'a, M: Message<'a>>(message: &M, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = write(message, &mut Writer::new(out));
}

pub(crate) fn write<'a, M: Message<'a>, W: WriterBackend>(
    message: &M,
    writer: &mut Writer<W>,
) -> Result<()> {
    message.visit(&mut Write(writer))
}

/// Appends an encoded message to `out`, as the field `number`.
pub(crate) fn append_field(number: u32, message: &[u8], out: &mut Vec<u8>) {
    let mut writer = Writer::new(out);
    // Writing to memory does not fail.
    let _ = writer.write_tag(Tag::new(number, WireType::LengthDelimited).encoded());
    let _ = writer.write_bytes(message);
}

fn encoded_tag(field: Field, wire_type: WireType) -> u32 {
    Tag::new(field.number, wire_type).encoded()
}

type Done = std::result::Result<(), std::convert::Infallible>;

/// Counts the bytes that [`Write`] writes.
struct Size(usize);

impl Size {
    fn tag(&mut self, field: Field) {
        self.0 += sizeof_varint(u64::from(encoded_tag(field, WireType::Varint)));
    }

    fn delimited(&mut self, length: usize) {
        self.0 += sizeof_varint(length as u64) + length;
    }
}

impl<'a> Visitor<'a> for Size {
    type Error = std::convert::Infallible;

    fn scalar<S: Scalar>(&mut self, field: Field, value: S::Value) -> Done {
        self.tag(field);
        self.0 += match S::WIRE_TYPE {
            WireType::Varint => sizeof_varint(S::to_wire(value)),
            _ => size_of::<u64>(),
        };
        Ok(())
    }

    fn text(&mut self, field: Field, value: Text<'a>) -> Done {
        self.bytes(field, value.as_bytes())
    }

    fn bytes(&mut self, field: Field, value: &'a [u8]) -> Done {
        self.tag(field);
        self.delimited(value.len());
        Ok(())
    }

    fn enumeration<E: Enumeration>(&mut self, field: Field, value: E) -> Done {
        self.scalar::<Int32>(field, value.number())
    }

    fn message<M: Message<'a>>(&mut self, field: Field, value: &Nested<'a, M>) -> Done {
        match value.fragments() {
            Ok(fragments) => fragments
                .iter()
                .try_for_each(|fragment| self.bytes(field, fragment)),
            Err(value) => {
                self.tag(field);
                self.delimited(value.map_or(0, encoded_len));
                Ok(())
            }
        }
    }

    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Done {
        self.0 += fields.iter().map(|field| field.bytes.len()).sum::<usize>();
        Ok(())
    }
}

/// Writes each field. A value that was set is encoded. A sub-message that was read is copied unchanged. If it
/// arrived in several fragments, each remains a separate field: joined, two damaged fragments could form a
/// readable one.
struct Write<'w, W: WriterBackend>(&'w mut Writer<W>);

impl<W: WriterBackend> Write<'_, W> {
    fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        bytes.iter().try_for_each(|&byte| self.0.write_u8(byte))
    }
}

impl<'a, W: WriterBackend> Visitor<'a> for Write<'_, W> {
    type Error = quick_protobuf::Error;

    fn scalar<S: Scalar>(&mut self, field: Field, value: S::Value) -> Result<()> {
        self.0.write_tag(encoded_tag(field, S::WIRE_TYPE))?;
        match S::WIRE_TYPE {
            WireType::Varint => self.0.write_varint(S::to_wire(value)),
            _ => self.0.write_fixed64(S::to_wire(value)),
        }
    }

    fn text(&mut self, field: Field, value: Text<'a>) -> Result<()> {
        self.bytes(field, value.as_bytes())
    }

    fn bytes(&mut self, field: Field, value: &'a [u8]) -> Result<()> {
        self.0
            .write_tag(encoded_tag(field, WireType::LengthDelimited))?;
        self.0.write_bytes(value)
    }

    fn enumeration<E: Enumeration>(&mut self, field: Field, value: E) -> Result<()> {
        self.scalar::<Int32>(field, value.number())
    }

    fn message<M: Message<'a>>(&mut self, field: Field, value: &Nested<'a, M>) -> Result<()> {
        match value.fragments() {
            Ok(fragments) => fragments
                .iter()
                .try_for_each(|fragment| self.bytes(field, fragment)),
            Err(value) => {
                self.0
                    .write_tag(encoded_tag(field, WireType::LengthDelimited))?;
                self.0.write_varint(value.map_or(0, encoded_len) as u64)?;
                value.map_or(Ok(()), |value| value.visit(self))
            }
        }
    }

    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Result<()> {
        fields.iter().try_for_each(|field| self.raw(field.bytes))
    }
}

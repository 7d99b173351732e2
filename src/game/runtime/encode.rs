//! Encoding, with `quick_protobuf`'s writer.

use std::convert::Infallible;

use quick_protobuf::Writer;
use quick_protobuf::sizeofs::sizeof_varint;

use super::message::Message;
use super::nested::Nested;
use super::scalar::{Enumeration, Int32, Scalar};
use super::text::Text;
use super::unknown::UnknownFields;
use super::visit::{Field, Visitor};
use super::wire::{Tag, WireType};

pub(crate) fn encoded_len<'a, M: Message<'a>>(message: &M) -> usize {
    let mut size = Size(0);
    let Ok(()) = message.visit(&mut Encode(&mut size));
    size.0
}

pub(crate) fn append<'a, M: Message<'a>>(message: &M, out: &mut Vec<u8>) {
    let Ok(()) = message.visit(&mut Encode(out));
}

/// Appends an encoded message to `out`, as the field `number`.
pub(crate) fn append_field(number: u32, message: &[u8], out: &mut Vec<u8>) {
    out.tag(number, WireType::LengthDelimited);
    out.delimited(message);
}

/// Appends an encoded number to `out`, as the field `number`.
pub(crate) fn append_number(number: u32, wire_type: WireType, wire: u64, out: &mut Vec<u8>) {
    out.tag(number, wire_type);
    out.number(wire_type, wire);
}

/// The target of the encoding.
trait Output {
    fn varint(&mut self, value: u64);

    fn raw(&mut self, bytes: &[u8]);

    /// A sub-message of `len` bytes, which `write` writes.
    fn nested(&mut self, len: usize, write: impl FnOnce(&mut Self));

    fn tag(&mut self, number: u32, wire_type: WireType) {
        self.varint(Tag::new(number, wire_type).encoded().into());
    }

    fn number(&mut self, wire_type: WireType, wire: u64) {
        match wire_type {
            WireType::Varint => self.varint(wire),
            _ => self.raw(&wire.to_le_bytes()),
        }
    }

    fn delimited(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        self.raw(bytes);
    }
}

impl Output for Vec<u8> {
    fn varint(&mut self, value: u64) {
        // Writing to memory does not fail.
        let _ = Writer::new(self).write_varint(value);
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn nested(&mut self, _: usize, write: impl FnOnce(&mut Self)) {
        write(self);
    }
}

/// Counts the bytes.
struct Size(usize);

impl Output for Size {
    fn varint(&mut self, value: u64) {
        self.0 += sizeof_varint(value);
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }

    fn nested(&mut self, len: usize, _: impl FnOnce(&mut Self)) {
        self.0 += len;
    }
}

/// Encodes each field. A value that was set is encoded. A sub-message that was read is copied unchanged. If it
/// arrived in several fragments, each remains a separate field: joined, two damaged fragments could form a
/// readable one.
struct Encode<'o, O>(&'o mut O);

type Done = Result<(), Infallible>;

impl<'a, O: Output> Visitor<'a> for Encode<'_, O> {
    type Error = Infallible;

    fn scalar<S: Scalar>(&mut self, field: Field, value: S::Value) -> Done {
        self.0.tag(field.number, S::WIRE_TYPE);
        self.0.number(S::WIRE_TYPE, S::to_wire(value));
        Ok(())
    }

    fn text(&mut self, field: Field, value: Text<'a>) -> Done {
        self.bytes(field, value.as_bytes())
    }

    fn bytes(&mut self, field: Field, value: &'a [u8]) -> Done {
        self.0.tag(field.number, WireType::LengthDelimited);
        self.0.delimited(value);
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
                let len = value.map_or(0, encoded_len);
                self.0.tag(field.number, WireType::LengthDelimited);
                self.0.varint(len as u64);
                self.0.nested(len, |out| {
                    if let Some(value) = value {
                        let Ok(()) = value.visit(&mut Encode(out));
                    }
                });
                Ok(())
            }
        }
    }

    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Done {
        fields.iter().for_each(|field| self.0.raw(field.bytes));
        Ok(())
    }
}

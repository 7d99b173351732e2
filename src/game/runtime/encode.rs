//! Encoding, with `quick_protobuf`'s writer.
//!
//! A value that was set is encoded. A sub-message that was read is copied unchanged. If it arrived in several
//! fragments, each remains a separate field: joined, two damaged fragments could form a readable one.

use quick_protobuf::Writer;
use quick_protobuf::sizeofs::sizeof_varint;

use super::scalar::Scalar;
use super::wire::{Tag, WireType};

/// How a message is written: the private part of [`Message`](crate::game::Message).
pub trait Encode {
    /// Writes its fields, in the order of the schema, then the unknown ones.
    fn write(&self, out: &mut impl Output);
}

pub(crate) fn encoded_len(message: &impl Encode) -> usize {
    let mut size = Size(0);
    message.write(&mut size);
    size.0
}

/// Appends an encoded message to `out`, as the field `number`.
#[cfg(feature = "game-client")]
pub(crate) fn append_field(number: u32, message: &[u8], out: &mut Vec<u8>) {
    out.bytes(number, message);
}

/// Appends an encoded number to `out`, as the field `number`.
pub(crate) fn append_number(number: u32, wire_type: WireType, wire: u64, out: &mut Vec<u8>) {
    out.tag(number, wire_type);
    out.number(wire_type, wire);
}

/// The target of the encoding.
pub trait Output {
    fn varint(&mut self, value: u64);

    /// Bytes that are encoded already.
    fn raw(&mut self, bytes: &[u8]);

    /// A sub-message of `len` bytes.
    fn nested(&mut self, len: usize, message: &impl Encode);

    fn tag(&mut self, number: u32, wire_type: WireType) {
        self.varint(Tag::new(number, wire_type).encoded().into());
    }

    fn number(&mut self, wire_type: WireType, wire: u64) {
        match wire_type {
            WireType::Varint => self.varint(wire),
            _ => self.raw(&wire.to_le_bytes()),
        }
    }

    /// A field with a number.
    fn scalar<S: Scalar>(&mut self, number: u32, value: S::Value) {
        self.tag(number, S::WIRE_TYPE);
        self.number(S::WIRE_TYPE, S::to_wire(value));
    }

    /// A field with text, bytes, or an encoded message.
    fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.tag(number, WireType::LengthDelimited);
        self.varint(bytes.len() as u64);
        self.raw(bytes);
    }

    /// A field with a message.
    fn message(&mut self, number: u32, message: &impl Encode) {
        let len = encoded_len(message);
        self.tag(number, WireType::LengthDelimited);
        self.varint(len as u64);
        self.nested(len, message);
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

    fn nested(&mut self, _: usize, message: &impl Encode) {
        message.write(self);
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

    fn nested(&mut self, len: usize, _: &impl Encode) {
        self.0 += len;
    }
}

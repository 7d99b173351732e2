//! Encoding, with `quick_protobuf`'s writer.
//!
//! A value that was set is encoded. A sub-message that was read is copied unchanged. If it arrived in several
//! fragments, each remains a separate field: joined, two damaged fragments could form a readable one.

use quick_protobuf::Writer;
use quick_protobuf::sizeofs::sizeof_varint;

use super::scalar::Scalar;
use super::unknown::UnknownFields;
use super::wire::{Tag, WireType};

/// How a message is written: the private part of [`Message`](crate::game::Message).
pub trait Encode {
    /// Writes its fields, in the order of the schema, then the unknown ones.
    fn write(&self, out: &mut Output<'_>);
}

/// The target of the encoding. Not generic, and what it calls neither: each message would be compiled for each target.
#[derive(Default)]
pub struct Output<'o> {
    /// Where to; without it, the bytes are only counted.
    bytes: Option<&'o mut Vec<u8>>,
    len: usize,
}

pub(crate) fn encoded_len(message: &dyn Encode) -> usize {
    let mut out = Output::default();
    message.write(&mut out);
    out.len
}

pub(crate) fn to_vec(message: &dyn Encode) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(encoded_len(message));
    message.write(&mut Output::to(&mut bytes));
    bytes
}

/// Appends an encoded message to `out`, as the field `number`.
#[cfg(feature = "game-client")]
pub(crate) fn append_field(number: u32, message: &[u8], out: &mut Vec<u8>) {
    Output::to(out).bytes(number, message);
}

/// Appends an encoded number to `out`, as the field `number`.
pub(crate) fn append_number(number: u32, wire_type: WireType, wire: u64, out: &mut Vec<u8>) {
    Output::to(out).number(number, wire_type, wire);
}

impl<'o> Output<'o> {
    pub(crate) fn to(bytes: &'o mut Vec<u8>) -> Self {
        Self { bytes: Some(bytes), len: 0 }
    }

    fn varint(&mut self, value: u64) {
        if let Some(bytes) = &mut self.bytes {
            // Writing to memory does not fail.
            let _ = Writer::new(&mut **bytes).write_varint(value);
        }
        self.len += sizeof_varint(value);
    }

    pub(crate) fn unknown(&mut self, fields: &UnknownFields<'_>) {
        for field in fields.iter() {
            self.raw(field.bytes);
        }
    }

    /// Bytes that are encoded already.
    fn raw(&mut self, encoded: &[u8]) {
        if let Some(bytes) = &mut self.bytes {
            bytes.extend_from_slice(encoded);
        }
        self.len += encoded.len();
    }

    /// A tag and a number: the value of the field, or the length of that.
    fn number(&mut self, number: u32, wire_type: WireType, wire: u64) {
        self.varint(Tag::new(number, wire_type).encoded().into());
        match wire_type {
            WireType::Fixed64 => self.raw(&wire.to_le_bytes()),
            _ => self.varint(wire),
        }
    }

    /// A field with a number.
    pub(crate) fn scalar<S: Scalar>(&mut self, number: u32, value: S::Value) {
        self.number(number, S::WIRE_TYPE, S::to_wire(value));
    }

    /// A field with text, bytes, or an encoded message.
    pub(crate) fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.number(number, WireType::LengthDelimited, bytes.len() as u64);
        self.raw(bytes);
    }

    /// A field with a message.
    pub(crate) fn message(&mut self, number: u32, message: &dyn Encode) {
        let len = encoded_len(message);
        self.number(number, WireType::LengthDelimited, len as u64);
        match self.bytes {
            Some(_) => message.write(self),
            None => self.len += len,
        }
    }
}

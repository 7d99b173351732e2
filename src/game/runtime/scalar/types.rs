use std::fmt;

use crate::game::runtime::error::Fault;
use crate::game::runtime::sealed::Sealed;
use crate::game::runtime::wire::{Reader, WireType};

/// A number type of the schema language. Sealed: the schema language has no others.
pub trait Scalar: Sealed + Sized {
    /// The Rust type of its values.
    type Value: Copy + PartialEq + fmt::Debug + Into<Number> + 'static;
    /// How a value is encoded.
    const WIRE_TYPE: WireType;

    /// Reads a value.
    ///
    /// # Errors
    /// Those of [`Reader::varint`] and [`Reader::fixed64`].
    fn read(reader: &mut Reader<'_>) -> Result<Self::Value, Fault>;

    #[doc(hidden)]
    fn next(reader: &mut Reader<'_>) -> Option<Self::Value>;

    /// What the encoding holds: the varint, or the eight bytes as a little-endian number.
    fn to_wire(value: Self::Value) -> u64;

    /// Writes the value as the protobuf JSON mapping has it.
    ///
    /// # Errors
    /// Those of `out`.
    fn write_json(value: Self::Value, out: &mut dyn fmt::Write) -> fmt::Result;
}

/// A number or a boolean of any type, for code that is generic over [`Scalar`].
///
/// ```
/// use portreeve::game::scalar::{Number, Scalar, Sint32};
///
/// fn is_negative<S: Scalar>(value: S::Value) -> bool {
///     match value.into() {
///         Number::I32(number) => number < 0,
///         Number::I64(number) => number < 0,
///         Number::F64(number) => number < 0.0,
///         Number::Bool(_) | Number::U32(_) | Number::U64(_) => false,
///     }
/// }
///
/// assert!(is_negative::<Sint32>(-1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Of a `bool`.
    Bool(bool),
    /// Of an `int32` or a `sint32`.
    I32(i32),
    /// Of a `uint32`.
    U32(u32),
    /// Of an `int64`.
    I64(i64),
    /// Of a `uint64`.
    U64(u64),
    /// Of a `double`.
    F64(f64),
}

macro_rules! numbers {
    ($($name:ident($value:ty))*) => {$(
        impl From<$value> for Number {
            #[inline]
            fn from(value: $value) -> Self {
                Self::$name(value)
            }
        }
    )*};
}
numbers!(Bool(bool) I32(i32) U32(u32) I64(i64) U64(u64) F64(f64));

macro_rules! scalars {
    ($(
        $(#[$doc:meta])*
        $name:ident($value:ty) {
            read: |$wire:ident| $read:expr;
            to_wire: |$given:ident| $to_wire:expr;
            json: $json:literal;
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl Sealed for $name {}

        impl Scalar for $name {
            type Value = $value;
            const WIRE_TYPE: WireType = WireType::Varint;

            #[inline(always)]
            fn read(reader: &mut Reader<'_>) -> Result<$value, Fault> {
                let $wire = reader.varint()?;
                Ok($read)
            }

            #[inline(always)]
            fn next(reader: &mut Reader<'_>) -> Option<$value> {
                let $wire = reader.next_varint()?;
                Some($read)
            }

            #[inline]
            fn to_wire($given: $value) -> u64 {
                $to_wire
            }

            fn write_json(value: $value, out: &mut dyn fmt::Write) -> fmt::Result {
                write!(out, $json, value)
            }
        }
    )*};
}

// Longer varints than a type needs are cut to its low bits, as in Google's libraries.
scalars! {
    /// `bool`.
    Bool(bool) {
        read: |wire| wire != 0;
        to_wire: |value| u64::from(value);
        json: "{}";
    }
    /// `int32`: a negative number takes ten bytes.
    Int32(i32) {
        read: |wire| wire as i32;
        to_wire: |value| i64::from(value) as u64;
        json: "{}";
    }
    /// `sint32`: a small negative number takes one byte.
    Sint32(i32) {
        read: |wire| (wire as u32 >> 1) as i32 ^ -(wire as i32 & 1);
        to_wire: |value| u64::from((value << 1 ^ value >> 31) as u32);
        json: "{}";
    }
    /// `uint32`.
    Uint32(u32) {
        read: |wire| wire as u32;
        to_wire: |value| u64::from(value);
        json: "{}";
    }
    /// `int64`, a string in JSON.
    Int64(i64) {
        read: |wire| wire as i64;
        to_wire: |value| value as u64;
        json: "\"{}\"";
    }
    /// `uint64`, a string in JSON.
    Uint64(u64) {
        read: |wire| wire;
        to_wire: |value| value;
        json: "\"{}\"";
    }
}

/// `double`.
#[derive(Clone, Copy, Debug)]
pub enum Double {}

impl Sealed for Double {}

impl Scalar for Double {
    type Value = f64;
    const WIRE_TYPE: WireType = WireType::Fixed64;

    #[inline(always)]
    fn read(reader: &mut Reader<'_>) -> Result<f64, Fault> {
        reader.fixed64().map(f64::from_bits)
    }

    #[inline(always)]
    fn next(reader: &mut Reader<'_>) -> Option<f64> {
        reader.next_fixed64().map(f64::from_bits)
    }

    #[inline]
    fn to_wire(value: f64) -> u64 {
        value.to_bits()
    }

    fn write_json(value: f64, out: &mut dyn fmt::Write) -> fmt::Result {
        if value.is_finite() {
            // The shortest digits that read back as the same number, with an exponent where that
            // is shorter.
            write!(out, "{value:?}")
        } else if value.is_nan() {
            out.write_str("\"NaN\"")
        } else if value > 0.0 {
            out.write_str("\"Infinity\"")
        } else {
            out.write_str("\"-Infinity\"")
        }
    }
}

use std::fmt::{self, Write as _};

use crate::game::runtime::error::Fault;
use crate::game::runtime::sealed::Sealed;
use crate::game::runtime::wire::{Reader, WireType};

/// A number type of the schema language. Sealed: the schema language has no others.
pub trait Scalar: Sealed + Sized {
    /// The Rust type of its values.
    type Value: Copy + PartialEq + fmt::Debug + Into<Number> + 'static;

    /// Reads a value.
    ///
    /// # Errors
    /// Those of [`Reader::varint`] and [`Reader::fixed64`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read(reader: &mut Reader<'_>) -> Result<Self::Value, Fault> {
        let wire = match Self::WIRE_TYPE {
            WireType::Varint => reader.varint(),
            _ => reader.fixed64(),
        };
        Ok(Self::from_wire(wire?))
    }

    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(reader: &mut Reader<'_>) -> Option<Self::Value> {
        let wire = match Self::WIRE_TYPE {
            WireType::Varint => reader.next_varint(),
            _ => reader.next_fixed64(),
        };
        Some(Self::from_wire(wire?))
    }

    /// Converts from the encoded value.
    fn from_wire(wire: u64) -> Self::Value;

    /// Converts to the encoded value: the varint, or the eight bytes as a little-endian number.
    fn to_wire(value: Self::Value) -> u64;
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
    /// The value of a `bool`.
    Bool(bool),
    /// The value of an `int32` or a `sint32`.
    I32(i32),
    /// The value of a `uint32`.
    U32(u32),
    /// The value of an `int64`.
    I64(i64),
    /// The value of a `uint64`.
    U64(u64),
    /// The value of a `double`.
    F64(f64),
}

impl Number {
    /// Appends the number in the protobuf JSON mapping: 64-bit integers, `NaN` and the infinities as strings.
    pub fn write_json(self, out: &mut String) {
        // Writing to memory does not fail.
        let _ = match self {
            Self::Bool(value) => write!(out, "{value}"),
            Self::I32(value) => write!(out, "{value}"),
            Self::U32(value) => write!(out, "{value}"),
            Self::I64(value) => write!(out, "\"{value}\""),
            Self::U64(value) => write!(out, "\"{value}\""),
            // The shortest digits that read back as the same number, with an exponent where that is shorter.
            Self::F64(value) if value.is_finite() => write!(out, "{value:?}"),
            Self::F64(value) if value.is_nan() => out.write_str("\"NaN\""),
            Self::F64(value) if value > 0.0 => out.write_str("\"Infinity\""),
            Self::F64(_) => out.write_str("\"-Infinity\""),
        };
    }
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
    ($( $(#[$doc:meta])* $name:ident($value:ty): $wire_type:ident, $from_wire:expr, $to_wire:expr; )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl Sealed for $name {
            const WIRE_TYPE: WireType = WireType::$wire_type;
        }

        impl Scalar for $name {
            type Value = $value;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_wire(wire: u64) -> $value {
                $from_wire(wire)
            }

            #[inline]
            fn to_wire(value: $value) -> u64 {
                $to_wire(value)
            }
        }
    )*};
}

// Varints that exceed a type are truncated to its low bits, as in Google's libraries.
scalars! {
    /// `bool`.
    Bool(bool): Varint, |wire| wire != 0, u64::from;
    /// `int32`: a negative number takes ten bytes.
    Int32(i32): Varint, |wire| wire as i32, |value| i64::from(value) as u64;
    /// `sint32`: a small negative number takes one byte.
    Sint32(i32): Varint,
        |wire| (wire as u32 >> 1) as i32 ^ -(wire as i32 & 1),
        |value| u64::from((value << 1 ^ value >> 31) as u32);
    /// `uint32`.
    Uint32(u32): Varint, |wire| wire as u32, u64::from;
    /// The `uint32` of a room, a game, a player or a card: everywhere else their numbers are `sint32`.
    Id(i32): Varint, |wire| wire as i32, |value: i32| value.cast_unsigned().into();
    /// `int64`, a string in JSON.
    Int64(i64): Varint, |wire| wire as i64, |value| value as u64;
    /// `uint64`, a string in JSON.
    Uint64(u64): Varint, |wire| wire, |value| value;
    /// `double`.
    Double(f64): Fixed64, f64::from_bits, f64::to_bits;
}

//! Extensions: commands, events and so on, each an extension of its envelope with a number.

mod family;

use std::fmt;

pub(crate) use family::family;
pub use family::{Family, Member};

use super::decode::Decode;
use super::encode::Output;
use super::error::DecodeError;
use super::fragments::Fragments;
use super::nested::Nested;
use super::raw::{RawFields, UnknownValue};
use super::scalar::Enumeration;

/// The payload of an envelope: one of a family of messages, as unread bytes or, for encoding, as a value.
///
/// Extensions that the schema does not have are among the unknown fields of the envelope.
#[derive(Clone, Copy)]
pub struct Extended<'a, F>(pub(crate) Inner<'a, F>);

#[derive(Clone, Copy)]
pub(crate) enum Inner<'a, F> {
    Absent,
    /// The only extension of its envelope. The family may not have its number.
    One {
        number: u32,
        bytes: &'a [u8],
    },
    /// The envelope has to be searched for them.
    Several(Fragments<'a>),
    Value(&'a F),
}

impl<'a, F: Family<'a>> Extended<'a, F> {
    /// No payload.
    pub const ABSENT: Self = Self(Inner::Absent);

    /// Whether there is one.
    #[inline]
    pub fn is_present(&self) -> bool {
        !matches!(self.0, Inner::Absent)
    }

    /// The kind of the payload; of several, which peers do not send, the first that was sent and is in the schema.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn kind(&self) -> Option<F::Kind> {
        match self.0 {
            Inner::Absent => None,
            Inner::One { number, .. } => F::Kind::from_number(number),
            Inner::Value(value) => Some(value.kind()),
            Inner::Several(fragments) => first_kind::<F>(fragments),
        }
    }

    /// The payload, of the kind that [`kind`](Self::kind) returns.
    ///
    /// # Errors
    /// [`DecodeError`] if its bytes cannot be read.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn payload(&self) -> Result<Option<F>, DecodeError> {
        match (self.0, self.kind()) {
            (Inner::Value(value), _) => Ok(Some(*value)),
            (Inner::One { bytes, .. }, Some(kind)) => F::read(kind, bytes),
            (Inner::Several(fragments), Some(kind)) => {
                F::read_merged(kind, fragments.of_field(kind.number()))
            }
            (_, _) => Ok(None),
        }
    }

    /// The payload, if it is of this type.
    ///
    /// # Errors
    /// [`DecodeError`] if its bytes cannot be read.
    #[inline]
    pub fn get<P: Member<'a, Family = F>>(&self) -> Result<Option<P>, DecodeError> {
        self.nested::<P>().get()
    }

    /// The unread payload, if it is of this type.
    #[inline]
    pub(crate) fn nested<P: Member<'a, Family = F>>(&self) -> Nested<'a, P> {
        match self.0 {
            Inner::One { number, bytes } if number == P::KIND.number() => Nested::from_bytes(bytes),
            Inner::Absent | Inner::One { .. } => Nested::ABSENT,
            Inner::Value(value) => Nested::from(P::get_from(value)),
            Inner::Several(fragments) => nested_of(fragments, P::KIND.number()),
        }
    }

    /// Records the extension `number` of the message `outer`; the family has this number.
    #[inline]
    pub(crate) fn record(&mut self, number: u32, bytes: &'a [u8], outer: &'a [u8]) {
        self.0 = match self.0 {
            Inner::Absent => Inner::One { number, bytes },
            _ => Inner::Several(Fragments::one(outer)),
        };
    }

    /// Called when the enclosing message was merged from the fragments `outer`.
    #[cold]
    pub(crate) fn finish_merge(&mut self, outer: Fragments<'a>) {
        if let Inner::Several(_) = self.0 {
            self.0 = Inner::Several(outer);
        }
    }

    /// Writes each payload that the schema has, in its order.
    pub(crate) fn write(&self, out: &mut Output<'_>) {
        match self.0 {
            Inner::Value(value) => value.write(out),
            Inner::One { number, bytes } if F::Kind::from_number(number).is_some() => {
                out.bytes(number, bytes);
            }
            Inner::Absent | Inner::One { .. } => {}
            Inner::Several(fragments) => {
                for number in F::Kind::ALL.iter().map(|kind| kind.number()) {
                    for bytes in fragments.of_field(number).iter() {
                        out.bytes(number, bytes);
                    }
                }
            }
        }
    }
}

/// The kind of the first extension that was sent and is in the schema. The message is passed by value: passed by
/// reference, it would force the envelope into memory.
#[cold]
#[inline(never)]
fn first_kind<'a, F: Family<'a>>(outer: Fragments<'a>) -> Option<F::Kind> {
    RawFields::new(outer).find_map(|field| match field.value {
        UnknownValue::Delimited(_) => F::Kind::from_number(field.number),
        _ => None,
    })
}

#[cold]
fn nested_of<'a, P: Decode<'a>>(outer: Fragments<'a>, number: u32) -> Nested<'a, P> {
    let fragments = outer.of_field(number);
    let mut found = fragments.iter();
    match (found.next(), found.next()) {
        (None, _) => Nested::ABSENT,
        (Some(only), None) => Nested::from_bytes(only),
        (Some(_), Some(_)) => Nested::from_fragments(fragments),
    }
}

impl<F> Default for Extended<'_, F> {
    #[inline]
    fn default() -> Self {
        Self(Inner::Absent)
    }
}

impl<'a, F> From<&'a F> for Extended<'a, F> {
    #[inline]
    fn from(value: &'a F) -> Self {
        Self(Inner::Value(value))
    }
}

impl<'a, F: Family<'a>> fmt::Debug for Extended<'a, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            Some(kind) => f.write_str(kind.name()),
            None => f.write_str("absent"),
        }
    }
}

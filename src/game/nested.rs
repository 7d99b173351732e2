use std::fmt;

use super::error::DecodeError;
use super::merged::Pieces;
use super::message::{Message, Rules};

/// A sub-message: absent, bytes that are still to be read, or, for encoding, a value.
#[derive(Clone, Copy)]
pub struct Nested<'a, M>(Inner<'a, M>);

#[derive(Clone, Copy)]
enum Inner<'a, M> {
    Absent,
    Bytes(&'a [u8]),
    Merged(Pieces<'a>),
    Value(&'a M),
}

impl<'a, M: Message<'a>> Nested<'a, M> {
    /// No sub-message.
    pub const ABSENT: Self = Self(Inner::Absent);

    /// A sub-message to be read from these bytes.
    #[inline]
    pub const fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(Inner::Bytes(bytes))
    }

    /// Whether there is one.
    #[inline]
    pub fn is_present(&self) -> bool {
        !matches!(self.0, Inner::Absent)
    }

    /// The sub-message, if there is one.
    ///
    /// # Errors
    /// [`DecodeError`] where its bytes cannot be read.
    #[inline]
    pub fn get(&self) -> Result<Option<M>, DecodeError> {
        self.read(Rules::VIEW)
    }

    /// Reads the sub-message into `message`, in the place of what was there; `false` where there is
    /// none.
    ///
    /// The same as [`get`](Self::get), without the cost of moving the message about.
    ///
    /// # Errors
    /// [`DecodeError`] where its bytes cannot be read.
    #[inline]
    pub fn read_into(&self, message: &mut M) -> Result<bool, DecodeError> {
        match self.0 {
            Inner::Absent => return Ok(false),
            Inner::Bytes(bytes) => {
                *message = M::default();
                message.read_whole(bytes, Rules::VIEW)?;
            }
            Inner::Merged(pieces) => *message = M::read_merged(pieces, Rules::VIEW)?,
            Inner::Value(value) => *message = *value,
        }
        Ok(true)
    }

    /// Notes one more occurrence of the field `number` of the message `outer`.
    #[inline(always)]
    pub(crate) fn note(&mut self, bytes: &'a [u8], outer: &'a [u8], number: u32) {
        match self.0 {
            Inner::Absent => self.0 = Inner::Bytes(bytes),
            _ => self.note_again(outer, number),
        }
    }

    #[cold]
    #[inline]
    fn note_again(&mut self, outer: &'a [u8], number: u32) {
        if let Ok(pieces) = Pieces::one(outer).of_field(number) {
            self.0 = Inner::Merged(pieces);
        }
    }

    /// Tells that the enclosing message, fully noted by now, was in several pieces.
    #[cold]
    pub(crate) fn spread(&mut self, outer: Pieces<'a>, number: u32) -> Result<(), DecodeError> {
        if let Inner::Merged(_) = self.0 {
            let pieces = outer.of_field(number);
            let pieces = pieces
                .map_err(|fault| DecodeError::new(fault, M::NAME, outer.root(), outer.root()))?;
            self.0 = Inner::Merged(pieces);
        }
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn read(&self, rules: Rules) -> Result<Option<M>, DecodeError> {
        match self.0 {
            Inner::Absent => Ok(None),
            Inner::Bytes(bytes) => M::read(bytes, rules).map(Some),
            Inner::Merged(pieces) => M::read_merged(pieces, rules).map(Some),
            Inner::Value(value) => Ok(Some(*value)),
        }
    }

    /// The bytes, where it was read and not given.
    pub(crate) fn pieces(&self) -> Result<Pieces<'a>, Option<&'a M>> {
        match self.0 {
            Inner::Absent => Err(None),
            Inner::Bytes(bytes) => Ok(Pieces::one(bytes)),
            Inner::Merged(pieces) => Ok(pieces),
            Inner::Value(value) => Err(Some(value)),
        }
    }
}

impl<'a, M: Message<'a>> fmt::Debug for Nested<'a, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get() {
            Ok(Some(message)) => message.fmt(f),
            Ok(None) => f.write_str("absent"),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

impl<M> Default for Nested<'_, M> {
    #[inline]
    fn default() -> Self {
        Self(Inner::Absent)
    }
}

impl<'a, M> From<&'a M> for Nested<'a, M> {
    #[inline]
    fn from(value: &'a M) -> Self {
        Self(Inner::Value(value))
    }
}

impl<'a, M> From<Option<&'a M>> for Nested<'a, M> {
    #[inline]
    fn from(value: Option<&'a M>) -> Self {
        value.map_or_else(Self::default, Self::from)
    }
}

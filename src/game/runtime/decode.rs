use super::error::{DecodeError, Fault};
use super::pieces::Pieces;
use super::rules::Rules;
use super::sealed::Sealed;

/// How a message is read: the part of [`Message`](crate::game::Message) that is not for users.
///
/// A message is in one piece nearly always, and then [`read`](Self::read) or
/// [`read_whole`](Self::read_whole) is called. In several pieces it is read by
/// [`read_merged`](Self::read_merged): [`merge`](Self::merge) for each, then
/// [`finish_merge`](Self::finish_merge).
pub trait Decode<'a>: Sealed + Copy + 'a {
    /// The message's name in the schema.
    const MESSAGE: &'static str;

    /// A message without fields: what bytes are read into. Not for users: it lacks the fields that
    /// are required.
    fn empty() -> Self;

    /// Reads the one piece of a message.
    #[inline(always)]
    fn read(bytes: &'a [u8], rules: Rules) -> Result<Self, DecodeError> {
        let mut read = Ok(Self::empty());
        if let Ok(message) = &mut read
            && let Err(error) = message.read_whole(bytes, rules)
        {
            read = Err(error);
        }
        read
    }

    /// Reads the one piece of a message into it.
    #[inline(always)]
    fn read_whole(&mut self, bytes: &'a [u8], rules: Rules) -> Result<(), DecodeError> {
        self.merge(bytes, rules)?;
        if rules.required {
            self.require(bytes)
        } else {
            Ok(())
        }
    }

    /// Reads a message in several pieces.
    #[cold]
    #[inline(never)]
    fn read_merged(pieces: Pieces<'a>, rules: Rules) -> Result<Self, DecodeError> {
        let mut message = Self::empty();
        for piece in pieces.iter() {
            message.merge(piece, rules)?;
        }
        message.finish_merge(pieces)?;
        if rules.required {
            message.require(pieces.root())?;
        }
        Ok(message)
    }

    /// Refuses a message that lacks a required field.
    fn require(&self, bytes: &'a [u8]) -> Result<(), DecodeError> {
        match self.missing() {
            None => Ok(()),
            Some(field) => Err(DecodeError::new(
                Fault::MissingRequired(field),
                Self::MESSAGE,
                bytes,
                bytes,
            )),
        }
    }

    /// Reads one piece of the message into it.
    fn merge(&mut self, bytes: &'a [u8], rules: Rules) -> Result<(), DecodeError>;

    /// Called after the last piece: fields that are read later are to be looked for in all of
    /// `pieces`, not in the one in which they were first seen.
    fn finish_merge(&mut self, pieces: Pieces<'a>) -> Result<(), DecodeError>;

    /// The bytes that it was read from, if it knows them.
    fn origin(&self) -> Option<&'a [u8]> {
        None
    }

    /// The name of a required field that is absent.
    fn missing(&self) -> Option<&'static str>;
}

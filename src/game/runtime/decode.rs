use super::describe::Description;
use super::error::DecodeError;
use super::fragments::Fragments;
use super::sealed::Sealed;

/// How a message is read: the private part of [`Message`](crate::game::Message).
///
/// A message is nearly always in one piece, and is then read by [`read`](Self::read) or
/// [`read_whole`](Self::read_whole), otherwise by [`read_merged`](Self::read_merged).
pub trait Decode<'a>: Sealed + Copy + 'a {
    /// The description of the message in the schema.
    const DESCRIPTION: &'static Description;

    /// A message without fields, which bytes are read into. Private, since it lacks required fields.
    fn empty() -> Self;

    /// Reads a message in one piece.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut read = Ok(Self::empty());
        if let Ok(message) = &mut read
            && let Err(error) = message.read_whole(bytes)
        {
            read = Err(error);
        }
        read
    }

    /// Reads a message in one piece into it.
    fn read_whole(&mut self, bytes: &'a [u8]) -> Result<(), DecodeError>;

    /// Reads a message in several fragments into it.
    fn read_merged(&mut self, fragments: Fragments<'a>) -> Result<(), DecodeError>;
}

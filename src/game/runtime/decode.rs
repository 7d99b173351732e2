use super::describe::Description;
use super::error::{DecodeError, Fault};
use super::fragments::Fragments;
use super::options::DecodeOptions;
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
    #[inline(always)]
    fn read(bytes: &'a [u8], options: DecodeOptions) -> Result<Self, DecodeError> {
        let mut read = Ok(Self::empty());
        if let Ok(message) = &mut read
            && let Err(error) = message.read_whole(bytes, options)
        {
            read = Err(error);
        }
        read
    }

    /// Reads a message in one piece into it.
    fn read_whole(&mut self, bytes: &'a [u8], options: DecodeOptions) -> Result<(), DecodeError>;

    /// Reads a message in several fragments into it.
    fn read_merged(
        &mut self,
        fragments: Fragments<'a>,
        options: DecodeOptions,
    ) -> Result<(), DecodeError>;

    /// Rejects a message that lacks a required field, if the options require them.
    #[inline(always)]
    fn require(&self, bytes: &'a [u8], options: DecodeOptions) -> Result<(), DecodeError> {
        match self.missing() {
            Some(field) if options.required => {
                let fault = Fault::MissingRequired(field);
                Err(DecodeError::new(
                    fault,
                    Self::DESCRIPTION.name,
                    bytes,
                    bytes,
                ))
            }
            _ => Ok(()),
        }
    }

    /// The bytes that it was read from, if known.
    fn origin(&self) -> Option<&'a [u8]> {
        None
    }

    /// The name of a required field that is absent.
    fn missing(&self) -> Option<&'static str>;
}

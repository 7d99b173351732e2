use super::describe::Description;
use super::error::{DecodeError, Fault};
use super::fragments::Fragments;
use super::options::DecodeOptions;
use super::sealed::Sealed;

/// How a message is read: the part of [`Message`](crate::game::Message) that is not for users.
///
/// A message is in one piece nearly always, and then [`read`](Self::read) or
/// [`read_whole`](Self::read_whole) is called; [`read_merged`](Self::read_merged) if it is not.
pub trait Decode<'a>: Sealed + Copy + 'a {
    /// What the schema says of the message.
    const DESCRIPTION: &'static Description;

    /// A message without fields: what bytes are read into. Not for users: it lacks the fields that
    /// are required.
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

    /// Refuses a message that lacks a required field, if the options say so.
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

    /// The bytes that it was read from, if it knows them.
    fn origin(&self) -> Option<&'a [u8]> {
        None
    }

    /// The name of a required field that is absent.
    fn missing(&self) -> Option<&'static str>;
}

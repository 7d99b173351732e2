use super::describe::Description;
use super::error::{DecodeError, Fault};
use super::fragments::Fragments;
use super::options::DecodeOptions;
use super::sealed::Sealed;

/// How a message is read: the part of [`Message`](crate::game::Message) that is not for users.
///
/// A message is in one piece nearly always, and then [`read`](Self::read) or
/// [`read_whole`](Self::read_whole) is called. In several fragments it is read by
/// [`read_merged`](Self::read_merged): [`merge`](Self::merge) for each, then
/// [`finish_merge`](Self::finish_merge).
pub trait Decode<'a>: Sealed + Copy + 'a {
    /// What the schema says of the message.
    const DESCRIPTION: &'static Description;

    /// Whether required fields must be there in every reading, whatever the options say.
    const ALWAYS_REQUIRED: bool = false;

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
    #[inline(always)]
    fn read_whole(&mut self, bytes: &'a [u8], options: DecodeOptions) -> Result<(), DecodeError> {
        self.merge(bytes, options)?;
        if options.required || Self::ALWAYS_REQUIRED {
            self.require(bytes)
        } else {
            Ok(())
        }
    }

    /// Reads a message in several fragments.
    #[cold]
    #[inline(never)]
    fn read_merged(fragments: Fragments<'a>, options: DecodeOptions) -> Result<Self, DecodeError> {
        let mut message = Self::empty();
        for fragment in fragments.iter() {
            message.merge(fragment, options)?;
        }
        message.finish_merge(fragments);
        if options.required || Self::ALWAYS_REQUIRED {
            message.require(fragments.root())?;
        }
        Ok(message)
    }

    /// Refuses a message that lacks a required field.
    fn require(&self, bytes: &'a [u8]) -> Result<(), DecodeError> {
        match self.missing() {
            None => Ok(()),
            Some(field) => Err(DecodeError::new(
                Fault::MissingRequired(field),
                Self::DESCRIPTION.name,
                bytes,
                bytes,
            )),
        }
    }

    /// Reads one fragment of the message into it.
    fn merge(&mut self, bytes: &'a [u8], options: DecodeOptions) -> Result<(), DecodeError>;

    /// Called after the last fragment: fields that are read later are to be looked for in all of
    /// `fragments`, not in the one in which they were first seen.
    fn finish_merge(&mut self, fragments: Fragments<'a>);

    /// The bytes that it was read from, if it knows them.
    fn origin(&self) -> Option<&'a [u8]> {
        None
    }

    /// The name of a required field that is absent.
    fn missing(&self) -> Option<&'static str>;
}

use std::fmt::Debug;

use super::decode::Decode;
use super::encode::{self, Encode, Output};
use super::error::DecodeError;
use super::repeated::Element;

/// A message of the protocol.
///
/// A value of a message type is a view: one pass over the bytes of the message locates its fields in place. Its
/// public fields show what is present (`user.id` is an `Option`), the getters of the same names return the
/// default of the schema for absent fields (`user.id()`). Sub-messages and repeated fields are read on access.
/// For encoding, the same types are constructed directly:
///
/// ```
/// use portreeve::game::info::User;
/// use portreeve::game::Message;
///
/// let user = User { name: Some("ann".into()), id: Some(7), ..User::default() };
/// let bytes = user.to_vec();
/// let read = User::parse(&bytes)?;
/// assert_eq!(read.name()?, "ann");
/// assert_eq!((read.id(), read.id), (7, Some(7)));
/// assert_eq!((read.server_id(), read.server_id), (-1, None));
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
///
/// The trait is sealed to the messages of this crate, so that their implementation can change. It is for code
/// that is generic over messages.
pub trait Message<'a>:
    Decode<'a> + Encode + Debug + Element<'a, Value = Self, Item = Result<Self, DecodeError>>
{
    /// Its name in the schema.
    const NAME: &'static str = Self::DESCRIPTION.name;

    /// Reads the bytes of one message.
    ///
    /// Sub-messages are not read, and required fields may be absent: see [`check`](crate::game::check()).
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not fields.
    #[inline]
    fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(bytes)
    }

    /// The length of the encoded message, in bytes.
    #[inline]
    fn encoded_len(&self) -> usize {
        encode::encoded_len(self)
    }

    /// Appends the encoded message to `out`.
    ///
    /// Unknown fields and unread sub-messages are copied unchanged.
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        self.write(&mut Output::to(out));
    }

    /// The encoded message.
    fn to_vec(&self) -> Vec<u8> {
        encode::to_vec(self)
    }
}

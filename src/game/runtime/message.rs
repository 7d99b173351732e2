use std::fmt::Debug;

use super::decode::Decode;
use super::encode;
use super::error::DecodeError;
use super::options::DecodeOptions;
use super::repeated::Element;
use super::visit::Visitor;

/// A message of the protocol.
///
/// A value of a message type is a view: one pass over the message's bytes found its fields, which
/// stay in place. Its public fields say what is there (`user.id` is an `Option`), the getters
/// of the same names give the schema's default for what is absent (`user.id()`); sub-messages and
/// repeated fields are read when asked for. For encoding the same types are filled by hand:
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
/// The trait is sealed: the messages are those of this crate, so that how they are read can change.
/// It is there for code that works on any of them:
///
/// ```
/// use portreeve::game::{DecodeError, Message, check};
///
/// fn is_complete<'a, M: Message<'a>>(bytes: &'a [u8]) -> Result<(), DecodeError> {
///     check(&M::parse(bytes)?)
/// }
/// # assert!(is_complete::<portreeve::game::info::User>(b"").is_ok());
/// ```
pub trait Message<'a>:
    Decode<'a> + Debug + Element<'a, Value = Self, Item = Result<Self, DecodeError>>
{
    /// Its name in the schema.
    const NAME: &'static str = Self::DESCRIPTION.name;

    /// Reads the bytes of one message.
    ///
    /// Sub-messages are not looked into, and required fields may be absent: see
    /// [`check`](crate::game::check()).
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not fields.
    #[inline]
    fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(bytes, DecodeOptions::VIEW)
    }

    /// Shows every field that is present to a visitor, in the order of the schema.
    ///
    /// # Errors
    /// Those of the visitor.
    fn visit<V: Visitor<'a>>(&self, visitor: &mut V) -> Result<(), V::Error>;

    /// How many bytes the message takes when encoded.
    #[inline]
    fn encoded_len(&self) -> usize {
        encode::encoded_len(self)
    }

    /// The encoded message, appended to `out`.
    ///
    /// Unknown fields and what was read are passed on as they are.
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        encode::append(self, out);
    }

    /// The encoded message.
    fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.encoded_len());
        self.encode(&mut out);
        out
    }
}

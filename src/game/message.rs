use std::fmt::Debug;

use super::MAX_DEPTH;
use super::error::{DecodeError, Fault};
use super::merged::Pieces;
use super::nested::Nested;
use super::repeated::Element;
use super::visit::Visitor;

/// A message of the protocol.
///
/// A value of a message type is a view: one pass over the message's bytes found its fields, which
/// stay where they are. Its public fields say what is there (`user.id` is an `Option`), the getters
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
pub trait Message<'a>:
    Copy + Debug + Default + Element<'a, Value = Self, Item = Result<Self, DecodeError>> + 'a
{
    /// Its name in the schema.
    const NAME: &'static str;

    /// Reads the bytes of one message.
    ///
    /// Sub-messages are not looked into, and required fields may be absent: see
    /// [`check`](super::check).
    ///
    /// # Errors
    /// [`DecodeError`] where the bytes are not fields.
    #[inline]
    fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(bytes, Rules::VIEW)
    }

    /// Shows every field that is present to a visitor, in the order of the schema.
    ///
    /// # Errors
    /// Those of the visitor.
    fn visit<V: Visitor<'a>>(&self, visitor: &mut V) -> Result<(), V::Error>;

    /// How many bytes the message takes when encoded.
    fn encoded_len(&self) -> usize {
        super::encode::encoded_len(self)
    }

    /// The encoded message, appended to `out`.
    ///
    /// Unknown fields and what was read are passed on as they are.
    fn encode(&self, out: &mut Vec<u8>) {
        super::encode::append(self, out);
    }

    /// The encoded message.
    fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.encoded_len());
        self.encode(&mut out);
        out
    }

    #[doc(hidden)]
    #[inline(always)]
    fn read(bytes: &'a [u8], rules: Rules) -> Result<Self, DecodeError> {
        let mut read = Ok(Self::default());
        if let Ok(message) = &mut read
            && let Err(error) = message.read_whole(bytes, rules)
        {
            read = Err(error);
        }
        read
    }

    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    fn read_merged(pieces: Pieces<'a>, rules: Rules) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        for piece in pieces.iter() {
            message.merge(piece, rules)?;
        }
        message.spread(pieces)?;
        if rules.required {
            message.require(pieces.root())?;
        }
        Ok(message)
    }

    /// Reads the one piece of a message into it.
    #[doc(hidden)]
    #[inline(always)]
    fn read_whole(&mut self, bytes: &'a [u8], rules: Rules) -> Result<(), DecodeError> {
        self.merge(bytes, rules)?;
        if rules.required {
            self.require(bytes)
        } else {
            Ok(())
        }
    }

    #[doc(hidden)]
    fn require(&self, bytes: &'a [u8]) -> Result<(), DecodeError> {
        match self.missing() {
            None => Ok(()),
            Some(field) => Err(DecodeError::new(
                Fault::MissingRequired(field),
                Self::NAME,
                bytes,
                bytes,
            )),
        }
    }

    /// Reads one piece of the message into it: in most cases the whole.
    #[doc(hidden)]
    fn merge(&mut self, bytes: &'a [u8], rules: Rules) -> Result<(), DecodeError>;

    /// Tells a message that was merged from several pieces which ones.
    #[doc(hidden)]
    fn spread(&mut self, pieces: Pieces<'a>) -> Result<(), DecodeError>;

    /// The bytes that it was read from, where it knows them.
    #[doc(hidden)]
    fn origin(&self) -> Option<&'a [u8]> {
        None
    }

    /// A required field that is absent.
    #[doc(hidden)]
    fn missing(&self) -> Option<&'static str>;
}

/// How strictly to read.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How many levels of messages and groups may lie below this one.
    pub(crate) depth: u32,
    /// Whether required fields must be there.
    pub(crate) required: bool,
}

impl Rules {
    pub(crate) const VIEW: Self = Self {
        depth: MAX_DEPTH,
        required: false,
    };

    pub(crate) const FULL: Self = Self {
        depth: MAX_DEPTH,
        required: true,
    };

    /// Reads what lies within, one level deeper.
    pub(crate) fn descend<'a, M: Message<'a>>(
        self,
        nested: &Nested<'a, M>,
    ) -> Result<Option<(M, Self)>, DecodeError> {
        let Some(depth) = self.depth.checked_sub(1) else {
            let place = nested.pieces().map(|pieces| pieces.root());
            let place = place.unwrap_or_default();
            return Err(DecodeError::new(Fault::TooDeep, M::NAME, place, place));
        };
        let rules = Self { depth, ..self };
        Ok(nested.read(rules)?.map(|message| (message, rules)))
    }
}

use super::code::ResponseCode;
use super::define::message_impls;
use super::error::{DecodeError, Fault};
use super::merged::{PieceIter, Pieces};
use super::message::{Message, Rules};
use super::nested::Nested;
use super::payload::{Kind, Payload, ResponsePayload};
use super::scalar::{Int32, Scalar, Uint64};
use super::server_message::ServerMessage;
use super::unknown::UnknownFields;
use super::visit::{Field, Visitor};
use super::wire::{DELIMITED, Reader, Tag, VARINT, tag};

/// The first number that an extension can have.
const FIRST_EXTENSION: u32 = 100;

const CMD_ID: Tag = tag(1, VARINT);
const RESPONSE_CODE: Tag = tag(2, VARINT);

/// Of the envelope.
const MESSAGE_TYPE: Tag = tag(1, VARINT);
const RESPONSE: Tag = tag(2, DELIMITED);

/// The answer to a command: whose, how it went, and where its payload lies.
///
/// Parsing touches no payload. A payload is read when asked for, by [`payload`](Self::payload)
/// where its kind is not known, by [`get`](Self::get) where it is:
///
/// ```
/// use portreeve::game::payload::PasswordSalt;
/// use portreeve::game::{Response, ResponseCode};
///
/// let bytes = b"\x08\x07\x10\x01\xca\x3f\x06\x0a\x04salt";
/// let response = Response::parse(bytes)?;
/// assert_eq!(response.cmd_id(), 7);
/// assert_eq!(response.code(), Some(ResponseCode::RespOk));
/// if let Some(answer) = response.get::<PasswordSalt>()? {
///     assert_eq!(answer.password_salt()?, "salt");
/// }
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
///
/// Source: specification sections 2.1, 2.2 and 7.2.
#[derive(Clone, Copy, Default)]
pub struct Response<'a> {
    cmd_id: Option<u64>,
    code: Option<ResponseCode>,
    raw_code: Option<i32>,
    extensions: Place<'a>,
    /// The message as it was read; empty where it was not.
    message: Pieces<'a>,
}

/// Where the extensions are.
#[derive(Clone, Copy, Default)]
enum Place<'a> {
    #[default]
    Nowhere,
    Once(Extension<'a>),
    /// More than once: the message has to be walked.
    Scattered,
    Given(&'a Payload<'a>),
}

#[cold]
#[inline(never)]
fn parse_unusual(bytes: &[u8]) -> Result<Response<'_>, DecodeError> {
    Message::read(bytes, Rules::VIEW)
}

/// The answer in a [`ServerMessage`] as servers send it: the type, then the answer.
#[inline(always)]
fn find_in_envelope(bytes: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader::new(bytes);
    if !reader.take_tag(MESSAGE_TYPE) {
        return None;
    }
    reader.varint().ok()?;
    if !reader.take_tag(RESPONSE) {
        return None;
    }
    let response = reader.delimited().ok()?;
    reader.is_empty().then_some(response)
}

/// An extension of a [`Response`], as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension<'a> {
    /// Its number, from 100 upward.
    pub number: u32,
    /// The bytes of its message.
    pub bytes: &'a [u8],
}

impl<'a> Response<'a> {
    /// Reads the bytes of one `Response`, without looking into its payload.
    ///
    /// # Errors
    /// [`DecodeError`] where the bytes are not fields, or `cmd_id` is missing.
    #[inline(always)]
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        match Self::parse_usual(bytes) {
            Some(response) => Ok(response),
            None => parse_unusual(bytes),
        }
    }

    /// Reads the answer in the bytes of a [`ServerMessage`], without looking into its payload;
    /// `None` where there is none, because the message tells of an event.
    ///
    /// The same as `ServerMessage::parse(bytes)?.response()?`, in half the instructions.
    ///
    /// # Errors
    /// [`DecodeError`] where the bytes are not fields, or the answer's `cmd_id` is missing.
    #[inline(always)]
    pub fn parse_enveloped(bytes: &'a [u8]) -> Result<Option<Self>, DecodeError> {
        match find_in_envelope(bytes) {
            Some(response) => Self::parse(response).map(Some),
            None => ServerMessage::parse(bytes)?.response(),
        }
    }

    /// Reads what servers send: an id, a code and at most one payload, in this order. `None` for
    /// anything else.
    ///
    /// Nothing here takes a reference to the outcome, and all of it is inlined, so that what the
    /// caller asks for stays in registers and the rest is never made.
    #[inline(always)]
    fn parse_usual(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        if !reader.take_tag(CMD_ID) {
            return None;
        }
        let cmd_id = Uint64::read(&mut reader).ok()?;
        if !reader.take_tag(RESPONSE_CODE) {
            return None;
        }
        let code = Int32::read(&mut reader).ok()?;
        let mut extensions = Place::Nowhere;
        if !reader.is_empty() {
            let found = reader.tag().ok()?;
            if found & 7 != DELIMITED || found < tag(FIRST_EXTENSION, 0) {
                return None;
            }
            let number = found >> 3;
            let bytes = reader.delimited().ok()?;
            extensions = Place::Once(Extension { number, bytes });
        }
        reader.is_empty().then_some(Self {
            cmd_id: Some(cmd_id),
            code: ResponseCode::from_number(code),
            raw_code: Some(code),
            extensions,
            message: Pieces::one(bytes),
        })
    }

    /// An answer, to be encoded.
    pub fn new(cmd_id: u64, code: ResponseCode) -> Self {
        Self {
            cmd_id: Some(cmd_id),
            code: Some(code),
            raw_code: Some(code.number()),
            ..Self::default()
        }
    }

    /// The same answer with this payload, and none else.
    #[must_use]
    pub fn with_payload(self, payload: &'a Payload<'a>) -> Self {
        Self {
            extensions: Place::Given(payload),
            ..self
        }
    }

    /// The `cmd_id` of the command that this answers.
    ///
    /// Servatrice keeps it in 32 bits: it comes back unchanged up to 2,147,483,647, and an answer
    /// to a command without one has 18,446,744,073,709,551,615.
    #[inline]
    pub fn cmd_id(&self) -> u64 {
        self.cmd_id.unwrap_or_default()
    }

    /// How it went; `None` where the message does not say, or gives a number that the schema does
    /// not have. Where several codes were sent, the last one of the schema.
    #[inline]
    pub fn code(&self) -> Option<ResponseCode> {
        self.code
    }

    /// How it went, or what the schema says of an absent code:
    /// [`RespNotConnected`](ResponseCode::RespNotConnected).
    #[inline]
    pub fn code_or_default(&self) -> ResponseCode {
        self.code.unwrap_or(ResponseCode::RespNotConnected)
    }

    /// The last number that was sent as the code, whether the schema has it or not.
    #[inline]
    pub fn raw_code(&self) -> Option<i32> {
        self.raw_code
    }

    /// Which payload the answer has: the first extension that is known.
    #[inline]
    pub fn kind(&self) -> Option<Kind> {
        match self.extensions {
            Place::Nowhere => None,
            Place::Once(extension) => extension.kind(),
            Place::Given(payload) => Some(payload.kind()),
            Place::Scattered => self.extensions().find_map(|extension| extension.kind()),
        }
    }

    /// The extensions as they were sent, in order, known or not. A payload that was sent in
    /// pieces is there several times; one that was given for encoding is not there.
    #[inline]
    pub fn extensions(&self) -> Extensions<'a> {
        match self.extensions {
            Place::Once(extension) => Extensions {
                once: Some(extension),
                walk: None,
            },
            Place::Scattered => Extensions {
                once: None,
                walk: Some((Reader::new(&[]), self.message.iter())),
            },
            Place::Nowhere | Place::Given(_) => Extensions {
                once: None,
                walk: None,
            },
        }
    }

    /// The payload of the [`kind`](Self::kind) that the answer has.
    ///
    /// # Errors
    /// [`DecodeError`] where its bytes cannot be read.
    pub fn payload(&self) -> Result<Option<Payload<'a>>, DecodeError> {
        match (self.extensions, self.kind()) {
            (Place::Given(payload), _) => Ok(Some(*payload)),
            (_, Some(kind)) => Payload::read(self, kind),
            (_, None) => Ok(None),
        }
    }

    /// The payload of this type, if the answer has it.
    ///
    /// # Errors
    /// [`DecodeError`] where its bytes cannot be read.
    #[inline]
    pub fn get<P: ResponsePayload<'a>>(&self) -> Result<Option<P>, DecodeError> {
        let read = match self.extensions {
            Place::Nowhere => return Ok(None),
            Place::Once(extension) if extension.number == P::KIND.number() as u32 => {
                P::read(extension.bytes, Rules::VIEW).map(Some)
            }
            Place::Once(_) => return Ok(None),
            Place::Given(payload) => return Ok(P::of(payload).copied()),
            Place::Scattered => self.nested::<P>().get(),
        };
        match read {
            Err(error) => Err(error.within(self.message.root())),
            read => read,
        }
    }

    /// What the schema does not have: fields, extensions, and a code outside the enum.
    pub fn unknown_fields(&self) -> UnknownFields<'a> {
        UnknownFields::of(self.message, is_known)
    }

    /// Reads the whole message, every level of it, and tells whether Google's protobuf libraries
    /// would accept it: required fields are there, and nothing lies deeper than
    /// [`MAX_DEPTH`](super::MAX_DEPTH). Text may be any bytes.
    ///
    /// # Errors
    /// [`DecodeError`] with its offset counted from the start of this message.
    pub fn check(&self) -> Result<(), DecodeError> {
        super::check::check(self)
    }

    /// Where the payload of this type is.
    pub(crate) fn nested<P: ResponsePayload<'a>>(&self) -> Nested<'a, P> {
        let number = P::KIND.number() as u32;
        let mut nested = Nested::ABSENT;
        match self.extensions {
            Place::Nowhere => {}
            Place::Given(payload) => nested = Nested::from(P::of(payload)),
            Place::Once(_) | Place::Scattered => {
                let found = self.extensions().filter(|found| found.number == number);
                for extension in found {
                    nested.note(extension.bytes, self.message.root(), number);
                }
                // Cannot fail: a response lies in a `ServerMessage` at most.
                let _ = nested.spread(self.message, number);
            }
        }
        nested
    }

    #[inline(always)]
    fn fields(&mut self, reader: &mut Reader<'a>, depth: u32) -> Result<(), Fault> {
        while !reader.is_empty() {
            match reader.tag()? {
                CMD_ID => self.cmd_id = Some(Uint64::read(reader)?),
                RESPONSE_CODE => {
                    let number = Int32::read(reader)?;
                    self.raw_code = Some(number);
                    self.code = ResponseCode::from_number(number).or(self.code);
                }
                found if found & 7 == DELIMITED && found >= tag(FIRST_EXTENSION, 0) => {
                    let bytes = reader.delimited()?;
                    let number = found >> 3;
                    self.extensions = match self.extensions {
                        Place::Nowhere => Place::Once(Extension { number, bytes }),
                        _ => Place::Scattered,
                    };
                }
                found => reader.skip(found, depth)?,
            }
        }
        Ok(())
    }
}

impl<'a> Message<'a> for Response<'a> {
    const NAME: &'static str = "Response";

    #[inline(always)]
    fn read(bytes: &'a [u8], rules: Rules) -> Result<Self, DecodeError> {
        let mut response = Self::default();
        response.read_whole(bytes, rules)?;
        Ok(response)
    }

    /// An answer without a `cmd_id` answers nothing: it is refused by every reading.
    #[inline(always)]
    fn read_whole(&mut self, bytes: &'a [u8], rules: Rules) -> Result<(), DecodeError> {
        if let Some(usual) = Self::parse_usual(bytes) {
            *self = usual;
            return Ok(());
        }
        self.message = Pieces::one(bytes);
        self.merge(bytes, rules)?;
        match self.cmd_id {
            Some(_) => Ok(()),
            None => Err(no_cmd_id(bytes)),
        }
    }

    #[inline]
    fn merge(&mut self, bytes: &'a [u8], rules: Rules) -> Result<(), DecodeError> {
        let mut reader = Reader::new(bytes);
        match self.fields(&mut reader, rules.depth) {
            Ok(()) => Ok(()),
            Err(fault) => Err(DecodeError::new(fault, Self::NAME, bytes, reader.rest())),
        }
    }

    fn spread(&mut self, pieces: Pieces<'a>) -> Result<(), DecodeError> {
        self.message = pieces;
        self.cmd_id
            .map_or_else(|| Err(no_cmd_id(pieces.root())), |_| Ok(()))
    }

    fn origin(&self) -> Option<&'a [u8]> {
        Some(self.message.root())
    }

    fn missing(&self) -> Option<&'static str> {
        self.cmd_id.is_none().then_some("cmd_id")
    }

    fn visit<V: Visitor<'a>>(&self, visitor: &mut V) -> Result<(), V::Error> {
        if let Some(cmd_id) = self.cmd_id {
            let field = Field {
                number: CMD_ID >> 3,
                name: "cmd_id",
            };
            visitor.scalar::<Uint64>(field, cmd_id)?;
        }
        if let Some(code) = self.code {
            let field = Field {
                number: RESPONSE_CODE >> 3,
                name: "response_code",
            };
            visitor.enumeration(field, code)?;
        }
        match self.extensions {
            Place::Nowhere => {}
            Place::Once(_) | Place::Given(_) => {
                if let Some(kind) = self.kind() {
                    kind.visit(self, visitor)?;
                }
            }
            Place::Scattered => {
                for kind in Kind::ALL {
                    kind.visit(self, visitor)?;
                }
            }
        }
        let unknown = self.unknown_fields();
        if unknown.is_empty() {
            Ok(())
        } else {
            visitor.unknown(&unknown)
        }
    }
}

message_impls!(Response);

impl Extension<'_> {
    /// The kind with this number, if it is known.
    #[inline]
    pub fn kind(&self) -> Option<Kind> {
        Kind::from_number(i32::try_from(self.number).ok()?)
    }
}

/// The extensions of a [`Response`].
#[derive(Clone, Debug)]
pub struct Extensions<'a> {
    once: Option<Extension<'a>>,
    walk: Option<(Reader<'a>, PieceIter<'a>)>,
}

impl<'a> Iterator for Extensions<'a> {
    type Item = Extension<'a>;

    #[inline]
    fn next(&mut self) -> Option<Extension<'a>> {
        match &mut self.walk {
            None => self.once.take(),
            Some((reader, pieces)) => next_extension(reader, pieces),
        }
    }
}

impl std::iter::FusedIterator for Extensions<'_> {}

/// The message was read through before, so that what cannot be read is as good as the end.
#[cold]
fn next_extension<'a>(
    reader: &mut Reader<'a>,
    pieces: &mut PieceIter<'a>,
) -> Option<Extension<'a>> {
    loop {
        while reader.is_empty() {
            *reader = Reader::new(pieces.next()?);
        }
        let found = reader.tag().ok()?;
        if found & 7 == DELIMITED && found >= tag(FIRST_EXTENSION, 0) {
            let bytes = reader.delimited().ok()?;
            let number = found >> 3;
            return Some(Extension { number, bytes });
        }
        reader.skip(found, super::MAX_DEPTH).ok()?;
    }
}

fn is_known(found: Tag, varint: u64) -> bool {
    match found {
        CMD_ID => true,
        RESPONSE_CODE => ResponseCode::from_number(varint as i32).is_some(),
        _ => found & 7 == DELIMITED && Kind::from_number((found >> 3) as i32).is_some(),
    }
}

#[cold]
fn no_cmd_id(bytes: &[u8]) -> DecodeError {
    DecodeError::new(Fault::MissingRequired("cmd_id"), "Response", bytes, bytes)
}

mod extensions;
mod fields;
mod owned;
mod parse;

use extensions::ExtensionSet;
pub use extensions::{Extension, Extensions};
pub use owned::OwnedResponse;

use super::payload::{Kind, Payload, ResponsePayload};
use super::response_code::ResponseCode;
use crate::game::runtime::check::{check, check_with_text};
use crate::game::runtime::decode::Decode;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::extension::{Family, ForPayload, Member};
use crate::game::runtime::fragments::Fragments;
use crate::game::runtime::nested::Nested;
use crate::game::runtime::options::DecodeOptions;
use crate::game::runtime::unknown::UnknownFields;
use crate::game::runtime::visit::Field;

const CMD_ID: Field = Field {
    number: 1,
    name: "cmd_id",
    secret: false,
};
const RESPONSE_CODE: Field = Field {
    number: 2,
    name: "response_code",
    secret: false,
};

/// The answer to a command: which command, how it went, and where its payload is.
///
/// Parsing touches no payload. A payload is read when asked for, by [`payload`](Self::payload)
/// if its kind is not known, by [`get`](Self::get) if it is:
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
/// Source: docs/ARCHITECTURE.md, "The reader".
#[derive(Clone, Copy, Default)]
pub struct Response<'a> {
    cmd_id: Option<u64>,
    code: Option<ResponseCode>,
    raw_code: Option<i32>,
    extensions: ExtensionSet<'a>,
    /// The message as it was read; empty if it was not read.
    message: Fragments<'a>,
}

impl<'a> Response<'a> {
    /// An answer, to be encoded.
    pub fn new(cmd_id: u64, code: ResponseCode) -> Self {
        Self {
            cmd_id: Some(cmd_id),
            code: Some(code),
            raw_code: Some(code.number()),
            ..Self::empty()
        }
    }

    /// The same answer with this payload and no other.
    #[must_use]
    pub fn with_payload(self, payload: &'a Payload<'a>) -> Self {
        Self {
            extensions: ExtensionSet::Given(payload),
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

    /// How it went; `None` if the message does not say, or gives a number that the schema does not
    /// have. Of several codes, the last one that the schema has.
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
    #[inline(always)]
    pub fn kind(&self) -> Option<Kind> {
        match self.extensions {
            ExtensionSet::None => None,
            ExtensionSet::One(extension) => extension.kind(),
            ExtensionSet::Given(payload) => Some(payload.kind()),
            ExtensionSet::Several => first_kind(self.message),
        }
    }

    /// The extensions as they were sent, in order, known or not. A payload that was sent in
    /// several fragments is there several times; one that was given for encoding is not there.
    #[inline]
    pub fn extensions(&self) -> Extensions<'a> {
        match self.extensions {
            ExtensionSet::One(extension) => Extensions::once(Some(extension)),
            ExtensionSet::Several => Extensions::walk(self.message.iter()),
            ExtensionSet::None | ExtensionSet::Given(_) => Extensions::once(None),
        }
    }

    /// The payload of the [`kind`](Self::kind) that the answer has.
    ///
    /// # Errors
    /// [`DecodeError`] if its bytes cannot be read.
    pub fn payload(&self) -> Result<Option<Payload<'a>>, DecodeError> {
        let read = match self.extensions {
            ExtensionSet::None => return Ok(None),
            ExtensionSet::Given(payload) => return Ok(Some(*payload)),
            ExtensionSet::One(extension) => match extension.kind() {
                Some(kind) => Payload::read(kind, extension.bytes),
                None => return Ok(None),
            },
            ExtensionSet::Several => match self.kind() {
                Some(kind) => Payload::with(kind, ReadMerged(self)),
                None => return Ok(None),
            },
        };
        match read {
            Err(error) => Err(error.within(self.message.root())),
            read => read,
        }
    }

    /// The payload of this type, if the answer has it.
    ///
    /// # Errors
    /// [`DecodeError`] if its bytes cannot be read.
    #[inline]
    pub fn get<P: ResponsePayload<'a>>(&self) -> Result<Option<P>, DecodeError> {
        let read = match self.extensions {
            ExtensionSet::None => return Ok(None),
            ExtensionSet::One(extension) if extension.number == P::KIND.number() => {
                P::read(extension.bytes, DecodeOptions::VIEW).map(Some)
            }
            ExtensionSet::One(_) => return Ok(None),
            ExtensionSet::Given(payload) => return Ok(P::of(payload).copied()),
            ExtensionSet::Several => self.nested::<P>().get(),
        };
        match read {
            Err(error) => Err(error.within(self.message.root())),
            read => read,
        }
    }

    /// What the schema does not have: fields, extensions, and codes outside the enum.
    pub fn unknown_fields(&self) -> UnknownFields<'a> {
        UnknownFields::of(self.message, Self::DESCRIPTION)
    }

    /// Reads the whole message, every level of it, and tells whether Google's protobuf libraries
    /// would accept it: required fields are there, and nothing lies deeper than
    /// [`MAX_DEPTH`](crate::game::MAX_DEPTH). Text may be any bytes.
    ///
    /// # Errors
    /// [`DecodeError`] with its offset counted from the start of this message.
    pub fn check(&self) -> Result<(), DecodeError> {
        check(self)
    }

    /// The same as [`check`](Self::check), and that each text is UTF-8. No getter of the answer, its
    /// payload or anything below it fails after that.
    ///
    /// # Errors
    /// [`DecodeError`] with its offset counted from the start of this message.
    pub fn check_with_text(&self) -> Result<(), DecodeError> {
        check_with_text(self)
    }

    /// The payload of this type, still to be read.
    pub(crate) fn nested<P: ResponsePayload<'a>>(&self) -> Nested<'a, P> {
        let number = P::KIND.number();
        let mut nested = Nested::ABSENT;
        match self.extensions {
            ExtensionSet::None => {}
            ExtensionSet::Given(payload) => nested = Nested::from(P::of(payload)),
            ExtensionSet::One(_) | ExtensionSet::Several => {
                let found = self.extensions().filter(|found| found.number == number);
                for extension in found {
                    nested.record(extension.bytes, self.message.root(), number);
                }
                nested.finish_merge(self.message, number);
            }
        }
        nested
    }
}

/// The first known kind among several extensions.
///
/// The message is passed by value: passed by reference, a response would have to be in memory just
/// for this.
#[cold]
#[inline(never)]
fn first_kind(message: Fragments<'_>) -> Option<Kind> {
    Extensions::walk(message.iter()).find_map(|extension| extension.kind())
}

/// Reads a payload that may have been sent in several fragments, as one of any kind.
struct ReadMerged<'r, 'a>(&'r Response<'a>);

impl<'a> ForPayload<'a, Payload<'a>> for ReadMerged<'_, 'a> {
    type Output = Result<Option<Payload<'a>>, DecodeError>;

    #[cold]
    fn run<P: Member<'a, Family = Payload<'a>>>(self) -> Self::Output {
        let payload = self.0.nested::<P>().get()?;
        Ok(payload.map(P::into))
    }
}

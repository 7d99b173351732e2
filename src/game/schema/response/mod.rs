mod owned;
mod parse;

pub use owned::OwnedResponse;

use super::generated::response::{ResponseCode, ResponseFields};
use super::payload::{Payload, PayloadKind};
use crate::game::runtime::decode::Decode;
use crate::game::runtime::describe::FIRST_EXTENSION;
use crate::game::runtime::encode::{Encode, Output};
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::extension::{Extended, Inner, Member};
use crate::game::runtime::fragments::Fragments;
use crate::game::runtime::macros::message_impls;
use crate::game::runtime::message::Message;
use crate::game::runtime::raw::{RawFields, UnknownValue};
use crate::game::runtime::required::Required;
use crate::game::runtime::unknown::UnknownFields;

/// The answer to a command: the id of the command, its result code, and its payload.
///
/// Parsing does not read the payload. [`payload`](Self::payload) reads one of any kind,
/// [`get`](Self::get) one of a given type.
///
/// How it reads: docs/ARCHITECTURE.md, "The reader".
#[derive(Clone, Copy, Default)]
pub struct Response<'a> {
    // Not `ResponseFields`: the optimiser can keep these few values in registers, and drop unused ones.
    cmd_id: Option<u64>,
    code: Option<ResponseCode>,
    raw_code: Option<i32>,
    /// After the fast path, its number may be one that the schema does not have.
    payload: Extended<'a, Payload<'a>>,
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
            ..Self::default()
        }
    }

    /// The same answer with this payload instead of any other.
    #[must_use]
    pub fn with_payload(mut self, payload: &'a Payload<'a>) -> Self {
        self.payload = Extended::from(payload);
        self
    }

    /// The `cmd_id` of the command that this answers.
    ///
    /// Servatrice keeps it in 32 bits: it comes back unchanged up to 2,147,483,647, and an answer
    /// to a command without one has 18,446,744,073,709,551,615.
    #[inline]
    pub fn cmd_id(&self) -> u64 {
        self.cmd_id.unwrap_or_default()
    }

    /// The result code; `None` if it is absent, or not in the schema. Of several, the last one in the schema counts.
    #[inline]
    pub fn code(&self) -> Option<ResponseCode> {
        self.code
    }

    /// The last number that was sent as the result code, even if it is not in the schema.
    #[inline]
    pub fn raw_code(&self) -> Option<i32> {
        self.raw_code
    }

    /// The kind of the payload: that of the first known extension.
    #[inline(always)]
    pub fn kind(&self) -> Option<PayloadKind> {
        self.payload.kind()
    }

    /// The number and the bytes of each extension as it was sent, in order, both known and unknown. A payload that
    /// was sent in several fragments appears several times; one that was set for encoding does not appear.
    #[inline]
    pub fn extensions(&self) -> impl Iterator<Item = (u32, &'a [u8])> + use<'a> {
        let message = match self.payload.0 {
            Inner::Value(_) => Fragments::default(),
            _ => self.message,
        };
        RawFields::new(message).filter_map(|field| match field.value {
            UnknownValue::Delimited(bytes) if field.number >= FIRST_EXTENSION => {
                Some((field.number, bytes))
            }
            _ => None,
        })
    }

    /// The payload, of the kind that [`kind`](Self::kind) returns.
    ///
    /// # Errors
    /// [`DecodeError`] if its bytes cannot be read.
    #[inline]
    pub fn payload(&self) -> Result<Option<Payload<'a>>, DecodeError> {
        if self.payload.is_present() { self.read_payload() } else { Ok(None) }
    }

    fn read_payload(&self) -> Result<Option<Payload<'a>>, DecodeError> {
        match self.payload.payload() {
            Err(error) => Err(error.within(self.message.root())),
            read => read,
        }
    }

    /// The payload of this type, if the answer has it.
    ///
    /// # Errors
    /// [`DecodeError`] if its bytes cannot be read.
    #[inline]
    pub fn get<P: Member<'a, Family = Payload<'a>>>(&self) -> Result<Option<P>, DecodeError> {
        match self.payload.get() {
            Err(error) => Err(error.within(self.message.root())),
            read => read,
        }
    }

    /// The fields that the schema does not have, including unknown extensions and result codes.
    pub fn unknown_fields(&self) -> UnknownFields<'a> {
        UnknownFields::new(self.message, Self::DESCRIPTION)
    }
}

impl Encode for Response<'_> {
    fn write(&self, out: &mut Output<'_>) {
        let fields = ResponseFields {
            cmd_id: self.cmd_id.map_or(Required::ABSENT, Required::from),
            response_code: self.code,
            payload: self.payload,
            unknown: self.unknown_fields(),
        };
        fields.write(out);
    }
}

impl<'a> Message<'a> for Response<'a> {}

message_impls!(Response);

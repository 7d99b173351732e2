//! Reading a [`Response`].

use super::extensions::{Extension, ExtensionSet};
use super::{CMD_ID, RESPONSE_CODE, Response};
use crate::game::runtime::decode::Decode;
use crate::game::runtime::describe::{Description, FieldDescription, Label, ValueKind};
use crate::game::runtime::error::{DecodeError, Fault};
use crate::game::runtime::fragments::Fragments;
use crate::game::runtime::options::DecodeOptions;
use crate::game::runtime::scalar::{Int32, Scalar, Uint64};
use crate::game::runtime::wire::{Reader, Tag, WireType};
use crate::game::schema::payload::Payload;
use crate::game::schema::response_code::ResponseCode;

const CMD_ID_TAG: Tag = Tag::new(CMD_ID.number, WireType::Varint);
const RESPONSE_CODE_TAG: Tag = Tag::new(RESPONSE_CODE.number, WireType::Varint);

impl<'a> Response<'a> {
    /// Reads the bytes of one `Response`, without looking into its payload.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not fields, or `cmd_id` is missing.
    #[inline(always)]
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        if let Some(response) = Self::parse_fast(bytes) {
            return Ok(response);
        }
        // A variable of its own: the one above then never has an address.
        let mut response = Self::empty();
        response.read_slow(bytes, DecodeOptions::VIEW)?;
        Ok(response)
    }

    /// Reads what servers send: an id, a code and at most one payload, in this order. `None` for
    /// anything else.
    ///
    /// Nothing refers to the result, and all of it is inlined: the caller's optimiser can
    /// keep in registers what is used of it and drop the rest.
    #[inline(always)]
    fn parse_fast(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        if !reader.eat(CMD_ID_TAG) {
            return None;
        }
        let cmd_id = reader.next_varint_in_place()?;
        if !reader.eat(RESPONSE_CODE_TAG) {
            return None;
        }
        let code = Int32::next(&mut reader)?;
        let mut extensions = ExtensionSet::None;
        if !reader.is_empty() {
            let tag = reader.next_tag()?;
            if !Extension::is_tag(tag) {
                return None;
            }
            let number = tag.field_number();
            let bytes = reader.next_delimited()?;
            extensions = ExtensionSet::One(Extension { number, bytes });
        }
        reader.is_empty().then_some(Self {
            cmd_id: Some(cmd_id),
            code: ResponseCode::from_number(code),
            raw_code: Some(code),
            extensions,
            message: Fragments::one(bytes),
        })
    }

    /// Reads fields in any order.
    ///
    /// An answer without a `cmd_id` answers nothing: it is refused even if the rules let required
    /// fields be absent.
    #[cold]
    #[inline(never)]
    fn read_slow(&mut self, bytes: &'a [u8], options: DecodeOptions) -> Result<(), DecodeError> {
        self.message = Fragments::one(bytes);
        self.merge(bytes, options)?;
        self.require(bytes)
    }

    #[inline(always)]
    fn fields(&mut self, reader: &mut Reader<'a>, depth: u32) -> Result<(), Fault> {
        while !reader.is_empty() {
            match reader.tag()? {
                CMD_ID_TAG => self.cmd_id = Some(Uint64::read(reader)?),
                RESPONSE_CODE_TAG => {
                    let number = Int32::read(reader)?;
                    self.raw_code = Some(number);
                    self.code = ResponseCode::from_number(number).or(self.code);
                }
                tag if Extension::is_tag(tag) => {
                    let bytes = reader.length_delimited()?;
                    let number = tag.field_number();
                    self.extensions = match self.extensions {
                        ExtensionSet::None => ExtensionSet::One(Extension { number, bytes }),
                        _ => ExtensionSet::Several,
                    };
                }
                tag => reader.skip(tag, depth)?,
            }
        }
        Ok(())
    }
}

impl<'a> Decode<'a> for Response<'a> {
    const INSISTS: bool = true;

    const DESCRIPTION: &'static Description = &Description {
        name: "Response",
        fields: &[
            FieldDescription::new(CMD_ID, Label::Required, ValueKind::Uint64),
            FieldDescription::new(
                RESPONSE_CODE,
                Label::Optional,
                ValueKind::Enum(ResponseCode::VALUES),
            ),
        ],
        payloads: Payload::DESCRIPTIONS,
        #[cfg(test)]
        defaults: || {
            let response = Self::empty();
            let code = response.code_or_default().number();
            vec![(1, response.cmd_id().into()), (2, code.into())]
        },
    };

    #[inline(always)]
    fn empty() -> Self {
        Self::default()
    }

    #[inline(always)]
    fn read(bytes: &'a [u8], options: DecodeOptions) -> Result<Self, DecodeError> {
        let mut response = Self::empty();
        response.read_whole(bytes, options)?;
        Ok(response)
    }

    #[inline(always)]
    fn read_whole(&mut self, bytes: &'a [u8], options: DecodeOptions) -> Result<(), DecodeError> {
        match Self::parse_fast(bytes) {
            Some(response) => {
                *self = response;
                Ok(())
            }
            None => self.read_slow(bytes, options),
        }
    }

    #[inline]
    fn merge(&mut self, bytes: &'a [u8], options: DecodeOptions) -> Result<(), DecodeError> {
        let mut reader = Reader::new(bytes);
        match self.fields(&mut reader, options.depth) {
            Ok(()) => Ok(()),
            Err(fault) => Err(DecodeError::new(
                fault,
                Self::DESCRIPTION.name,
                bytes,
                reader.rest(),
            )),
        }
    }

    fn finish_merge(&mut self, fragments: Fragments<'a>) {
        self.message = fragments;
    }

    fn origin(&self) -> Option<&'a [u8]> {
        Some(self.message.root())
    }

    fn missing(&self) -> Option<&'static str> {
        self.cmd_id.is_none().then_some("cmd_id")
    }
}

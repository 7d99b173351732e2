//! Reading a [`Response`].

use super::{Response, ResponseFields};
use crate::game::runtime::decode::Decode;
use crate::game::runtime::describe::{Description, FIRST_EXTENSION};
use crate::game::runtime::error::{DecodeError, Fault};
use crate::game::runtime::extension::{Extended, Inner};
use crate::game::runtime::fragments::Fragments;
use crate::game::runtime::raw::{RawFields, UnknownValue};
use crate::game::runtime::scalar::{Int32, Scalar};
use crate::game::runtime::wire::{Reader, Tag, WireType};
use crate::game::schema::ResponseCode;

const CMD_ID: Tag = Tag::new(1, WireType::Varint);
const RESPONSE_CODE: Tag = Tag::new(2, WireType::Varint);

impl<'a> Response<'a> {
    /// Reads the bytes of one `Response`, without its payload.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not fields, or `cmd_id` is missing.
    #[inline(always)]
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        if let Some(response) = Self::parse_fast(bytes) {
            return Ok(response);
        }
        // A separate variable, so that the one above never needs an address.
        let mut response = Self::empty();
        response.read_merged(Fragments::one(bytes))?;
        Ok(response)
    }

    /// Reads an answer as servers send it: an id, a code and at most one payload, in this order. `None` for anything else.
    ///
    /// Nothing refers to the result, and everything is inlined: the optimiser can keep the used fields in
    /// registers and drop the rest.
    #[inline(always)]
    pub(in crate::game::schema) fn parse_fast(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        if !reader.eat(CMD_ID) {
            return None;
        }
        let cmd_id = reader.next_varint_in_place()?;
        if !reader.eat(RESPONSE_CODE) {
            return None;
        }
        let code = Int32::next(&mut reader)?;
        let mut payload = Extended::ABSENT;
        if !reader.is_empty() {
            let tag = reader.next_tag()?;
            let number = tag.field_number();
            if !tag.is(WireType::LengthDelimited) || number < FIRST_EXTENSION {
                return None;
            }
            let bytes = reader.next_delimited()?;
            payload = Extended(Inner::One { number, bytes });
        }
        reader.is_empty().then_some(Self {
            cmd_id: Some(cmd_id),
            code: ResponseCode::from_number(code),
            raw_code: Some(code),
            payload,
            message: Fragments::one(bytes),
        })
    }
}

/// An answer without a `cmd_id` belongs to no command: it is rejected, unlike other messages without a required field.
impl<'a> Decode<'a> for Response<'a> {
    const DESCRIPTION: &'static Description = ResponseFields::DESCRIPTION;

    #[inline(always)]
    fn empty() -> Self {
        Self::default()
    }

    #[inline(always)]
    fn read_whole(&mut self, bytes: &'a [u8]) -> Result<(), DecodeError> {
        match Self::parse_fast(bytes) {
            Some(response) => {
                *self = response;
                Ok(())
            }
            None => self.read_merged(Fragments::one(bytes)),
        }
    }

    /// Reads fields in any order, in one fragment or in several.
    #[cold]
    #[inline(never)]
    fn read_merged(&mut self, fragments: Fragments<'a>) -> Result<(), DecodeError> {
        let mut fields = ResponseFields::empty();
        fields.read_merged(fragments)?;
        let cmd_id = fields.cmd_id.value();
        if cmd_id.is_none() {
            let (fault, root) = (Fault::MissingRequired("cmd_id"), fragments.root());
            return Err(DecodeError::new(fault, Self::DESCRIPTION.name, root, root));
        }
        *self = Self {
            cmd_id,
            code: fields.response_code,
            raw_code: last_code(fragments),
            payload: fields.payload,
            message: fragments,
        };
        Ok(())
    }
}

fn last_code(message: Fragments<'_>) -> Option<i32> {
    let codes = RawFields::new(message).filter_map(|field| match field.value {
        UnknownValue::Varint(code) if field.number == RESPONSE_CODE.field_number() => {
            Some(code as i32)
        }
        _ => None,
    });
    codes.last()
}

//! Reading a [`Response`].

use super::extensions::{Extension, ExtensionSet};
use super::{CMD_ID, RESPONSE_CODE, Response};
use crate::game::runtime::decode::Decode;
use crate::game::runtime::error::{DecodeError, Fault};
use crate::game::runtime::pieces::Pieces;
use crate::game::runtime::rules::Rules;
use crate::game::runtime::scalar::{Int32, Scalar, Uint64};
use crate::game::runtime::wire::Reader;
use crate::game::schema::response_code::ResponseCode;

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
        response.read_slow(bytes, Rules::VIEW)?;
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
        if !reader.eat(CMD_ID) {
            return None;
        }
        let cmd_id = reader.next_varint_in_place()?;
        if !reader.eat(RESPONSE_CODE) {
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
            message: Pieces::one(bytes),
        })
    }

    /// Reads fields in any order.
    ///
    /// An answer without a `cmd_id` answers nothing: it is refused even if the rules let required
    /// fields be absent.
    #[cold]
    #[inline(never)]
    fn read_slow(&mut self, bytes: &'a [u8], rules: Rules) -> Result<(), DecodeError> {
        self.message = Pieces::one(bytes);
        self.merge(bytes, rules)?;
        self.require(bytes)
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
    const MESSAGE: &'static str = "Response";

    #[inline(always)]
    fn empty() -> Self {
        Self::default()
    }

    #[inline(always)]
    fn read(bytes: &'a [u8], rules: Rules) -> Result<Self, DecodeError> {
        let mut response = Self::empty();
        response.read_whole(bytes, rules)?;
        Ok(response)
    }

    #[inline(always)]
    fn read_whole(&mut self, bytes: &'a [u8], rules: Rules) -> Result<(), DecodeError> {
        match Self::parse_fast(bytes) {
            Some(response) => {
                *self = response;
                Ok(())
            }
            None => self.read_slow(bytes, rules),
        }
    }

    #[inline]
    fn merge(&mut self, bytes: &'a [u8], rules: Rules) -> Result<(), DecodeError> {
        let mut reader = Reader::new(bytes);
        match self.fields(&mut reader, rules.depth) {
            Ok(()) => Ok(()),
            Err(fault) => Err(DecodeError::new(fault, Self::MESSAGE, bytes, reader.rest())),
        }
    }

    fn finish_merge(&mut self, pieces: Pieces<'a>) -> Result<(), DecodeError> {
        self.message = pieces;
        self.require(pieces.root())
    }

    fn origin(&self) -> Option<&'a [u8]> {
        Some(self.message.root())
    }

    fn missing(&self) -> Option<&'static str> {
        self.cmd_id.is_none().then_some("cmd_id")
    }
}

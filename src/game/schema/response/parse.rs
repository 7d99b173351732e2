//! Reading a [`Response`].

use super::extensions::{Extension, ExtensionSet, Extensions};
use super::{Response, ResponseFields};
use crate::game::runtime::decode::Decode;
use crate::game::runtime::describe::Description;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::fragments::Fragments;
use crate::game::runtime::options::{DecodeOptions, MAX_DEPTH};
use crate::game::runtime::scalar::{Int32, Scalar};
use crate::game::runtime::wire::{Reader, Tag, WireType};
use crate::game::schema::ResponseCode;

const CMD_ID: Tag = Tag::new(1, WireType::Varint);
const RESPONSE_CODE: Tag = Tag::new(2, WireType::Varint);

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
            message: Fragments::one(bytes),
        })
    }

    /// Reads fields in any order.
    #[cold]
    #[inline(never)]
    fn read_slow(&mut self, bytes: &'a [u8], options: DecodeOptions) -> Result<(), DecodeError> {
        self.merge(bytes, options)?;
        self.finish_merge(Fragments::one(bytes));
        self.require(bytes)
    }
}

/// An answer without a `cmd_id` answers nothing: it is refused even if the options let required fields
/// be absent.
impl<'a> Decode<'a> for Response<'a> {
    const DESCRIPTION: &'static Description = ResponseFields::DESCRIPTION;
    const ALWAYS_REQUIRED: bool = true;

    #[inline(always)]
    fn empty() -> Self {
        Self::default()
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

    fn merge(&mut self, bytes: &'a [u8], options: DecodeOptions) -> Result<(), DecodeError> {
        let mut fields = self.fields();
        fields.merge(bytes, options)?;
        self.cmd_id = fields.cmd_id.value();
        self.code = fields.response_code;
        Ok(())
    }

    fn finish_merge(&mut self, fragments: Fragments<'a>) {
        self.message = fragments;
        self.raw_code = last_code(fragments);
        let mut found = Extensions::of(fragments);
        self.extensions = match (found.next(), found.next()) {
            (None, _) => ExtensionSet::None,
            (Some(only), None) => ExtensionSet::One(only),
            (Some(_), Some(_)) => ExtensionSet::Several,
        };
    }

    fn origin(&self) -> Option<&'a [u8]> {
        Some(self.message.root())
    }

    fn missing(&self) -> Option<&'static str> {
        self.cmd_id.is_none().then_some("cmd_id")
    }
}

/// The last number that was sent as the code, in a message that was read before.
fn last_code(message: Fragments<'_>) -> Option<i32> {
    let mut code = None;
    for fragment in message.iter() {
        let mut reader = Reader::new(fragment);
        while let Ok(tag) = reader.tag() {
            match tag {
                RESPONSE_CODE => code = Int32::read(&mut reader).ok(),
                tag if reader.skip(tag, MAX_DEPTH).is_ok() => {}
                _ => break,
            }
        }
    }
    code
}

//! A fast path to the answer in a [`ServerMessage`].

use super::ServerMessage;
use super::response::Response;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::wire::{Reader, Tag, WireType};

const MESSAGE_TYPE: Tag = Tag::new(1, WireType::Varint);
const RESPONSE: Tag = Tag::new(2, WireType::LengthDelimited);

impl<'a> Response<'a> {
    /// Reads the answer in the bytes of a [`ServerMessage`], without its payload; `None` if the message is not
    /// an answer but an event.
    ///
    /// The same as `ServerMessage::parse(bytes)?.response()?`, in fewer instructions.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not fields, or the answer's `cmd_id` is missing.
    #[inline(always)]
    pub fn parse_enveloped(bytes: &'a [u8]) -> Result<Option<Self>, DecodeError> {
        if let Some(response) = find_response(bytes) {
            return Self::parse(response).map(Some);
        }
        // A separate variable, so that the response above never needs an address.
        let mut slot = None;
        read_merged(bytes, &mut slot)?;
        Ok(slot)
    }

    /// The same for a message as servers send it; `None` for any other.
    #[inline(always)]
    pub(super) fn parse_fast_enveloped(bytes: &'a [u8]) -> Option<Self> {
        Self::parse_fast(find_response(bytes)?)
    }
}

#[cold]
#[inline(never)]
fn read_merged<'a>(bytes: &'a [u8], slot: &mut Option<Response<'a>>) -> Result<(), DecodeError> {
    ServerMessage::parse(bytes)?.response.read_into(slot)?;
    Ok(())
}

/// Finds the answer in a [`ServerMessage`] as servers send it: the type, then the answer.
#[inline(always)]
fn find_response(bytes: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader::new(bytes);
    if !reader.eat(MESSAGE_TYPE) {
        return None;
    }
    reader.next_varint()?;
    if !reader.eat(RESPONSE) {
        return None;
    }
    let response = reader.next_delimited()?;
    reader.is_empty().then_some(response)
}

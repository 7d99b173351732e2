use std::fmt;

use bytes::{BufMut, Bytes, BytesMut};

use super::flood::Weight;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::wire::{Reader, Tag, WireType};

/// `cmd_id` in a `CommandContainer`.
const CMD_ID: Tag = Tag::new(1, WireType::Varint);
/// `CommandContainer.session_command`, `SessionCommand.[Command_Ping.ext]`, empty.
const PING: &[u8] = b"\xa2\x06\x03\xc2\x3e\x00";
/// The most bytes that a `cmd_id` takes with its tag.
const CMD_ID_LEN: usize = 11;

/// A command ready to be sent: a `CommandContainer` without its `cmd_id`, which is given when it is
/// sent.
///
/// Its `Debug` shows no content: a login has a password in it.
#[derive(Clone)]
pub struct Request {
    /// The container without `cmd_id`.
    bytes: Bytes,
    weight: Weight,
}

impl Request {
    /// Takes the bytes of a `CommandContainer`; a `cmd_id` in them is left out.
    ///
    /// ```
    /// use portreeve::game::client::Request;
    ///
    /// // A ping with `cmd_id` 7.
    /// let request = Request::parse(b"\x08\x07\xa2\x06\x03\xc2\x3e\x00")?;
    /// assert_eq!(request.len(), 6);
    /// # Ok::<(), portreeve::game::DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// [`DecodeError`] if they are not fields.
    pub fn parse(container: &[u8]) -> Result<Self, DecodeError> {
        let mut bytes = Vec::with_capacity(container.len());
        let mut reader = Reader::new(container);
        while !reader.is_empty() {
            let from = reader.rest();
            let damaged = |fault| DecodeError::new(fault, "CommandContainer", container, from);
            let tag = reader.tag().map_err(damaged)?;
            reader.skip(tag, 0).map_err(damaged)?;
            if tag != CMD_ID {
                bytes.extend_from_slice(&from[..from.len() - reader.rest().len()]);
            }
        }
        let weight = Weight::of(&bytes);
        let bytes = bytes.into();
        Ok(Self { bytes, weight })
    }

    /// How many bytes there are, without the `cmd_id`.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether it is a container without commands, which a server refuses.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The sign of life.
    pub(super) fn ping() -> Self {
        Self {
            bytes: Bytes::from_static(PING),
            weight: Weight::default(),
        }
    }

    /// The whole container.
    pub(super) fn with_id(&self, cmd_id: u64) -> Bytes {
        let mut bytes = BytesMut::with_capacity(CMD_ID_LEN + self.bytes.len());
        bytes.put_u8(CMD_ID.short());
        let mut rest = cmd_id;
        while rest >= 0x80 {
            bytes.put_u8(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.put_u8(rest as u8);
        bytes.put_slice(&self.bytes);
        bytes.freeze()
    }

    pub(super) fn weight(&self) -> Weight {
        self.weight
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({} bytes)", self.bytes.len())
    }
}

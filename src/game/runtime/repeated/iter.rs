use std::fmt;
use std::iter::FusedIterator;
use std::slice;

use super::cursor::Cursor;
use super::element::Element;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::message::Message;
use crate::game::runtime::wire::WireType;

/// The elements of a repeated field.
///
/// Texts and messages are results, since a text may not be UTF-8, and a message may not be readable. The iteration
/// can continue after an error.
#[derive(Clone)]
pub struct Iter<'a, E: Element<'a>>(pub(super) Source<'a, E>);

#[derive(Clone)]
pub(super) enum Source<'a, E: Element<'a>> {
    Bytes(Cursor<'a>),
    Values(slice::Iter<'a, E::Value>),
}

impl<'a, E: Element<'a>> Iterator for Iter<'a, E> {
    type Item = E::Item;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(&mut self) -> Option<E::Item> {
        match &mut self.0 {
            Source::Bytes(cursor) => E::read_next(cursor),
            Source::Values(values) => values.next().copied().map(E::from_value),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Source::Values(values) => values.size_hint(),
            Source::Bytes(cursor) if E::WIRE_TYPE == WireType::LengthDelimited => {
                (cursor.remaining(), Some(cursor.remaining()))
            }
            Source::Bytes(_) => (0, None),
        }
    }
}

impl<'a, E: Element<'a>> fmt::Debug for Iter<'a, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Iter").field(&self.size_hint()).finish()
    }
}

impl<'a, E: Element<'a>> FusedIterator for Iter<'a, E> {}

impl<'a, M: Message<'a>> Iter<'a, M> {
    /// Reads the next message into `slot`, replacing its value; `None` at the end.
    ///
    /// Like [`next`](Iterator::next), but the message is not moved after it was read.
    ///
    /// # Errors
    /// [`DecodeError`] if its bytes cannot be read; the iteration can continue.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn read_into<'s>(&mut self, slot: &'s mut Option<M>) -> Result<Option<&'s M>, DecodeError> {
        let message = match &mut self.0 {
            Source::Bytes(cursor) => {
                let Some(bytes) = cursor.length_delimited() else {
                    return Ok(None);
                };
                let message = slot.insert(M::empty());
                message.read_whole(bytes)?;
                message
            }
            Source::Values(values) => match values.next() {
                Some(value) => slot.insert(*value),
                None => return Ok(None),
            },
        };
        Ok(Some(message))
    }
}

use std::fmt;
use std::iter::FusedIterator;
use std::slice;

use super::MAX_DEPTH;
use super::error::{DecodeError, TextError};
use super::merged::{PieceIter, Pieces};
use super::message::{Message, Rules};
use super::nested::Nested;
use super::scalar::Scalar;
use super::text::Text;
use super::wire::{DELIMITED, Reader, tag};

/// A repeated field: the stretch of the message in which it occurs, or, for encoding, values.
///
/// Nothing is collected: the elements are read from the bytes as they are asked for.
#[derive(Clone, Copy)]
pub struct Repeated<'a, E: Element<'a>>(Inner<'a, E>);

#[derive(Clone, Copy)]
enum Inner<'a, E: Element<'a>> {
    Bytes(Occurrences<'a>),
    Values(&'a [E::Value]),
}

/// Where a repeated field occurs.
#[derive(Clone, Copy, Default)]
struct Occurrences<'a> {
    /// How often.
    count: usize,
    number: u32,
    /// The message, from the first occurrence on where it is in one piece.
    within: Pieces<'a>,
}

/// What a repeated field holds: a message, text, or one of the [`scalar`](super::scalar) types.
pub trait Element<'a>: Sized {
    /// What a slice of them, given for encoding, holds.
    type Value: Copy + 'a;
    /// What an iterator gives.
    type Item;
    /// How one is encoded.
    const WIRE_TYPE: u32;

    #[doc(hidden)]
    fn next(cursor: &mut Cursor<'a>) -> Option<Self::Item>;
    #[doc(hidden)]
    fn given(value: Self::Value) -> Self::Item;
}

impl<'a, E: Element<'a>> Repeated<'a, E> {
    /// The elements, in order.
    #[inline]
    pub fn iter(&self) -> Iter<'a, E> {
        self.read(Rules::VIEW)
    }

    /// Whether the field does not occur.
    #[inline]
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Inner::Bytes(place) => place.count == 0,
            Inner::Values(values) => values.is_empty(),
        }
    }

    /// Notes more occurrences; `from` begins with the first one's tag and ends with the message.
    #[inline(always)]
    pub(crate) fn note(&mut self, from: &'a [u8], number: u32, count: usize) {
        match &mut self.0 {
            Inner::Bytes(place) if place.count != 0 => place.count += count,
            inner => {
                *inner = Inner::Bytes(Occurrences {
                    count,
                    number,
                    within: Pieces::one(from),
                });
            }
        }
    }

    /// Tells that the enclosing message, fully noted by now, was in several pieces.
    #[cold]
    pub(crate) fn spread(&mut self, outer: Pieces<'a>) {
        if let Inner::Bytes(place) = &mut self.0 {
            place.within = outer;
        }
    }

    #[inline(always)]
    pub(crate) fn read(&self, rules: Rules) -> Iter<'a, E> {
        Iter(match self.0 {
            Inner::Values(values) => Source::Values(values.iter()),
            Inner::Bytes(place) => {
                let (here, pieces) = match place.within.single() {
                    Some(bytes) => (bytes, None),
                    None => (&[][..], Some(place.within.iter())),
                };
                Source::Bytes(Cursor {
                    left: place.count,
                    number: place.number,
                    reader: Reader::new(here),
                    packed: Reader::new(&[]),
                    pieces,
                    rules,
                })
            }
        })
    }

    /// The elements that are not numbers, unread where they were not given.
    fn unread(&self) -> impl Iterator<Item = Unread<'a, E>> + use<'a, E> {
        let mut iter = self.read(Rules::VIEW);
        std::iter::from_fn(move || match &mut iter.0 {
            Source::Bytes(cursor) => cursor.delimited().map(Unread::Bytes),
            Source::Values(values) => values.next().map(Unread::Value),
        })
    }
}

enum Unread<'a, E: Element<'a>> {
    Bytes(&'a [u8]),
    Value(&'a E::Value),
}

impl<'a> Repeated<'a, Text<'a>> {
    /// The texts, unchecked.
    pub fn unchecked(&self) -> impl Iterator<Item = Text<'a>> + use<'a> {
        self.unread().map(|unread| match unread {
            Unread::Bytes(bytes) => Text::from_bytes(bytes),
            Unread::Value(text) => *text,
        })
    }
}

impl<'a, M: Message<'a>> Repeated<'a, M> {
    /// The messages, still to be read.
    pub fn nested(&self) -> impl Iterator<Item = Nested<'a, M>> + use<'a, M> {
        self.unread().map(|unread| match unread {
            Unread::Bytes(bytes) => Nested::from_bytes(bytes),
            Unread::Value(message) => Nested::from(message),
        })
    }
}

impl<'a, E: Element<'a>> Default for Repeated<'a, E> {
    #[inline]
    fn default() -> Self {
        Self(Inner::Bytes(Occurrences::default()))
    }
}

impl<'a, E: Element<'a>> From<&'a [E::Value]> for Repeated<'a, E> {
    #[inline]
    fn from(values: &'a [E::Value]) -> Self {
        Self(Inner::Values(values))
    }
}

impl<'a, E: Element<'a>, const N: usize> From<&'a [E::Value; N]> for Repeated<'a, E> {
    #[inline]
    fn from(values: &'a [E::Value; N]) -> Self {
        Self(Inner::Values(values))
    }
}

impl<'a, E: Element<'a>> From<&'a Vec<E::Value>> for Repeated<'a, E> {
    #[inline]
    fn from(values: &'a Vec<E::Value>) -> Self {
        Self(Inner::Values(values))
    }
}

impl<'a, E: Element<'a>> IntoIterator for Repeated<'a, E> {
    type Item = E::Item;
    type IntoIter = Iter<'a, E>;

    #[inline]
    fn into_iter(self) -> Iter<'a, E> {
        self.iter()
    }
}

impl<'a, E: Element<'a>> fmt::Debug for Repeated<'a, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Inner::Bytes(place) => write!(f, "Repeated({} fields)", place.count),
            Inner::Values(values) => write!(f, "Repeated({} values)", values.len()),
        }
    }
}

/// The elements of a repeated field.
#[derive(Clone)]
pub struct Iter<'a, E: Element<'a>>(Source<'a, E>);

#[derive(Clone)]
enum Source<'a, E: Element<'a>> {
    Bytes(Cursor<'a>),
    Values(slice::Iter<'a, E::Value>),
}

/// A place among the occurrences of a repeated field.
#[doc(hidden)]
#[derive(Clone)]
pub struct Cursor<'a> {
    /// How many occurrences are still to come.
    left: usize,
    number: u32,
    reader: Reader<'a>,
    /// What is left of an occurrence that holds several numbers.
    packed: Reader<'a>,
    pieces: Option<PieceIter<'a>>,
    rules: Rules,
}

// The bytes were read through when the enclosing message was, so that what cannot be read is as
// good as the end.
impl<'a> Cursor<'a> {
    /// The next element that is not a number.
    #[inline(always)]
    pub(crate) fn delimited(&mut self) -> Option<&'a [u8]> {
        if self.left == 0 {
            return None;
        }
        // Servers send the occurrences one after the other.
        if self.reader.take_tag(tag(self.number, DELIMITED)) {
            self.left -= 1;
        } else {
            self.next(DELIMITED)?;
        }
        self.reader.delimited().ok()
    }

    /// The next number, which may stand in a packed field.
    #[inline(always)]
    fn scalar<S: Scalar>(&mut self) -> Option<S::Value> {
        loop {
            if !self.packed.is_empty() {
                return S::read(&mut self.packed).ok();
            }
            match self.next(S::WIRE_TYPE)? {
                DELIMITED => self.packed = Reader::new(self.reader.delimited().ok()?),
                _ => return S::read(&mut self.reader).ok(),
            }
        }
    }

    /// Goes to the value of the next occurrence, and tells its wire type: this one or that of
    /// packed numbers.
    #[inline(never)]
    fn next(&mut self, wire_type: u32) -> Option<u32> {
        if self.left == 0 {
            return None;
        }
        loop {
            if self.reader.is_empty() {
                self.reader = Reader::new(next_piece(&mut self.pieces)?);
            }
            let found = self.reader.tag().ok()?;
            if found == tag(self.number, wire_type) || found == tag(self.number, DELIMITED) {
                self.left -= 1;
                return Some(found & 7);
            }
            self.reader.skip(found, MAX_DEPTH).ok()?;
        }
    }

    #[inline(always)]
    pub(crate) fn rules(&self) -> Rules {
        self.rules
    }
}

#[cold]
#[inline(never)]
fn next_piece<'a>(pieces: &mut Option<PieceIter<'a>>) -> Option<&'a [u8]> {
    pieces.as_mut()?.find(|piece| !piece.is_empty())
}

impl<'a, E: Element<'a>> Iterator for Iter<'a, E> {
    type Item = E::Item;

    #[inline(always)]
    fn next(&mut self) -> Option<E::Item> {
        match &mut self.0 {
            Source::Bytes(cursor) => E::next(cursor),
            Source::Values(values) => values.next().copied().map(E::given),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Source::Values(values) => values.size_hint(),
            Source::Bytes(cursor) if E::WIRE_TYPE == DELIMITED => (cursor.left, Some(cursor.left)),
            Source::Bytes(_) => (0, None),
        }
    }
}

impl<'a, E: Element<'a>> FusedIterator for Iter<'a, E> {}

impl<'a, M: Message<'a>> Iter<'a, M> {
    /// Reads the next message into `message`, in the place of what was there; `false` at the end.
    ///
    /// The same as [`next`](Iterator::next), without the cost of moving the message about, which
    /// is a tenth of reading a short one.
    ///
    /// # Errors
    /// [`DecodeError`] where its bytes cannot be read; the iteration can go on.
    #[inline]
    pub fn read_into(&mut self, message: &mut M) -> Result<bool, DecodeError> {
        match &mut self.0 {
            Source::Bytes(cursor) => {
                let Some(bytes) = cursor.delimited() else {
                    return Ok(false);
                };
                *message = M::default();
                message.read_whole(bytes, cursor.rules)?;
                Ok(true)
            }
            Source::Values(values) => match values.next() {
                Some(value) => {
                    *message = *value;
                    Ok(true)
                }
                None => Ok(false),
            },
        }
    }
}

impl<'a> Element<'a> for Text<'a> {
    type Value = Text<'a>;
    type Item = Result<&'a str, TextError<'a>>;
    const WIRE_TYPE: u32 = DELIMITED;

    #[inline(always)]
    fn next(cursor: &mut Cursor<'a>) -> Option<Self::Item> {
        cursor
            .delimited()
            .map(|bytes| Text::from_bytes(bytes).to_str())
    }

    #[inline]
    fn given(value: Text<'a>) -> Self::Item {
        value.to_str()
    }
}

impl<'a, S: Scalar> Element<'a> for S {
    type Value = S::Value;
    type Item = S::Value;
    const WIRE_TYPE: u32 = S::WIRE_TYPE;

    #[inline(always)]
    fn next(cursor: &mut Cursor<'a>) -> Option<S::Value> {
        cursor.scalar::<S>()
    }

    #[inline]
    fn given(value: S::Value) -> S::Value {
        value
    }
}

//! Repeated fields.

mod cursor;
mod element;
mod iter;

use std::fmt;

pub(crate) use cursor::Cursor;
use cursor::Occurrences;
pub use element::Element;
pub use iter::Iter;
use iter::Source;

use super::error::Fault;
use super::fragments::Fragments;
use super::message::Message;
use super::nested::Nested;
use super::scalar::Scalar;
use super::text::Text;
use super::wire::{Reader, Tag, WireType};

/// A repeated field: the part of the message that contains it or, for encoding, values.
///
/// Nothing is collected: the iterator reads the elements from the bytes.
///
/// ```
/// use portreeve::game::payload::WarnList;
/// use portreeve::game::{Message, Repeated};
///
/// let list = WarnList::parse(b"\x0a\x04spam\x20\x01\x0a\x04rude\x20\x02")?;
/// assert_eq!(list.warning().collect::<Result<Vec<_>, _>>()?, ["spam", "rude"]);
/// assert_eq!(list.warning_il().sum::<u32>(), 3);
/// assert_eq!((list.warning.len(), list.warning_il.len()), (2, 2));
///
/// let numbers = [1, 2];
/// let list = WarnList { warning_il: Repeated::from(&numbers), ..WarnList::default() };
/// assert_eq!(list.to_vec(), b"\x20\x01\x20\x02");
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Repeated<'a, E: Element<'a>>(Inner<'a, E>);

#[derive(Clone, Copy)]
enum Inner<'a, E: Element<'a>> {
    Bytes(Occurrences<'a>),
    Values(&'a [E::Value]),
}

impl<'a, E: Element<'a>> Repeated<'a, E> {
    /// The elements, in order.
    #[inline]
    pub fn iter(&self) -> Iter<'a, E> {
        Iter(match self.0 {
            Inner::Values(values) => Source::Values(values.iter()),
            Inner::Bytes(occurrences) => Source::Bytes(Cursor::new(occurrences)),
        })
    }

    /// The number of elements: stored for texts and messages, counted for numbers.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.0 {
            Inner::Values(values) => values.len(),
            Inner::Bytes(occurrences) if E::WIRE_TYPE == WireType::LengthDelimited => {
                occurrences.count
            }
            // An occurrence may contain several numbers.
            Inner::Bytes(_) => self.iter().count(),
        }
    }

    /// Whether the field does not occur.
    #[inline]
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Inner::Bytes(occurrences) => occurrences.count == 0,
            Inner::Values(values) => values.is_empty(),
        }
    }

    /// Records more occurrences; `from` begins with the first one's tag and ends with the message.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn record(&mut self, from: &'a [u8], number: u32, count: usize) {
        match &mut self.0 {
            Inner::Bytes(occurrences) if occurrences.count != 0 => occurrences.count += count,
            inner => {
                *inner = Inner::Bytes(Occurrences {
                    count,
                    number,
                    short_tag: Tag::new(number, WireType::LengthDelimited).short(),
                    within: Fragments::one(from),
                });
            }
        }
    }

    /// Called when the enclosing message was merged from the fragments `outer`, all of which may contain elements.
    #[cold]
    pub(crate) fn finish_merge(&mut self, outer: Fragments<'a>) {
        if let Inner::Bytes(occurrences) = &mut self.0 {
            occurrences.within = outer;
        }
    }
}

impl<'a, S: Scalar> Repeated<'a, S> {
    /// Records an occurrence of packed numbers; `false` if `found` is the tag of another field.
    #[cold]
    pub(crate) fn record_packed(
        &mut self,
        found: Tag,
        from: &'a [u8],
        reader: &mut Reader<'a>,
        number: u32,
    ) -> Result<bool, Fault> {
        if found != Tag::new(number, WireType::LengthDelimited) {
            return Ok(false);
        }
        let mut numbers = Reader::new(reader.length_delimited()?);
        while !numbers.is_empty() {
            S::read(&mut numbers)?;
        }
        self.record(from, number, 1);
        Ok(true)
    }
}

impl<'a> Repeated<'a, Text<'a>> {
    /// The texts, unchecked.
    pub fn unchecked(&self) -> impl Iterator<Item = Text<'a>> + use<'a> {
        let mut iter = self.iter();
        std::iter::from_fn(move || match &mut iter.0 {
            Source::Bytes(cursor) => cursor.length_delimited().map(Text::from_bytes),
            Source::Values(texts) => texts.next().copied(),
        })
    }
}

impl<'a, M: Message<'a>> Repeated<'a, M> {
    /// The unread messages.
    pub fn nested(&self) -> impl Iterator<Item = Nested<'a, M>> + use<'a, M> {
        let mut iter = self.iter();
        std::iter::from_fn(move || match &mut iter.0 {
            Source::Bytes(cursor) => cursor.length_delimited().map(Nested::from_bytes),
            Source::Values(messages) => messages.next().map(Nested::from),
        })
    }
}

impl<'a, E: Element<'a>> Default for Repeated<'a, E> {
    #[inline]
    fn default() -> Self {
        Self(Inner::Bytes(Occurrences::default()))
    }
}

/// From a slice, an array or a `Vec`.
impl<'a, E: Element<'a>, V: AsRef<[E::Value]> + ?Sized> From<&'a V> for Repeated<'a, E> {
    #[inline]
    fn from(values: &'a V) -> Self {
        Self(Inner::Values(values.as_ref()))
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
            Inner::Bytes(occurrences) => write!(f, "Repeated({} fields)", occurrences.count),
            Inner::Values(values) => write!(f, "Repeated({} values)", values.len()),
        }
    }
}

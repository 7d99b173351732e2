use crate::game::runtime::fault::MAX_DEPTH;
use crate::game::runtime::fragments::{FragmentIter, Fragments};
use crate::game::runtime::scalar::Scalar;
use crate::game::runtime::wire::{Reader, Tag, WireType};

/// Where a repeated field occurs.
#[derive(Clone, Copy, Default)]
pub(super) struct Occurrences<'a> {
    pub(super) count: usize,
    pub(super) number: u32,
    pub(super) short_tag: u8,
    /// The enclosing message; if that is in one piece, from the first occurrence on.
    pub(super) within: Fragments<'a>,
}

/// A position among the occurrences of a repeated field.
///
/// An error cannot occur, since all bytes were read when the enclosing message was parsed; it is treated as the end.
#[derive(Clone)]
pub struct Cursor<'a> {
    /// The number of remaining occurrences.
    remaining: usize,
    number: u32,
    /// The tag of a text or a message if it takes one byte, otherwise 0, which is never a tag.
    short_tag: u8,
    reader: Reader<'a>,
    /// The rest of an occurrence of packed numbers.
    packed: Reader<'a>,
    fragments: Option<FragmentIter<'a>>,
}

impl<'a> Cursor<'a> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(occurrences: Occurrences<'a>) -> Self {
        let (here, fragments) = match occurrences.within.single() {
            Some(bytes) => (bytes, None),
            None => (&[][..], Some(occurrences.within.iter())),
        };
        Self {
            remaining: occurrences.count,
            number: occurrences.number,
            short_tag: occurrences.short_tag,
            reader: Reader::new(here),
            packed: Reader::new(&[]),
            fragments,
        }
    }

    /// The number of remaining occurrences. One of packed numbers contains any number of elements.
    pub(super) fn remaining(&self) -> usize {
        self.remaining
    }

    /// The next element of a list of texts or messages.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn length_delimited(&mut self) -> Option<&'a [u8]> {
        if self.remaining == 0 {
            return None;
        }
        // Servers send the occurrences consecutively.
        if self.reader.eat_byte(self.short_tag) {
            self.remaining -= 1;
        } else {
            self.advance(WireType::LengthDelimited)?;
        }
        self.reader.next_delimited()
    }

    /// The next element of a list of numbers, packed or not.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn scalar<S: Scalar>(&mut self) -> Option<S::Value> {
        loop {
            if !self.packed.is_empty() {
                return S::next(&mut self.packed);
            }
            if self.remaining == 0 {
                return None;
            }
            // The short tag is that of texts and messages, with another wire type; if it is 0, the result is
            // not a tag either.
            if self.reader.eat_byte(self.short_tag & !7 | S::WIRE_TYPE as u8) {
                self.remaining -= 1;
                return S::next(&mut self.reader);
            }
            match self.advance(S::WIRE_TYPE)? {
                WireType::LengthDelimited => {
                    self.packed = Reader::new(self.reader.next_delimited()?);
                }
                _ => return S::next(&mut self.reader),
            }
        }
    }

    /// Advances to the value of the next occurrence and returns its wire type: `wire_type`, or that of packed numbers.
    #[inline(never)]
    fn advance(&mut self, wire_type: WireType) -> Option<WireType> {
        if self.remaining == 0 {
            return None;
        }
        let single = Tag::new(self.number, wire_type);
        let packed = Tag::new(self.number, WireType::LengthDelimited);
        loop {
            if self.reader.is_empty() {
                self.reader = Reader::new(next_fragment(&mut self.fragments)?);
            }
            let found = self.reader.next_tag()?;
            if found == single || found == packed {
                self.remaining -= 1;
                return found.wire_type();
            }
            self.reader.skip(found, MAX_DEPTH).ok()?;
        }
    }
}

#[cold]
#[inline(never)]
fn next_fragment<'a>(fragments: &mut Option<FragmentIter<'a>>) -> Option<&'a [u8]> {
    fragments.as_mut()?.find(|fragment| !fragment.is_empty())
}

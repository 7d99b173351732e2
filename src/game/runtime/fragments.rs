//! Sub-messages that were sent in several fragments.
//!
//! protobuf merges the occurrences of a sub-message, which is equivalent to reading their bytes one after the other.
//! Servers send one fragment; several are read in place by walking the enclosing message again, so that nothing is copied.

use super::fault::MAX_DEPTH;
use super::wire::{Reader, Tag, WireType};

/// The maximum nesting of sub-messages that are not repeated. The schema has five levels: in a `ServerMessage`
/// the `session_event`, the joined game, its `game_info`, `creator_info` and `pawn_colors`. A test of the
/// schema checks this (tests/game/schema.rs).
pub(crate) const MAX_STEPS: usize = 5;
/// The number of bits of a field number in a path.
const STEP_BITS: usize = 12;
const STEP: u64 = (1 << STEP_BITS) - 1;
/// The largest field number that the schema can have.
pub(crate) const MAX_NUMBER: u32 = STEP as u32;

/// The fragments of a message: the sub-messages at the end of a path of fields within `root`. If the message is
/// in one piece, it is `root`, and the path is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fragments<'a> {
    root: &'a [u8],
    path: Path,
}

/// Field numbers from the outside in, the outermost in the lowest bits; 0 means none.
#[derive(Clone, Copy, Debug, Default)]
struct Path(u64);

#[derive(Clone, Debug)]
pub(crate) struct FragmentIter<'a> {
    /// The unread bytes at each step of the path.
    levels: [&'a [u8]; MAX_STEPS],
    path: Path,
    level: usize,
    done: bool,
}

// === impl Fragments ===

impl<'a> Fragments<'a> {
    #[inline(always)]
    pub(crate) fn one(root: &'a [u8]) -> Self {
        Self { root, path: Path(0) }
    }

    /// The fragments of the sub-message `number` of this message.
    #[cold]
    pub(crate) fn of_field(self, number: u32) -> Self {
        let free = (0..MAX_STEPS).find(|&level| self.path.step(level).is_none());
        match free {
            Some(free) => Self {
                path: Path(self.path.0 | u64::from(number & MAX_NUMBER) << (free * STEP_BITS)),
                ..self
            },
            // The schema has no such path.
            None => Self::default(),
        }
    }

    /// The bytes, if they are in one piece.
    #[inline(always)]
    pub(crate) fn single(&self) -> Option<&'a [u8]> {
        (self.path.0 == 0).then_some(self.root)
    }

    /// The outermost known message, which contains all fragments.
    pub(crate) fn root(&self) -> &'a [u8] {
        self.root
    }

    #[cold]
    pub(crate) fn iter(&self) -> FragmentIter<'a> {
        let mut levels = [&[][..]; MAX_STEPS];
        levels[0] = self.root;
        FragmentIter { levels, path: self.path, level: 0, done: false }
    }
}

// === impl Path ===

impl Path {
    /// The field at this level.
    fn step(self, level: usize) -> Option<u32> {
        let steps = self.0 >> (level * STEP_BITS);
        let number = (steps & STEP) as u32;
        (level < MAX_STEPS && number != 0).then_some(number)
    }
}

// === impl FragmentIter ===

impl<'a> Iterator for FragmentIter<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.done {
            return None;
        }
        loop {
            let Some(number) = self.path.step(self.level) else {
                // There is no path.
                self.done = true;
                return Some(self.levels[0]);
            };
            let wanted = Tag::new(number, WireType::LengthDelimited);
            match next_field(&mut self.levels[self.level], wanted) {
                None if self.level == 0 => {
                    self.done = true;
                    return None;
                }
                None => self.level -= 1,
                Some(found) => match self.path.step(self.level + 1) {
                    None => return Some(found),
                    Some(_) => {
                        self.level += 1;
                        self.levels[self.level] = found;
                    }
                },
            }
        }
    }
}

/// The next field with this tag.
///
/// An error cannot occur, since all bytes were read when the message was parsed; it is treated as the end.
fn next_field<'a>(rest: &mut &'a [u8], wanted: Tag) -> Option<&'a [u8]> {
    let mut reader = Reader::new(rest);
    while !reader.is_empty() {
        let tag = reader.tag().ok()?;
        if tag == wanted {
            let found = reader.length_delimited().ok()?;
            *rest = reader.rest();
            return Some(found);
        }
        reader.skip(tag, MAX_DEPTH).ok()?;
    }
    *rest = &[];
    None
}

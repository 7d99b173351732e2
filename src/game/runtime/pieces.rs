//! Sub-messages that were sent in several pieces.
//!
//! protobuf merges the occurrences of a sub-message, and merging is the same as reading their
//! bytes one after the other. Servers send one piece; several are read in place, by walking
//! the enclosing message again, so that nothing is copied here either.

use super::error::Fault;
use super::rules::MAX_DEPTH;
use super::wire::{Reader, Tag, WireType};

/// How many sub-messages, each the only one of its field, can lie in each other. The schema has
/// four at most: `ServerMessage`, its `response`, a payload, its `user_info`, its `pawn_colors`.
const MAX_STEPS: usize = 4;

/// The pieces of a message: what lies at the end of a path of fields within `root`. The path is
/// empty if the message is in one piece, which then is `root`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pieces<'a> {
    root: &'a [u8],
    /// Numbers of fields, from the outside in; 0 stands for none.
    path: [u16; MAX_STEPS],
}

/// The pieces, in order.
#[derive(Clone, Debug)]
pub(crate) struct PieceIter<'a> {
    /// What is left to look through at each step of the path.
    levels: [&'a [u8]; MAX_STEPS],
    path: [u16; MAX_STEPS],
    level: usize,
    done: bool,
}

// === impl Pieces ===

impl<'a> Pieces<'a> {
    /// A message in one piece.
    #[inline(always)]
    pub(crate) fn one(root: &'a [u8]) -> Self {
        Self {
            root,
            path: [0; MAX_STEPS],
        }
    }

    /// The pieces of the sub-message `number` of this message.
    #[cold]
    pub(crate) fn of_field(mut self, number: u32) -> Result<Self, Fault> {
        let free = self.path.iter_mut().find(|step| **step == 0);
        *free.ok_or(Fault::TooDeep)? = u16::try_from(number).map_err(|_| Fault::TooDeep)?;
        Ok(self)
    }

    /// The one piece, if there is only one.
    #[inline(always)]
    pub(crate) fn single(&self) -> Option<&'a [u8]> {
        (self.path[0] == 0).then_some(self.root)
    }

    /// The outermost message known, in which all pieces lie.
    pub(crate) fn root(&self) -> &'a [u8] {
        self.root
    }

    #[cold]
    pub(crate) fn iter(&self) -> PieceIter<'a> {
        let mut levels = [&[][..]; MAX_STEPS];
        levels[0] = self.root;
        PieceIter {
            levels,
            path: self.path,
            level: 0,
            done: false,
        }
    }
}

// === impl PieceIter ===

impl<'a> Iterator for PieceIter<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.done {
            return None;
        }
        if self.path[0] == 0 {
            self.done = true;
            return Some(self.levels[0]);
        }
        loop {
            let wanted = Tag::new(u32::from(self.path[self.level]), WireType::LengthDelimited);
            match next_field(&mut self.levels[self.level], wanted) {
                None if self.level == 0 => {
                    self.done = true;
                    return None;
                }
                None => self.level -= 1,
                Some(found) => match self.path.get(self.level + 1) {
                    None | Some(0) => return Some(found),
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
/// All of the bytes were read when the message was parsed, so an error cannot occur here: it is
/// treated as the end.
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

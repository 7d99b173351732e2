use std::iter::FusedIterator;

use crate::game::runtime::extension::FIRST_EXTENSION;
use crate::game::runtime::fragments::{FragmentIter, Fragments};
use crate::game::runtime::options::MAX_DEPTH;
use crate::game::runtime::wire::{Reader, Tag, WireType};
use crate::game::schema::payload::{Kind, Payload};

/// An extension of a [`Response`](crate::game::Response), as it was sent.
///
/// ```
/// use portreeve::game::{Extension, Response};
///
/// // A payload that this crate does not know.
/// let response = Response::parse(b"\x08\x07\x10\x01\x8a\x7d\x01a")?;
/// let extensions: Vec<_> = response.extensions().collect();
/// assert_eq!(extensions, [Extension { number: 2001, bytes: b"a" }]);
/// assert_eq!(extensions[0].kind(), None);
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension<'a> {
    /// Its number, from 100 upward.
    pub number: u32,
    /// The bytes of its message.
    pub bytes: &'a [u8],
}

/// The extensions of a [`Response`](crate::game::Response), in order.
#[derive(Clone, Debug)]
pub struct Extensions<'a> {
    reader: Reader<'a>,
    fragments: FragmentIter<'a>,
}

/// What an answer knows of its extensions.
#[derive(Clone, Copy, Default)]
pub(super) enum ExtensionSet<'a> {
    #[default]
    None,
    One(Extension<'a>),
    /// The message has to be walked to find them.
    Several,
    /// A payload that was given for encoding.
    Given(&'a Payload<'a>),
}

// === impl Extension ===

impl Extension<'_> {
    /// The kind with this number, if it is known.
    #[inline(always)]
    pub fn kind(&self) -> Option<Kind> {
        Kind::from_number(self.number)
    }

    /// Whether this is the tag of an extension.
    #[inline(always)]
    pub(super) fn is_tag(tag: Tag) -> bool {
        tag.is(WireType::LengthDelimited) && tag.field_number() >= FIRST_EXTENSION
    }
}

// === impl Extensions ===

impl<'a> Extensions<'a> {
    /// Those of a message that was read before.
    pub(super) fn of(message: Fragments<'a>) -> Self {
        Self {
            reader: Reader::new(&[]),
            fragments: message.iter(),
        }
    }
}

impl<'a> Iterator for Extensions<'a> {
    type Item = Extension<'a>;

    /// All of the bytes were read when the message was parsed, so an error cannot occur here: it is
    /// treated as the end.
    fn next(&mut self) -> Option<Extension<'a>> {
        let reader = &mut self.reader;
        loop {
            while reader.is_empty() {
                *reader = Reader::new(self.fragments.next()?);
            }
            let tag = reader.tag().ok()?;
            if Extension::is_tag(tag) {
                let bytes = reader.length_delimited().ok()?;
                let number = tag.field_number();
                return Some(Extension { number, bytes });
            }
            reader.skip(tag, MAX_DEPTH).ok()?;
        }
    }
}

impl FusedIterator for Extensions<'_> {}

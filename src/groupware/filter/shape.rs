//! The shapes of values that the matcher can find in an event.

use super::node::Key;

/// The possible types of a value when the server applies a filter to it.
///
/// PHP has one type for lists and maps, the array, on which all conditions work. Objects break the
/// matcher: they have no elements, and most cannot be converted to text. In the JSON of a delivery the
/// two look alike.
#[derive(Debug)]
pub(super) enum Shape {
    Text,
    Number,
    Bool,
    /// A text, a number or a boolean.
    Scalar,
    /// An object that cannot be converted to text, and is empty in the JSON.
    Object,
    /// An object that can be converted to text.
    TextObject,
    /// One of these.
    Either(&'static [Shape]),
    /// A scalar of at most this many characters in the server's job queue, including quotation marks:
    /// the server generates it or bounds it.
    AtMost(usize, &'static Shape),
    /// A text that is part of the sibling text with this key.
    PartOf(&'static str),
    /// An array with the keys 0, 1, 2, …; it can be empty.
    List(&'static Shape),
    /// An array with text keys.
    Map {
        members: &'static [Member],
        /// The shape of other members, if there can be any.
        others: Option<&'static Shape>,
    },
    /// Anything.
    Unknown,
    /// Anything, but the operator asserts that no filter meets an object.
    Trusted,
}

/// A member of a [`Shape::Map`].
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: &'static str,
    /// Whether it is always present and not `null`, which are the same to the matcher.
    pub(super) always: bool,
    pub(super) shape: Shape,
    /// An example of the value, as JSON; empty for a map, whose members have examples.
    pub(super) example: &'static str,
    /// Its description.
    pub(super) about: &'static str,
}

// === impl Shape ===

impl Shape {
    /// An array with these members and no others.
    pub(super) const fn map(members: &'static [Member]) -> Self {
        Self::Map {
            members,
            others: None,
        }
    }

    /// The shape of the element under `key`.
    pub(super) fn element(&self, key: &str) -> &Self {
        match self {
            Self::List(item) => item,
            Self::Map { members, others } => {
                let member = members.iter().find(|member| member.name == key);
                match (member, others) {
                    (Some(member), _) => &member.shape,
                    (None, Some(shape)) => shape,
                    (None, None) => &Self::Trusted,
                }
            }
            Self::Unknown | Self::Either(_) | Self::Object | Self::TextObject => &Self::Unknown,
            Self::Trusted
            | Self::Text
            | Self::Number
            | Self::Bool
            | Self::Scalar
            | Self::AtMost(..)
            | Self::PartOf(_) => &Self::Trusted,
        }
    }

    /// Like [`element`](Self::element), with a [`Key`].
    pub(super) fn element_at(&self, key: Key<'_>) -> &Self {
        match key {
            Key::Name(name) => self.element(name),
            Key::Position(_) => self.element(""),
        }
    }

    /// Whether it can be an object that cannot be converted to text.
    pub(super) fn can_be_object(&self) -> bool {
        match self {
            Self::Object | Self::Unknown => true,
            Self::Either(shapes) => shapes.iter().any(Self::can_be_object),
            _ => false,
        }
    }

    /// Whether it can be an array that contains such an object.
    pub(super) fn can_hold_object(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Either(shapes) => shapes.iter().any(Self::can_hold_object),
            Self::List(item) => item.can_be_object(),
            Self::Map { members, others } => {
                let mut shapes = members.iter().map(|member| &member.shape).chain(*others);
                shapes.any(Self::can_be_object)
            }
            _ => false,
        }
    }

    /// Whether it is a number, or a value that PHP treats as one in arithmetic.
    pub(super) fn is_number(&self) -> bool {
        match self {
            Self::Number | Self::Bool | Self::Trusted => true,
            Self::Either(shapes) => shapes.iter().all(Self::is_number),
            Self::AtMost(_, shape) => shape.is_number(),
            _ => false,
        }
    }
}

//! What the matcher can find in an event.

use super::node::Key;

/// What a value can be, at the time the server applies a filter to it.
///
/// PHP knows one type for lists and maps, the array, of which a filter may ask anything. What breaks
/// the matcher is an object: it has no elements, and most cannot be made text. In the JSON that a
/// receiver gets the two look alike.
#[derive(Debug)]
pub(super) enum Shape {
    Text,
    Number,
    Bool,
    /// A text, a number or a boolean.
    Scalar,
    /// An object that cannot be made text, and of which nothing is in the JSON.
    Object,
    /// An object that can be made text.
    TextObject,
    /// One of these.
    Either(&'static [Shape]),
    /// A scalar that takes at most so many characters in the server's job queue, its quotation marks
    /// included: the server makes it itself, or bounds it.
    AtMost(usize, &'static Shape),
    /// A text that is a part of the one under this key beside it.
    PartOf(&'static str),
    /// An array with the keys 0, 1, 2, …; it can be empty.
    List(&'static Shape),
    /// An array with text as keys.
    Map {
        members: &'static [Member],
        /// What can be under other keys, if there can be other ones.
        others: Option<&'static Shape>,
    },
    /// Anything.
    Unknown,
    /// Anything, and an operator answers for it that no filter meets an object.
    Trusted,
}

/// A member of a [`Shape::Map`].
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: &'static str,
    /// Whether it is always there, and not `null`, which is the same to the matcher.
    pub(super) always: bool,
    pub(super) shape: Shape,
    /// An example of the value, as JSON; empty for a map, whose members have examples.
    pub(super) example: &'static str,
    /// What it says.
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

    /// As [`element`](Self::element).
    pub(super) fn element_at(&self, key: Key<'_>) -> &Self {
        match key {
            Key::Name(name) => self.element(name),
            Key::Position(_) => self.element(""),
        }
    }

    /// Whether it can be an object that cannot be made text.
    pub(super) fn can_be_object(&self) -> bool {
        match self {
            Self::Object | Self::Unknown => true,
            Self::Either(shapes) => shapes.iter().any(Self::can_be_object),
            _ => false,
        }
    }

    /// Whether it can be an array with such an object as an element.
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

    /// Whether it is a number, or something that PHP calculates with as if it were one.
    pub(super) fn is_number(&self) -> bool {
        match self {
            Self::Number | Self::Bool | Self::Trusted => true,
            Self::Either(shapes) => shapes.iter().all(Self::is_number),
            Self::AtMost(_, shape) => shape.is_number(),
            _ => false,
        }
    }
}

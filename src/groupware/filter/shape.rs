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
    /// A text, or an object that cannot be converted to text.
    TextOrObject,
    /// An array with the keys 0, 1, 2, …; it can be empty.
    List(Box<Shape>),
    /// An array with text keys.
    Map {
        members: Vec<Member>,
        /// The shape of other members, if there can be any.
        others: Option<Box<Shape>>,
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
    /// An example of the value, as JSON; not used for a map, whose members have examples.
    pub(super) example: String,
    /// Its description.
    pub(super) about: &'static str,
}

// === impl Shape ===

impl Shape {
    /// An array with these members, and others if they have a shape.
    pub(super) fn map(members: Vec<Member>, others: Option<Self>) -> Self {
        Self::Map {
            members,
            others: others.map(Box::new),
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
            Self::Unknown | Self::TextOrObject | Self::Object | Self::TextObject => &Self::Unknown,
            Self::Trusted | Self::Text | Self::Number | Self::Bool | Self::Scalar => &Self::Trusted,
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
        matches!(self, Self::Object | Self::TextOrObject | Self::Unknown)
    }

    /// Whether it can be an array that contains such an object.
    pub(super) fn can_hold_object(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::List(item) => item.can_be_object(),
            Self::Map { members, others } => {
                let mut members = members.iter();
                members.any(|member| member.shape.can_be_object())
                    || others.as_ref().is_some_and(|shape| shape.can_be_object())
            }
            _ => false,
        }
    }

    /// Whether it is a number, or a value that PHP treats as one in arithmetic.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Number | Self::Bool | Self::Trusted)
    }
}

//! The values of an event as PHP represents and compares them.
//!
//! The rules are those of PHP 8: `===` for plain equality, `==` for elements of arrays, `<` and
//! `>` for order, and text for `array_intersect`.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::node::{Array, Node};
use super::number::{Number, compare_texts};
use super::shape::Shape;
use super::work::{Undecidable, Work};

/// A value of an event: its JSON, and its known shape.
#[derive(Clone, Copy)]
pub(super) struct TypedNode<'e> {
    pub(super) node: &'e Node,
    shape: &'e Shape,
}

/// A value as PHP represents it.
#[derive(Clone, Copy)]
pub(super) enum Value<'e> {
    Null,
    Bool(bool),
    Number(Number),
    Text(&'e str),
    Array(Elements<'e>),
    /// A PHP object, which looks like an array in JSON.
    Object {
        has_text: bool,
    },
    /// An array or an object.
    Unknown,
}

/// The elements of an array.
#[derive(Clone, Copy)]
pub(super) struct Elements<'e> {
    array: Array<'e>,
    shape: &'e Shape,
}

const OBJECT: Undecidable = Undecidable("it is not known what text the server makes of an object");
const UNKNOWN: Undecidable = Undecidable("the value can be an object at the server");

// === impl TypedNode ===

impl<'e> TypedNode<'e> {
    pub(super) fn new(node: &'e Node, shape: &'e Shape) -> Self {
        Self { node, shape }
    }

    /// An operand in a filter.
    pub(super) fn operand(node: &'e Node) -> Self {
        Self::new(node, &Shape::Trusted)
    }

    pub(super) fn value(self) -> Value<'e> {
        let Some(array) = self.node.array() else {
            return match self.node {
                Node::Bool(value) => Value::Bool(*value),
                Node::Int(value) => Value::Number(Number::Int(*value)),
                Node::Float(value) => Value::Number(Number::Float(*value)),
                Node::Text(value) => Value::Text(value),
                _ => Value::Null,
            };
        };
        match self.shape {
            Shape::TextObject => Value::Object { has_text: true },
            Shape::Unknown => Value::Unknown,
            shape if shape.can_be_object() => Value::Object { has_text: false },
            shape => Value::Array(Elements { array, shape }),
        }
    }
}

// === impl Elements ===

impl<'e> Elements<'e> {
    pub(super) fn len(self) -> usize {
        self.array.len()
    }

    /// The element under `key`, unless it is `null`.
    pub(super) fn get(self, key: &str) -> Option<TypedNode<'e>> {
        let node = self.array.get(key)?;
        let typed = TypedNode::new(node, self.shape.element(key));
        (!matches!(node, Node::Null)).then_some(typed)
    }

    pub(super) fn typed_nodes(self) -> impl Iterator<Item = TypedNode<'e>> {
        let shape = self.shape;
        let elements = self.array.iter();
        elements.map(move |(key, node)| TypedNode::new(node, shape.element_at(key)))
    }

    fn equals(self, other: Self, work: &Work) -> Result<bool, Undecidable> {
        if self.len() != other.len() {
            return Ok(false);
        }
        for pair in self.pairs(other, work) {
            match pair? {
                (value, Some(other)) if value.equals(other, work)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn compare(self, other: Self, work: &Work) -> Result<Option<Ordering>, Undecidable> {
        let order = self.len().cmp(&other.len());
        if order != Ordering::Equal {
            return Ok(Some(order));
        }
        for pair in self.pairs(other, work) {
            let (value, Some(other)) = pair? else {
                return Ok(None);
            };
            let order = value.compare(other, work)?;
            if order != Some(Ordering::Equal) {
                return Ok(order);
            }
        }
        Ok(Some(Ordering::Equal))
    }

    /// Each element, with that of `other` under the same key.
    fn pairs(
        self,
        other: Self,
        work: &Work,
    ) -> impl Iterator<Item = Result<(Value<'e>, Option<Value<'e>>), Undecidable>> {
        let keys = self.array.iter().map(|(key, _)| key);
        keys.zip(self.typed_nodes()).map(move |(key, typed)| {
            work.spend(other.len())?;
            let node = other.array.get(&key.to_string());
            let other = node.map(|node| TypedNode::new(node, other.shape.element_at(key)).value());
            Ok((typed.value(), other))
        })
    }
}

// === impl Value ===

impl<'e> Value<'e> {
    /// Whether PHP treats it as `false`.
    pub(super) fn is_falsy(self) -> Result<bool, Undecidable> {
        Ok(match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Number(number) => number.is_zero(),
            Self::Text(text) => text.is_empty() || text == "0",
            Self::Array(elements) => elements.len() == 0,
            Self::Object { .. } => false,
            Self::Unknown => return Err(UNKNOWN),
        })
    }

    /// `===`, for values other than arrays.
    pub(super) fn is_identical(self, other: Self) -> Result<bool, Undecidable> {
        Ok(match (self, other) {
            (Self::Unknown, Self::Array(_)) => return Err(UNKNOWN),
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Number(Number::Int(one)), Self::Number(Number::Int(other))) => one == other,
            (Self::Number(Number::Float(one)), Self::Number(Number::Float(other))) => one == other,
            (Self::Text(one), Self::Text(other)) => one == other,
            _ => false,
        })
    }

    /// `==`.
    pub(super) fn equals(self, other: Self, work: &Work) -> Result<bool, Undecidable> {
        work.spend(1)?;
        Ok(match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => return Err(UNKNOWN),
            (Self::Null, Self::Text(text)) | (Self::Text(text), Self::Null) => text.is_empty(),
            (Self::Null | Self::Bool(_), _) | (_, Self::Null | Self::Bool(_)) => {
                self.is_falsy()? == other.is_falsy()?
            }
            (Self::Array(one), Self::Array(other)) => one.equals(other, work)?,
            (Self::Array(_), _) | (_, Self::Array(_)) => false,
            (Self::Text(one), Self::Text(other)) if one == other => {
                work.spend(one.len() / 16)?;
                true
            }
            _ => self.order(other, work)? == Some(Ordering::Equal),
        })
    }

    /// Compares it with `other`; `None` if PHP cannot compare them.
    pub(super) fn compare(self, other: Self, work: &Work) -> Result<Option<Ordering>, Undecidable> {
        work.spend(1)?;
        Ok(match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => return Err(UNKNOWN),
            (Self::Null, Self::Text(text)) => Some("".cmp(text)),
            (Self::Text(text), Self::Null) => Some(text.cmp("")),
            (Self::Null | Self::Bool(_), _) | (_, Self::Null | Self::Bool(_)) => {
                Some(other.is_falsy()?.cmp(&self.is_falsy()?))
            }
            (Self::Array(one), Self::Array(other)) => one.compare(other, work)?,
            (Self::Array(_), Self::Object { .. }) => Some(Ordering::Less),
            (Self::Object { .. }, Self::Array(_)) | (Self::Array(_), _) => Some(Ordering::Greater),
            (_, Self::Array(_)) => Some(Ordering::Less),
            _ => self.order(other, work)?,
        })
    }

    /// The order of numbers, texts and objects.
    fn order(self, other: Self, work: &Work) -> Result<Option<Ordering>, Undecidable> {
        // Each byte of a text is examined, to see whether it is a number.
        work.spend(self.len_of_text() + other.len_of_text())?;
        Ok(match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.compare(other),
            (Self::Number(one), Self::Text(text)) => one.compare_with_text(text),
            (Self::Text(text), Self::Number(other)) => {
                other.compare_with_text(text).map(Ordering::reverse)
            }
            (Self::Text(one), Self::Text(other)) => compare_texts(one, other),
            // An object counts as 1 among numbers.
            (Self::Object { .. }, Self::Number(other)) => Number::Int(1).compare(other),
            (Self::Object { has_text: false }, Self::Text(_)) => Some(Ordering::Greater),
            _ => return Err(OBJECT),
        })
    }

    pub(super) fn len_of_text(self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            _ => 0,
        }
    }

    /// As text; `None` for an object that cannot be converted.
    pub(super) fn text(self) -> Result<Option<Cow<'e, str>>, Undecidable> {
        Ok(Some(match self {
            Self::Null | Self::Bool(false) => Cow::Borrowed(""),
            Self::Bool(true) => Cow::Borrowed("1"),
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Array(_) => Cow::Borrowed("Array"),
            Self::Object { has_text: false } => return Ok(None),
            Self::Object { has_text: true } => return Err(OBJECT),
            Self::Unknown => return Err(UNKNOWN),
        }))
    }

    /// As an integer, for `%`; `None` if that fails.
    pub(super) fn integer(self) -> Option<i64> {
        match self {
            Self::Null => Some(0),
            Self::Bool(value) => Some(value.into()),
            Self::Number(number) => Some(number.wrapped_integer()),
            Self::Text(text) => Number::parse_start(text).map(Number::nearest_integer),
            Self::Array(_) | Self::Object { .. } | Self::Unknown => None,
        }
    }
}

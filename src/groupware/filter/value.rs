//! The values of an event as PHP represents and compares them.
//!
//! The rules are those of PHP 8: `==` for elements of arrays, `<` and `>` for order, and text for
//! `array_intersect`. What PHP makes of equal numbers beyond 64 bits is undecidable.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::condition::NO_NUMBER;
use super::node::Node;
use super::shape::Shape;
use super::work::{Halt, Work};

/// The white space that PHP skips around a number in a text.
const BLANKS: [char; 6] = [' ', '\t', '\n', '\r', '\u{b}', '\u{c}'];

const OBJECT: Halt = Halt::Undecidable("it is not known what text the server makes of an object");
pub(super) const UNKNOWN: Halt = Halt::Undecidable("the value can be an object at the server");
const NUMBER: Halt = Halt::Undecidable("only the server compares numbers of this size");
const NOT_ONLY_A_NUMBER: Halt = Halt::Undecidable("the text is not only a number");

/// A value of an event: its JSON, and its known shape.
#[derive(Clone, Copy)]
pub(super) struct Value<'e> {
    pub(super) node: &'e Node,
    shape: &'e Shape,
}

/// The type of a value in PHP, as far as comparisons differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar,
    Array,
    /// A PHP object, which looks like an array in JSON.
    Object,
    /// One that can be converted to text.
    TextObject,
    /// An array or an object.
    Unknown,
}

impl<'e> Value<'e> {
    pub(super) fn new(node: &'e Node, shape: &'e Shape) -> Self {
        Self { node, shape }
    }

    pub(super) fn operand(node: &'e Node) -> Self {
        Self::new(node, &Shape::Trusted)
    }

    pub(super) fn kind(self) -> Kind {
        match self.shape {
            _ if !self.node.is_array() => Kind::Scalar,
            Shape::TextObject => Kind::TextObject,
            Shape::Unknown => Kind::Unknown,
            Shape::Object | Shape::TextOrObject => Kind::Object,
            _ => Kind::Array,
        }
    }

    /// The element of an array under `key`, unless it is `null`.
    pub(super) fn get(self, key: &str) -> Option<Self> {
        let node = self.node.get(key)?;
        (*node != Node::Null).then(|| Self::new(node, self.shape.element(Some(key))))
    }

    pub(super) fn elements(self) -> impl Iterator<Item = Self> {
        self.node.elements().map(move |(name, node)| Self::new(node, self.shape.element(name)))
    }

    pub(super) fn is_falsy(self) -> Result<bool, Halt> {
        match self.kind() {
            Kind::Scalar | Kind::Array => Ok(self.node.is_falsy()),
            Kind::Object | Kind::TextObject => Ok(false),
            Kind::Unknown => Err(UNKNOWN),
        }
    }

    /// `==`.
    pub(super) fn equals(self, other: Self, work: &Work) -> Result<bool, Halt> {
        Ok(self.compare(other, work)? == Some(Ordering::Equal))
    }

    /// Compares it with `other`; `None` if PHP cannot compare them.
    pub(super) fn compare(self, other: Self, work: &Work) -> Result<Option<Ordering>, Halt> {
        work.spend(1)?;
        let kinds = (self.kind(), other.kind());
        Ok(match (self.node, other.node) {
            _ if matches!(kinds, (Kind::Unknown, _) | (_, Kind::Unknown)) => return Err(UNKNOWN),
            (Node::Null, Node::Text(text)) => Some("".cmp(text)),
            (Node::Text(text), Node::Null) => Some(text.as_str().cmp("")),
            (Node::Null | Node::Bool(_), _) | (_, Node::Null | Node::Bool(_)) => {
                Some(other.is_falsy()?.cmp(&self.is_falsy()?))
            }
            (one, two) => match kinds {
                (Kind::Scalar, Kind::Scalar) => Some(compare_scalars(one, two, work)?),
                (Kind::Array, Kind::Array) => return self.compare_elements(other, work),
                (Kind::Array, Kind::Scalar) => Some(Ordering::Greater),
                (Kind::Scalar, Kind::Array) => Some(Ordering::Less),
                (Kind::Object, Kind::Scalar) if matches!(two, Node::Text(_)) => {
                    Some(Ordering::Greater)
                }
                // An object counts as 1 among numbers.
                (Kind::Object | Kind::TextObject, Kind::Scalar)
                    if !matches!(two, Node::Text(_)) =>
                {
                    Some(compare_scalars(&Node::Int(1), two, work)?)
                }
                _ => return Err(OBJECT),
            },
        })
    }

    /// Compares two arrays: by their lengths, then by the elements under the same keys.
    fn compare_elements(self, other: Self, work: &Work) -> Result<Option<Ordering>, Halt> {
        let order = self.node.len().cmp(&other.node.len());
        if order.is_ne() {
            return Ok(Some(order));
        }
        for (position, (name, node)) in self.node.elements().enumerate() {
            let key = name.map_or_else(|| position.to_string().into(), Cow::Borrowed);
            work.spend(1 + key.len())?;
            let Some(counterpart) = other.node.get(&key) else {
                return Ok(None);
            };
            let element = Self::new(node, self.shape.element(name));
            let counterpart = Self::new(counterpart, other.shape.element(Some(&key)));
            let order = element.compare(counterpart, work)?;
            if order != Some(Ordering::Equal) {
                return Ok(order);
            }
        }
        Ok(Some(Ordering::Equal))
    }

    /// As text. Fails with `on_object` if it is an object that cannot be converted.
    pub(super) fn text(self, on_object: &'static str) -> Result<Cow<'e, str>, Halt> {
        match self.kind() {
            Kind::Scalar => text(self.node),
            Kind::Array => Ok("Array".into()),
            Kind::Object => Err(Halt::Fails(on_object)),
            Kind::TextObject => Err(OBJECT),
            Kind::Unknown => Err(UNKNOWN),
        }
    }

    /// As an integer, for `%`.
    pub(super) fn integer(self) -> Result<i64, Halt> {
        let number = match self.node {
            Node::Null => Node::Int(0),
            Node::Bool(value) => Node::Int((*value).into()),
            Node::Text(text) => match number(text) {
                Some(number) => number,
                None if text.contains(|c: char| c.is_ascii_digit()) => {
                    return Err(NOT_ONLY_A_NUMBER);
                }
                None => return Err(Halt::Fails(NO_NUMBER)),
            },
            other => other.clone(),
        };
        match number {
            Node::Int(value) => Ok(value),
            Node::Float(value) => in_range(value).map(|value| value as i64),
            _ => Err(Halt::Fails(NO_NUMBER)),
        }
    }
}

/// The order of numbers and texts: as numbers if both are, else as texts.
fn compare_scalars(one: &Node, other: &Node, work: &Work) -> Result<Ordering, Halt> {
    let len = one.len_of_text() + other.len_of_text();
    work.spend(len / 16)?;
    if one == other {
        return Ok(Ordering::Equal);
    }
    // Each byte of a text is examined, to see whether it is a number.
    work.spend(len)?;
    let as_number = |node: &Node| match node {
        Node::Text(text) => number(text),
        number => Some(number.clone()),
    };
    let float = |number: &Node| match number {
        Node::Int(value) => *value as f64,
        Node::Float(value) => *value,
        _ => f64::NAN,
    };
    match (as_number(one), as_number(other)) {
        (Some(Node::Int(one)), Some(Node::Int(other))) => Ok(one.cmp(&other)),
        (Some(one), Some(other)) => match float(&one).partial_cmp(&float(&other)) {
            // PHP compares such numbers as texts, if they are in texts, or knows which is beyond 64 bits.
            Some(Ordering::Equal) => in_range(float(&one)).map(|_| Ordering::Equal),
            order => order.ok_or(NUMBER),
        },
        _ => Ok(text(one)?.cmp(&text(other)?)),
    }
}

/// The number that a whole text is, apart from white space around it.
fn number(text: &str) -> Option<Node> {
    let text = text.trim_matches(BLANKS);
    // Rust knows infinities by their names.
    let is_number = |byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    if !text.bytes().all(is_number) {
        return None;
    }
    // The smallest integer is beyond 64 bits for PHP, if a blank follows.
    let integer = text.parse().ok().filter(|value| *value != i64::MIN);
    let float = || text.parse().ok().map(Node::Float);
    integer.map(Node::Int).or_else(float)
}

fn text(node: &Node) -> Result<Cow<'_, str>, Halt> {
    Ok(match node {
        Node::Bool(true) => "1".into(),
        Node::Int(value) => value.to_string().into(),
        // `1.0` is `1`.
        Node::Float(value) if *value == 0.0 || (1e-4..1e15).contains(&value.abs()) => {
            value.to_string().into()
        }
        Node::Float(_) => return Err(NUMBER),
        Node::Text(text) => text.into(),
        _ => "".into(),
    })
}

/// A number that PHP compares as one, and converts to an integer.
fn in_range(value: f64) -> Result<f64, Halt> {
    let is_in_range = value.abs() < 9_223_372_036_854_775_808.0;
    is_in_range.then_some(value).ok_or(NUMBER)
}

//! One condition on one property, evaluated for all events of a shape.

use super::node::{Array, Node};
use super::outcome::Outcome;
use super::shape::Shape;

/// The operators allowed below a property, except `$not`.
pub(super) const OPERATORS: &[&str] = &[
    "$e", "$ne", "$lt", "$lte", "$gt", "$gte", "$in", "$nin", "$all", "$exists", "$mod",
];

const UNKNOWN: &str = "is refused: what the event holds here is not known";
const PATTERN_UNKNOWN: &str = "must not be a pattern: what the event holds here is not known";
pub(super) const PATTERN_ON_OBJECT: &str =
    "must not be a pattern, as the value can be an object at the server";
pub(super) const HOLDS_OBJECT: &str = "is refused, as the value can hold objects at the server";
pub(super) const NO_NUMBER: &str = "is refused, as it fails on what is not a number";
pub(super) const BELOW_OBJECT: &str = "must not lead below an object";
pub(super) const BELOW_OBJECTS: &str = "must not lead below a list of objects";
pub(super) const BELOW_TEXTS: &str = "must not lead below a list of texts";
pub(super) const BELOW_UNKNOWN: &str =
    "must not lead below a value: what the event holds here is not known";

/// An operator with its operand.
#[derive(Clone, Copy)]
pub(super) enum Condition<'n> {
    Equal(&'n Node),
    NotEqual(&'n Node),
    Ordered(Order, &'n Node),
    In(Array<'n>),
    NotIn(Array<'n>),
    All(Array<'n>),
    Exists(bool),
    Mod(Array<'n>),
}

/// The required order of a value and the operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

// === impl Condition ===

impl<'n> Condition<'n> {
    /// Parses an operator and its operand. The error is one that does not depend on the property.
    pub(super) fn new(operator: &str, operand: &'n Node) -> Result<Self, &'static str> {
        let list = || operand.array().ok_or("must be a list");
        let modulus = "must be a list of two numbers, the first one not 0";
        Ok(match operator {
            "$e" => Self::Equal(operand),
            "$ne" => Self::NotEqual(operand),
            "$lt" => Self::Ordered(Order::Less, operand),
            "$lte" => Self::Ordered(Order::LessOrEqual, operand),
            "$gt" => Self::Ordered(Order::Greater, operand),
            "$gte" => Self::Ordered(Order::GreaterOrEqual, operand),
            "$in" => Self::In(list()?),
            "$nin" => Self::NotIn(list()?),
            "$all" => Self::All(list()?),
            "$exists" => Self::Exists(!operand.is_falsy()),
            "$mod" => Self::Mod(operand.array().filter(is_divisor).ok_or(modulus)?),
            _ => return Err("is not an operator"),
        })
    }

    /// Evaluates it at `property`, a dotted path, below a value of `shape`. The error is the reason why
    /// the evaluation can fail at the server.
    pub(super) fn at(&self, property: &str, shape: &Shape) -> Result<Outcome, &'static str> {
        match shape {
            Shape::Map { members, others } => {
                let (name, rest) = match property.split_once('.') {
                    Some((name, rest)) => (name, Some(rest)),
                    None => (property, None),
                };
                let member = members.iter().find(|member| member.name == name);
                let (shape, always) = match (member, others) {
                    (Some(member), _) => (&member.shape, member.always),
                    (None, Some(shape)) => (&**shape, false),
                    (None, None) => return Ok(self.on_nothing()),
                };
                let found = match rest {
                    Some(rest) => self.at(rest, shape)?,
                    None => self.on(shape)?,
                };
                if always {
                    Ok(found)
                } else {
                    Ok(found.or(self.on_nothing()))
                }
            }
            // The matcher descends into each element, but only if it is an array.
            Shape::List(item) => match &**item {
                Shape::Map { .. } | Shape::List(_) => {
                    Ok(self.at(property, item)?.or(self.on_nothing()))
                }
                Shape::Trusted => Ok(Outcome::ANY),
                Shape::Unknown => Err(BELOW_UNKNOWN),
                Shape::Object | Shape::TextObject | Shape::TextOrObject => Err(BELOW_OBJECTS),
                Shape::Text | Shape::Number | Shape::Bool | Shape::Scalar => Err(BELOW_TEXTS),
            },
            // The elements of a text are characters: there the matcher gives up, unless it is empty.
            Shape::Text | Shape::Scalar => Ok(Outcome::FAIL.or(self.on_nothing())),
            Shape::Number | Shape::Bool => Ok(self.on_nothing()),
            Shape::Object | Shape::TextObject | Shape::TextOrObject => Err(BELOW_OBJECT),
            Shape::Unknown => Err(BELOW_UNKNOWN),
            Shape::Trusted => Ok(Outcome::ANY),
        }
    }

    /// Whether it holds if the property is missing.
    pub(super) fn holds_on_nothing(&self) -> bool {
        match self {
            Self::NotEqual(operand) => !matches!(operand, Node::Null),
            Self::NotIn(_) => true,
            Self::Exists(wanted) => !wanted,
            Self::Equal(_) | Self::Ordered(..) | Self::In(_) | Self::All(_) | Self::Mod(_) => false,
        }
    }

    fn on_nothing(&self) -> Outcome {
        Outcome::of(self.holds_on_nothing())
    }

    /// Evaluates it on a value.
    fn on(&self, shape: &Shape) -> Result<Outcome, &'static str> {
        match self {
            Self::Exists(wanted) => Ok(Outcome::of(*wanted)),
            Self::Ordered(..) => Ok(Outcome::ANY),
            // A pattern is matched against the value as text.
            Self::Equal(operand) | Self::NotEqual(operand) if is_pattern(operand) => match shape {
                Shape::Unknown => Err(PATTERN_UNKNOWN),
                _ if shape.can_be_object() => Err(PATTERN_ON_OBJECT),
                _ => Ok(Outcome::ANY),
            },
            Self::Equal(_) | Self::NotEqual(_) => Ok(Outcome::ANY),
            Self::In(none) | Self::All(none) if none.is_empty() => Ok(Outcome::FAIL),
            Self::NotIn(none) if none.is_empty() => Ok(Outcome::PASS),
            // Elements are compared as text.
            Self::In(_) | Self::NotIn(_) | Self::All(_) => match shape {
                Shape::Unknown => Err(UNKNOWN),
                _ if shape.can_hold_object() => Err(HOLDS_OBJECT),
                _ => Ok(Outcome::ANY),
            },
            Self::Mod(_) => match shape {
                Shape::Unknown => Err(UNKNOWN),
                _ if shape.is_number() => Ok(Outcome::ANY),
                _ => Err(NO_NUMBER),
            },
        }
    }
}

/// Whether it is `/…/flags`, which the matcher treats as a regular expression. In doubt it counts as
/// one: which line breaks may end it depends on the server's library.
fn is_pattern(operand: &Node) -> bool {
    let Node::Text(text) = operand else {
        return false;
    };
    let is_flag = |c: char| c.is_ascii_alphabetic() || matches!(c, '\r' | '\n');
    let parts = text.rsplit_once('/');
    parts.is_some_and(|(head, flags)| head.starts_with('/') && flags.chars().all(is_flag))
}

/// Whether it is a divisor and a remainder, and the divisor is not 0 as an integer.
fn is_divisor(operand: &Array<'_>) -> bool {
    let range = 1.0..9_223_372_036_854_775_808.0;
    let divides = |divisor: &Node| match divisor {
        Node::Bool(divisor) => *divisor,
        Node::Int(divisor) => *divisor != 0,
        Node::Float(divisor) => range.contains(&divisor.abs()),
        _ => false,
    };
    operand.len() == 2 && operand.at(0).is_some_and(divides) && operand.at(1).is_some()
}

//! What the server's matcher makes of one condition on one property.

use super::node::{Array, Node};
use super::shape::Shape;

/// The operators that stand below a property, `$not` aside.
pub(super) const OPERATORS: &[&str] = &[
    "$e", "$ne", "$lt", "$lte", "$gt", "$gte", "$in", "$nin", "$all", "$exists", "$mod",
];

const UNKNOWN: &str = "is refused: what the event holds here is not known";
const PATTERN_UNKNOWN: &str = "must not be a pattern: what the event holds here is not known";
const BELOW_UNKNOWN: &str = "must not lead below a value: what the event holds here is not known";

/// An operator with its operand, as far as the outcome depends on it.
pub(super) enum Condition {
    Equal { pattern: bool },
    NotEqual { pattern: bool, null: bool },
    Ordered,
    In { none: bool },
    NotIn { none: bool },
    All { none: bool },
    Exists(bool),
    Mod,
}

/// How an evaluation can end. One that can fail is an error instead.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    pub(super) pass: bool,
    pub(super) fail: bool,
}

// === impl Condition ===

impl Condition {
    /// Reads an operator and its operand. Fails with what is wrong with them whatever the property
    /// is.
    pub(super) fn new(operator: &str, operand: &Node) -> Result<Self, &'static str> {
        let none = || {
            let values = operand.array().ok_or("must be a list")?;
            Ok::<_, &'static str>(values.is_empty())
        };
        Ok(match operator {
            "$e" => Self::equal(operand),
            "$ne" => Self::NotEqual {
                pattern: is_pattern(operand),
                null: matches!(operand, Node::Null),
            },
            "$lt" | "$lte" | "$gt" | "$gte" => Self::Ordered,
            "$in" => Self::In { none: none()? },
            "$nin" => Self::NotIn { none: none()? },
            "$all" => Self::All { none: none()? },
            "$exists" => Self::Exists(!operand.is_falsy()),
            "$mod" if operand.array().is_some_and(is_divisor) => Self::Mod,
            "$mod" => return Err("must be a list of two numbers, the first one not 0"),
            _ => return Err("is not an operator"),
        })
    }

    /// The condition that a bare value stands for.
    pub(super) fn equal(operand: &Node) -> Self {
        let pattern = is_pattern(operand);
        Self::Equal { pattern }
    }

    /// What becomes of it at `property`, a dotted path, below a value of `shape`. Fails with the
    /// reason why the evaluation can fail at the server.
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
                    (None, Some(shape)) => (*shape, false),
                    (None, None) => return Ok(self.on_nothing()),
                };
                let found = match rest {
                    Some(rest) => self.at(rest, shape)?,
                    None => self.on(shape)?,
                };
                match always {
                    true => Ok(found),
                    false => Ok(found.or(self.on_nothing())),
                }
            }
            // The matcher asks each item, but hands on only arrays.
            Shape::List(item) => match item {
                Shape::Map { .. } | Shape::List(_) => {
                    Ok(self.at(property, item)?.or(self.on_nothing()))
                }
                Shape::Trusted => Ok(Outcome::ANY),
                Shape::Unknown => Err(BELOW_UNKNOWN),
                Shape::Object | Shape::TextObject | Shape::Either(_) => {
                    Err("must not lead below a list of objects")
                }
                Shape::Text | Shape::Number | Shape::Bool | Shape::Scalar => {
                    Err("must not lead below a list of texts")
                }
            },
            // Text has characters as elements: there the matcher gives up, unless it is empty.
            Shape::Text | Shape::Scalar => Ok(Outcome::FAIL.or(self.on_nothing())),
            Shape::Number | Shape::Bool => Ok(self.on_nothing()),
            Shape::Either(shapes) => {
                let mut outcomes = shapes.iter().map(|shape| self.at(property, shape));
                outcomes.try_fold(Outcome::NONE, |all, outcome| Ok(all.or(outcome?)))
            }
            Shape::Object | Shape::TextObject => Err("must not lead below an object"),
            Shape::Unknown => Err(BELOW_UNKNOWN),
            Shape::Trusted => Ok(Outcome::ANY),
        }
    }

    /// What becomes of it if the property is missing.
    fn on_nothing(&self) -> Outcome {
        Outcome::of(match self {
            Self::NotEqual { null, .. } => !null,
            Self::NotIn { .. } => true,
            Self::Exists(wanted) => !wanted,
            Self::Equal { .. } | Self::Ordered | Self::In { .. } | Self::All { .. } | Self::Mod => {
                false
            }
        })
    }

    /// What becomes of it on a value.
    fn on(&self, shape: &Shape) -> Result<Outcome, &'static str> {
        match self {
            Self::Exists(wanted) => Ok(Outcome::of(*wanted)),
            Self::Ordered => Ok(Outcome::ANY),
            // A pattern is matched against the value as text.
            Self::Equal { pattern: true } | Self::NotEqual { pattern: true, .. } => match shape {
                Shape::Unknown => Err(PATTERN_UNKNOWN),
                _ if shape.can_be_object() => {
                    Err("must not be a pattern, as the value can be an object at the server")
                }
                _ => Ok(Outcome::ANY),
            },
            Self::Equal { .. } | Self::NotEqual { .. } => Ok(Outcome::ANY),
            Self::In { none: true } | Self::All { none: true } => Ok(Outcome::FAIL),
            Self::NotIn { none: true } => Ok(Outcome::PASS),
            // Elements are compared as text.
            Self::In { .. } | Self::NotIn { .. } | Self::All { .. } => match shape {
                Shape::Unknown => Err(UNKNOWN),
                _ if shape.can_hold_object() => {
                    Err("is refused, as the value can hold objects at the server")
                }
                _ => Ok(Outcome::ANY),
            },
            Self::Mod => match shape {
                Shape::Unknown => Err(UNKNOWN),
                _ if shape.is_number() => Ok(Outcome::ANY),
                _ => Err("is refused, as it fails on what is not a number"),
            },
        }
    }
}

/// Whether it is `/…/flags`, which the matcher takes for a regular expression. In doubt it is one:
/// which line breaks end a text is up to the server's library.
fn is_pattern(operand: &Node) -> bool {
    let Node::Text(text) = operand else {
        return false;
    };
    let is_flag = |c: char| c.is_ascii_alphabetic() || matches!(c, '\r' | '\n');
    let parts = text.rsplit_once('/');
    parts.is_some_and(|(head, flags)| head.starts_with('/') && flags.chars().all(is_flag))
}

/// Whether it is a divisor and a remainder, and the divisor is not 0 as an integer.
fn is_divisor(operand: Array<'_>) -> bool {
    let range = 1.0..9_223_372_036_854_775_808.0;
    let divides = |divisor: &Node| match divisor {
        Node::Bool(divisor) => *divisor,
        Node::Number(divisor) => range.contains(&divisor.abs()),
        _ => false,
    };
    operand.len() == 2 && operand.at(0).is_some_and(divides) && operand.at(1).is_some()
}

// === impl Outcome ===

impl Outcome {
    pub(super) const PASS: Self = Self {
        pass: true,
        fail: false,
    };
    pub(super) const FAIL: Self = Self {
        pass: false,
        fail: true,
    };
    pub(super) const ANY: Self = Self {
        pass: true,
        fail: true,
    };
    const NONE: Self = Self {
        pass: false,
        fail: false,
    };

    pub(super) fn not(self) -> Self {
        Self {
            pass: self.fail,
            fail: self.pass,
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            pass: self.pass || other.pass,
            fail: self.fail || other.fail,
        }
    }

    fn of(pass: bool) -> Self {
        if pass { Self::PASS } else { Self::FAIL }
    }
}

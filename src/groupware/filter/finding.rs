//! Describes for people what a condition found in an event.

use std::fmt;

use super::condition::{Condition, Operator};
use super::fault::escape_controls;
use super::node::Node;
use super::pattern::Pattern;
use super::shape::Shape;

/// Maximum number of bytes of a value that is quoted.
const MAX_VALUE: usize = 120;

#[derive(Debug)]
pub(super) struct Finding<'a> {
    pub(super) condition: &'a Condition,
    pub(super) seen: Seen<'a>,
    /// Whether it holds, or why that is undecidable.
    pub(super) holds: Result<bool, &'static str>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Seen<'a> {
    /// Nothing: it is missing or null, or would be below what is empty or a number.
    Missing,
    /// The path leads below a text.
    BelowText,
    /// The path leads into a list with this many elements, and the condition holds for none of them.
    NoElement(usize),
    Value(&'a Node),
}

struct TruncatedJson<'a>(&'a Node);

// === impl Finding ===

impl fmt::Display for Finding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let property = escape_controls(&*self.condition.property);
        match (self.seen, self.holds) {
            (_, Err(reason)) => write!(f, "{property} cannot be judged here, as {reason}"),
            (Seen::Missing, _) => write!(f, "{property} is missing or null"),
            (Seen::BelowText, _) => {
                write!(f, "{property} would be below a text, where nothing matches")
            }
            (Seen::NoElement(count), _) => {
                write!(f, "{property} is right in no element of a list of {count}")
            }
            (Seen::Value(value), Ok(holds)) => {
                write!(f, "{property} is {}", TruncatedJson(value))?;
                let (operator, operand) = (self.condition.operator, &self.condition.operand);
                match operator {
                    Operator::Exists => Ok(()),
                    Operator::Equal if !operand.is_array() => self.write_equal(f, value, holds),
                    Operator::NotEqual if !operand.is_array() => self.write_equal(f, value, !holds),
                    _ => {
                        let satisfies = if holds { "satisfies" } else { "does not satisfy" };
                        let name = operator.as_str();
                        write!(f, ", which {satisfies} {name}: {}", TruncatedJson(operand))
                    }
                }
            }
        }
    }
}

impl Finding<'_> {
    /// Writes how the value compares with the operand, which is not an array; `is` is whether they are equal.
    fn write_equal(&self, f: &mut fmt::Formatter<'_>, value: &Node, is: bool) -> fmt::Result {
        let operand = &self.condition.operand;
        let wanted = TruncatedJson(operand);
        let is_pattern = Pattern::parse(operand).is_some();
        match (is_pattern, value.is_array(), is) {
            (_, true, true) => write!(f, ", which contains {wanted}"),
            (_, true, false) => write!(f, ", which does not contain {wanted}"),
            (true, false, true) => write!(f, ", which the pattern {wanted} matches"),
            (true, false, false) => write!(f, ", which the pattern {wanted} does not match"),
            (false, false, true) => Ok(()),
            (false, false, false) => write!(f, ", not {wanted}"),
        }?;
        match self.never_equal(value) {
            Some((so, reason)) if !is => write!(f, "{so}: {reason}"),
            _ => Ok(()),
        }
    }

    /// Why no such value equals the operand, after a word or two.
    fn never_equal(&self, value: &Node) -> Option<(&'static str, &'static str)> {
        let operand = &self.condition.operand;
        let is_pattern = Pattern::parse(operand).is_some();
        match (value, operand) {
            (value, _) if is_pattern && value.is_array() => {
                Some(("", "a pattern is not tried on the elements of a list"))
            }
            _ if is_pattern => Some((", as it never does", self.condition.never()?)),
            (Node::Text(_), Node::Int(_) | Node::Float(_))
            | (Node::Int(_) | Node::Float(_), Node::Text(_)) => {
                Some(("", "a number does not equal a text"))
            }
            _ => None,
        }
    }

    /// Whether the condition holds for no event of this shape: there is no such property, or none of that kind.
    pub(super) fn is_final(&self, shape: &Shape) -> bool {
        match self.seen {
            _ if self.holds != Ok(false) => false,
            Seen::BelowText => true,
            Seen::Missing => self.condition.is_absent(shape),
            Seen::Value(value) if self.condition.operator == Operator::Equal => {
                self.never_equal(value).is_some()
            }
            _ => false,
        }
    }
}

// === impl TruncatedJson ===

impl fmt::Display for TruncatedJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_string(self.0).map_err(|_| fmt::Error)?;
        let end = json.floor_char_boundary(MAX_VALUE);
        f.write_str(&escape_controls(&json[..end]))?;
        f.write_str(if end < json.len() { "…" } else { "" })
    }
}

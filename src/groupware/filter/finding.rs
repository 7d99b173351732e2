//! Describes for people what a condition found in an event.

use std::fmt;
use std::io;

use serde::Serialize;

use super::condition::{Condition, Order};
use super::fault::escape_controls;
use super::node::{Array, Node};
use super::pattern::Pattern;
use super::work::Undecidable;

/// Maximum number of bytes of a value that is quoted.
const MAX_VALUE: usize = 120;

/// A condition on a property, and the value that it found.
pub(super) struct Finding<'f> {
    pub(super) property: &'f str,
    pub(super) condition: &'f Condition<'f>,
    pub(super) seen: Seen<'f>,
    pub(super) holds: Result<bool, Undecidable>,
    /// Why the pattern of the condition never matches, if that is so.
    pub(super) never: Option<&'static str>,
}

/// The value at the end of a path.
#[derive(Clone, Copy)]
pub(super) enum Seen<'f> {
    /// Nothing: it is missing or null, or would be below what is empty or a number.
    Missing,
    /// The path leads below a text.
    BelowText,
    /// The path leads into a list with this many elements, and the condition holds for none of them.
    NoElement(usize),
    Value(&'f Node),
}

/// The JSON of a value, truncated if it is long.
struct TruncatedJson<T>(T);

// === impl Finding ===

impl fmt::Display for Finding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let property = escape_controls(self.property);
        match (self.seen, self.holds) {
            (_, Err(Undecidable(reason))) => {
                write!(f, "{property} cannot be judged here, as {reason}")
            }
            (Seen::Missing, _) => write!(f, "{property} is missing or null"),
            (Seen::BelowText, _) => {
                write!(f, "{property} would be below a text, where nothing matches")
            }
            (Seen::NoElement(count), _) => {
                write!(f, "{property} is right in no element of a list of {count}")
            }
            (Seen::Value(value), Ok(holds)) => {
                write!(f, "{property} is {}", TruncatedJson(value))?;
                self.write_wanted(f, value, holds)
            }
        }
    }
}

impl Finding<'_> {
    /// Writes how the value compares with the operand.
    fn write_wanted(&self, f: &mut fmt::Formatter<'_>, value: &Node, holds: bool) -> fmt::Result {
        let is_array = value.array().is_some();
        let not = |is: bool| if is { "" } else { " not" };
        match *self.condition {
            Condition::Exists(_) => Ok(()),
            Condition::Equal(wanted) => self.write_equal(f, value, wanted, holds),
            Condition::NotEqual(wanted) => self.write_equal(f, value, wanted, !holds),
            Condition::Ordered(order, wanted) => {
                let order = match order {
                    Order::Less => "less than",
                    Order::LessOrEqual => "at most",
                    Order::Greater => "greater than",
                    Order::GreaterOrEqual => "at least",
                };
                write!(
                    f,
                    ", which is{} {order} {}",
                    not(holds),
                    TruncatedJson(wanted)
                )
            }
            Condition::In(list) => write_in(f, is_array, list, holds),
            Condition::NotIn(list) => write_in(f, is_array, list, !holds),
            Condition::All(list) if is_array => {
                let all = if holds { "has all of" } else { "lacks some of" };
                write!(f, ", which {all} {}", TruncatedJson(list))
            }
            Condition::All(list) => {
                write!(f, ", which is{} all of {}", not(holds), TruncatedJson(list))
            }
            Condition::Mod(list) => {
                let is = if holds { "leaves" } else { "does not leave" };
                write!(f, ", which {is} the remainder of {}", TruncatedJson(list))
            }
        }
    }

    fn write_equal(
        &self,
        f: &mut fmt::Formatter<'_>,
        value: &Node,
        wanted: &Node,
        is: bool,
    ) -> fmt::Result {
        let pattern = Pattern::of(wanted);
        let wanted_json = TruncatedJson(wanted);
        match (value.array().is_some(), wanted.array().is_some()) {
            (true, true) if is => write!(f, ", which equals {wanted_json}"),
            (true, true) => write!(f, ", which does not equal {wanted_json}"),
            (true, false) if is => write!(f, ", which contains {wanted_json}"),
            (true, false) => {
                write!(f, ", which does not contain {wanted_json}")?;
                match pattern {
                    Some(_) => f.write_str(": a pattern is not tried on the elements of a list"),
                    None => Ok(()),
                }
            }
            _ if pattern.is_some() => match (is, self.never) {
                (true, _) => write!(f, ", which the pattern {wanted_json} matches"),
                (false, None) => write!(f, ", which the pattern {wanted_json} does not match"),
                (false, Some(reason)) => write!(
                    f,
                    ", which the pattern {wanted_json} does not match, as it never does: {reason}"
                ),
            },
            _ if is => Ok(()),
            _ => {
                write!(f, ", not {wanted_json}")?;
                match (value, wanted) {
                    (Node::Text(_), Node::Int(_) | Node::Float(_))
                    | (Node::Int(_) | Node::Float(_), Node::Text(_)) => {
                        f.write_str(": a number does not equal a text")
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}

fn write_in(f: &mut fmt::Formatter<'_>, is_array: bool, list: Array<'_>, is: bool) -> fmt::Result {
    let how = match (is_array, is) {
        (true, true) => "has a value of",
        (true, false) => "has no value of",
        (false, true) => "is one of",
        (false, false) => "is none of",
    };
    write!(f, ", which {how} {}", TruncatedJson(list))
}

// === impl TruncatedJson ===

impl<T: Serialize> fmt::Display for TruncatedJson<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut prefix = Prefix(Vec::with_capacity(MAX_VALUE));
        let is_whole = serde_json::to_writer(&mut prefix, &self.0).is_ok();
        // Truncation may split a character.
        let text = String::from_utf8_lossy(&prefix.0);
        f.write_str(&escape_controls(text.trim_end_matches('\u{fffd}')))?;
        f.write_str(if is_whole { "" } else { "…" })
    }
}

/// Keeps only the first bytes that are written.
struct Prefix(Vec<u8>);

// === impl Prefix ===

impl io::Write for Prefix {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(MAX_VALUE - self.0.len());
        self.0.extend_from_slice(&bytes[..taken]);
        match taken {
            0 if !bytes.is_empty() => Err(io::ErrorKind::WriteZero.into()),
            taken => Ok(taken),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

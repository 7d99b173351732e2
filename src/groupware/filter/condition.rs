//! One condition on one property, and whether it can fail on an event of a shape.

use std::sync::{Arc, OnceLock};

use super::fault::{FilterFault, member};
use super::node::Node;
use super::pattern::{Compiled, Pattern};
use super::shape::Shape;
use super::work::{Halt, Work};
use crate::labels::labels;

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

#[derive(Debug)]
pub(super) struct Condition {
    /// The path of the object that it is a member of.
    outer: Arc<str>,
    /// Its name there, unless that is its property.
    name: Option<&'static str>,
    /// A dotted path in the event.
    pub(super) property: Arc<str>,
    pub(super) operator: Operator,
    pub(super) operand: Node,
    compiled: OnceLock<Result<Compiled, Halt>>,
}

labels! {
    /// An operator below a property, except `$not`.
    pub(super) enum Operator {
        Equal = "$e",
        NotEqual = "$ne",
        Less = "$lt",
        LessOrEqual = "$lte",
        Greater = "$gt",
        GreaterOrEqual = "$gte",
        In = "$in",
        NotIn = "$nin",
        All = "$all",
        Exists = "$exists",
        Mod = "$mod",
    }
}

impl Condition {
    /// A condition with this operator, or else of equality. Fails if the operand is not one of the operator's.
    pub(super) fn new(
        outer: &Arc<str>,
        property: &Arc<str>,
        operator: Option<Operator>,
        operand: Node,
    ) -> Result<Box<Self>, FilterFault> {
        let condition = Box::new(Self {
            outer: outer.clone(),
            name: operator.map(Operator::as_str),
            property: property.clone(),
            operator: operator.unwrap_or(Operator::Equal),
            operand,
            compiled: OnceLock::new(),
        });
        let is_list = matches!(condition.operand, Node::List(_));
        let reason = match condition.operator {
            Operator::In | Operator::NotIn | Operator::All if !is_list => "must be a list",
            Operator::Mod if !is_divisor(condition.list()) => {
                "must be a list of two numbers, the first one not 0"
            }
            _ => return Ok(condition),
        };
        Err(FilterFault::at(condition.path(), reason))
    }

    /// Its path in the filter, which is made only for people: a filter has thousands of conditions.
    pub(super) fn path(&self) -> String {
        member(&self.outer, self.name.unwrap_or(&self.property))
    }

    pub(super) fn list(&self) -> &[Node] {
        match &self.operand {
            Node::List(items) => items,
            _ => &[],
        }
    }

    /// Why its evaluation on an event of this shape can fail at the server, if it can.
    pub(super) fn check(&self, shape: &Shape) -> Result<(), &'static str> {
        self.check_at(&self.property, shape)
    }

    fn check_at(&self, property: &str, shape: &Shape) -> Result<(), &'static str> {
        match shape {
            Shape::Map(map) => {
                let (name, rest) = first_name(property);
                match (map.member(name), rest) {
                    (Some(shape), Some(rest)) => self.check_at(rest, shape),
                    (Some(shape), None) => self.check_on(shape),
                    (None, _) => Ok(()),
                }
            }
            // The matcher descends into each element, but only if it is an array.
            Shape::List(item) => match &**item {
                Shape::Map(_) | Shape::List(_) => self.check_at(property, item),
                Shape::Trusted => Ok(()),
                Shape::Unknown => Err(BELOW_UNKNOWN),
                Shape::Object | Shape::TextObject | Shape::TextOrObject => Err(BELOW_OBJECTS),
                Shape::Text | Shape::Number | Shape::Bool | Shape::Scalar => Err(BELOW_TEXTS),
            },
            Shape::Object | Shape::TextObject | Shape::TextOrObject => Err(BELOW_OBJECT),
            Shape::Unknown => Err(BELOW_UNKNOWN),
            // There the matcher gives up.
            Shape::Text | Shape::Number | Shape::Bool | Shape::Scalar | Shape::Trusted => Ok(()),
        }
    }

    pub(super) fn holds_on_nothing(&self) -> bool {
        match self.operator {
            Operator::NotEqual => self.operand != Node::Null,
            Operator::NotIn => true,
            Operator::Exists => self.operand.is_falsy(),
            _ => false,
        }
    }

    fn check_on(&self, shape: &Shape) -> Result<(), &'static str> {
        match (self.operator, shape) {
            // A pattern is matched against the value as text.
            (Operator::Equal | Operator::NotEqual, _) if !is_pattern(&self.operand) => Ok(()),
            (Operator::Equal | Operator::NotEqual, Shape::Unknown) => Err(PATTERN_UNKNOWN),
            (Operator::Equal | Operator::NotEqual, _) if shape.can_be_object() => {
                Err(PATTERN_ON_OBJECT)
            }
            // Elements are compared as text.
            (Operator::In | Operator::NotIn | Operator::All, _) if self.list().is_empty() => Ok(()),
            (Operator::In | Operator::NotIn | Operator::All, Shape::Unknown) => Err(UNKNOWN),
            (Operator::In | Operator::NotIn | Operator::All, _) if shape.can_hold_object() => {
                Err(HOLDS_OBJECT)
            }
            (Operator::Mod, Shape::Number | Shape::Bool | Shape::Trusted) => Ok(()),
            (Operator::Mod, Shape::Unknown) => Err(UNKNOWN),
            (Operator::Mod, _) => Err(NO_NUMBER),
            _ => Ok(()),
        }
    }

    /// Whether no event of this shape has the property.
    pub(super) fn is_absent(&self, mut shape: &Shape) -> bool {
        for name in self.property.split('.') {
            let Shape::Map(map) = shape else {
                return false;
            };
            match map.member(name) {
                Some(below) => shape = below,
                None => return true,
            }
        }
        false
    }

    /// The compiled `pattern`, which is the operand. Only the first evaluation compiles it, and takes the steps for that.
    pub(super) fn compile(&self, pattern: Pattern<'_>, work: &Work) -> Result<&Compiled, Halt> {
        let compiled = match self.compiled.get() {
            Some(compiled) => compiled,
            None => match pattern.compile(work) {
                // That depends on the work before it.
                Err(Work::TOO_MUCH) => return Err(Work::TOO_MUCH),
                compiled => self.compiled.get_or_init(|| compiled),
            },
        };
        compiled.as_ref().map_err(|halt| *halt)
    }

    pub(super) fn never(&self) -> Option<&'static str> {
        match self.compiled.get() {
            Some(Ok(Compiled::Never(reason))) => Some(reason),
            _ => None,
        }
    }
}

/// The first name of a dotted path, and what follows it.
pub(super) fn first_name(path: &str) -> (&str, Option<&str>) {
    // Names are short: `split_once` would take longer.
    match path.bytes().position(|byte| byte == b'.') {
        Some(dot) => (&path[..dot], Some(&path[dot + 1..])),
        None => (path, None),
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
fn is_divisor(list: &[Node]) -> bool {
    let range = 1.0..9_223_372_036_854_775_808.0;
    match list {
        [Node::Bool(divisor), _] => *divisor,
        [Node::Int(divisor), _] => *divisor != 0,
        [Node::Float(divisor), _] => range.contains(&divisor.abs()),
        _ => false,
    }
}

//! The bounds that a filter implies on the size of the events that it passes.
//!
//! Only conditions that bound a value matter. Others are ignored: they pass fewer events, and no larger
//! ones.

use std::collections::BTreeMap;

use super::condition::{Condition, Order};
use super::extent::Extent;
use super::group::{Connective, Element, Group};
use super::node::{Array, Node};
use super::pattern::Pattern;
use super::shape::Shape;
use super::work::Work;

/// The maximum number of alternatives that are distinguished.
const MAX_WAYS: usize = 64;

/// The facts about the values of an event, by their paths.
pub(super) type Facts = BTreeMap<String, Fact>;

/// The facts about one value; for values in a list, about each of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    /// Its extent as a text, if it is a scalar.
    pub(super) text: Extent,
    /// The number of elements, if it is an array.
    pub(super) elements: usize,
    /// Whether it is missing or `null`.
    pub(super) is_missing: bool,
}

/// The alternatives of a filter: an event that passes satisfies one of them.
#[derive(Debug)]
pub(super) struct Ways(pub(super) Vec<Facts>);

/// Reads a filter for events of a shape.
struct Reader<'s> {
    shape: &'s Shape,
    work: Work,
}

// === impl Fact ===

impl Fact {
    pub(super) const NONE: Self = Self {
        text: Extent::ANY,
        elements: usize::MAX,
        is_missing: false,
    };

    fn and(self, other: Self) -> Self {
        Self {
            text: self.text.and(other.text),
            elements: self.elements.min(other.elements),
            is_missing: self.is_missing || other.is_missing,
        }
    }
}

// === impl Ways ===

impl Ways {
    /// The alternatives of `filter`, for events of `shape`.
    pub(super) fn through(filter: Option<Array<'_>>, shape: &Shape) -> Self {
        let reader = Reader {
            shape,
            work: Work::new(),
        };
        filter.map_or_else(Self::any, |filter| reader.group(Group::query(filter), true))
    }

    fn any() -> Self {
        Self(vec![Facts::new()])
    }

    fn and(self, other: Self) -> Self {
        if self.0.len() * other.0.len() > MAX_WAYS {
            // Knowing less is safe.
            return self;
        }
        let mut ways = Vec::with_capacity(self.0.len() * other.0.len());
        for one in &self.0 {
            for other in &other.0 {
                let mut both = one.clone();
                for (path, fact) in other {
                    let known = both.entry(path.clone()).or_insert(Fact::NONE);
                    *known = known.and(*fact);
                }
                ways.push(both);
            }
        }
        Self(ways)
    }

    fn or(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

// === impl Reader ===

impl Reader<'_> {
    /// The alternatives of a group that holds, or does not hold.
    fn group(&self, group: Group<'_>, holds: bool) -> Ways {
        let (holds, each_is_needed) = match group.connective {
            Connective::And => (holds, holds),
            Connective::Or => (holds, !holds),
            Connective::Nor => (!holds, holds),
        };
        let elements = group.array.iter();
        let ways = elements.map(|(key, value)| match group.parse(key, value) {
            Ok(Element::Group(inner)) => self.group(inner, holds),
            Ok(Element::Not(inner)) => self.group(inner, !holds),
            Ok(Element::Condition(property, condition)) => {
                self.condition(&condition, property, holds)
            }
            Err(_) => Ways::any(),
        });
        joined(ways, each_is_needed)
    }

    fn condition(&self, condition: &Condition<'_>, property: &str, holds: bool) -> Ways {
        // On a list, a condition holds if it holds for one element; if it does not, it holds for none.
        let at = shape_at(property, self.shape);
        if at.is_none() && holds {
            return Ways::any();
        }
        let known = |fact| Ways(vec![Facts::from([(property.to_owned(), fact)])]);
        let text = |text| known(Fact { text, ..Fact::NONE });
        let elements = |elements| {
            known(Fact {
                elements,
                ..Fact::NONE
            })
        };
        match *condition {
            Condition::Equal(operand) | Condition::NotEqual(operand) => {
                let equals = holds == matches!(condition, Condition::Equal(_));
                match (Pattern::of(operand), operand) {
                    (Some(pattern), _) => text(pattern.extent(equals, &self.work)),
                    (None, Node::Text(operand)) if equals => text(Extent::of_text(operand)),
                    _ if equals && operand.array().is_some_and(Array::is_empty) => elements(0),
                    _ => Ways::any(),
                }
            }
            Condition::Exists(wanted) if wanted != holds => known(Fact {
                is_missing: true,
                ..Fact::NONE
            }),
            // Arrays are compared by their length first, and an array is greater than any scalar.
            Condition::Ordered(order @ (Order::Less | Order::LessOrEqual), operand) if holds => {
                let Some(operand) = operand.array() else {
                    return Ways::any();
                };
                let is_of_arrays = matches!(at, Some(Shape::List(Shape::Map { .. })));
                let is_of_scalars = operand.iter().all(|(_, node)| node.array().is_none());
                let is_less = order == Order::Less || !operand.is_empty();
                let fewer = usize::from(is_of_arrays && is_of_scalars && is_less);
                elements(operand.len().saturating_sub(fewer))
            }
            _ => Ways::any(),
        }
    }
}

/// The conjunction or disjunction of `ways`.
fn joined(mut ways: impl Iterator<Item = Ways>, all: bool) -> Ways {
    let first = ways.next().unwrap_or_else(Ways::any);
    if all {
        ways.fold(first, Ways::and)
    } else {
        ways.fold(first, Ways::or)
    }
}

/// The shape at the end of a dotted path; `None` if it leads below a list, of which each element is
/// tested, or below an unknown shape.
fn shape_at<'s>(property: &str, shape: &'s Shape) -> Option<&'s Shape> {
    let mut shape = shape;
    for name in property.split('.') {
        match shape {
            Shape::Map { .. } => shape = shape.element(name),
            _ => return None,
        }
    }
    Some(shape)
}

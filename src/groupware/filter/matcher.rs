//! What the server's matcher makes of a filter.
//!
//! It goes through a filter as the server does: in the same order, and not beyond the point where
//! the outcome is settled. It does so for all events of a shape at once, so that each step can
//! pass, can fail to match, or both. The first step that can raise an error is the fault.
//!
//! What is wrong whatever the event is, an operator that does not exist for example, is a fault
//! also where the server does not look.

use super::condition::{Condition, OPERATORS, Outcome};
use super::fault::FilterFault;
use super::node::{Array, Key, Node};
use super::path::Path;
use super::shape::Shape;

/// How deep queries may be nested within each other.
const MAX_DEPTH: usize = 32;

/// Refuses a filter that can raise an error on an event of `shape`.
pub(super) fn check(filter: Array<'_>, shape: &Shape) -> Result<(), FilterFault> {
    query(filter, Joint::And, Some(shape), &Path::Top).map(drop)
}

/// How the elements of a query belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    And,
    Or,
    Nor,
}

/// The outcome of elements that are evaluated one after the other until one settles it.
struct Sequence<'s> {
    joint: Joint,
    /// What the next element is evaluated on; `None` if it is not evaluated.
    shape: Option<&'s Shape>,
    can_settle: bool,
}

fn query(
    query: Array<'_>,
    joint: Joint,
    shape: Option<&Shape>,
    path: &Path<'_>,
) -> Result<Outcome, FilterFault> {
    check_depth(path)?;
    if joint != Joint::And
        && !query
            .at(0)
            .is_some_and(|first| !matches!(first, Node::Null))
    {
        return Err(FilterFault::at(path, NOT_QUERIES));
    }
    let are_queries = joint != Joint::And || query.is_list();
    let mut sequence = Sequence::new(joint, shape);
    for (key, value) in query.iter() {
        let outcome = element(key, value, are_queries, sequence.shape, &path.below(key))?;
        sequence.push(outcome);
    }
    for (key, value) in query.superseded() {
        element(key, value, are_queries, None, &path.below(key))?;
    }
    Ok(sequence.outcome())
}

/// An element of a query: a logical operator, a query of its own, or a property with its
/// conditions.
fn element(
    key: Key<'_>,
    value: &Node,
    is_query: bool,
    shape: Option<&Shape>,
    path: &Path<'_>,
) -> Result<Outcome, FilterFault> {
    let array = |reason| value.array().ok_or_else(|| FilterFault::at(path, reason));
    match key {
        Key::Name("$and") => query(array(NOT_QUERY)?, Joint::And, shape, path),
        Key::Name("$or") => query(array(NOT_QUERIES)?, Joint::Or, shape, path),
        Key::Name("$nor") => query(array(NOT_QUERIES)?, Joint::Nor, shape, path),
        Key::Name("$not") => {
            let inner = query(array("must be an object")?, Joint::And, shape, path)?;
            Ok(inner.not())
        }
        Key::Name(operator) if OPERATORS.contains(&operator) => {
            let reason = "must stand below a property, not beside one";
            Err(FilterFault::at(path, reason))
        }
        Key::Name(operator) if operator.starts_with('$') => {
            Err(FilterFault::at(path, "is not an operator"))
        }
        Key::Name(property) if !is_query => match value.array() {
            Some(array) if array.is_written_as_list() => {
                let reason = "must not be a list: use {\"$in\": […]} to allow several values";
                Err(FilterFault::at(path, reason))
            }
            Some(operators) => conditions(operators, property, shape, path),
            None => condition(&Condition::equal(value), property, shape, path),
        },
        Key::Name(_) | Key::Position(_) => {
            query(array("must be an object")?, Joint::And, shape, path)
        }
    }
}

/// Operators below a property, all of which must match.
fn conditions(
    operators: Array<'_>,
    property: &str,
    shape: Option<&Shape>,
    path: &Path<'_>,
) -> Result<Outcome, FilterFault> {
    check_depth(path)?;
    let one = |key, operand: &Node, shape, path: &Path<'_>| match key {
        Key::Name("$not") => {
            let operators = operand.array();
            let operators =
                operators.ok_or_else(|| FilterFault::at(path, "must be an object of operators"))?;
            conditions(operators, property, shape, path).map(Outcome::not)
        }
        Key::Name(operator) => {
            let fault = |reason| FilterFault::at(path, reason);
            let wanted = Condition::new(operator, operand).map_err(fault)?;
            condition(&wanted, property, shape, path)
        }
        Key::Position(_) => Err(FilterFault::at(path, "is not an operator")),
    };
    let mut sequence = Sequence::new(Joint::And, shape);
    for (key, operand) in operators.iter() {
        let outcome = one(key, operand, sequence.shape, &path.below(key))?;
        sequence.push(outcome);
    }
    for (key, operand) in operators.superseded() {
        one(key, operand, None, &path.below(key))?;
    }
    Ok(sequence.outcome())
}

fn condition(
    condition: &Condition,
    property: &str,
    shape: Option<&Shape>,
    path: &Path<'_>,
) -> Result<Outcome, FilterFault> {
    match shape {
        Some(shape) => condition
            .at(property, shape)
            .map_err(|reason| FilterFault::at(path, reason)),
        None => Ok(Outcome::ANY),
    }
}

fn check_depth(path: &Path<'_>) -> Result<(), FilterFault> {
    match path.depth() > MAX_DEPTH {
        true => Err(FilterFault::at(path, "is nested too deeply")),
        false => Ok(()),
    }
}

const NOT_QUERY: &str = "must be an object or a list of objects";
const NOT_QUERIES: &str = "must be a list of objects that is not empty";

// === impl Sequence ===

impl<'s> Sequence<'s> {
    fn new(joint: Joint, shape: Option<&'s Shape>) -> Self {
        Self {
            joint,
            shape,
            can_settle: false,
        }
    }

    /// Adds the outcome of the next element.
    fn push(&mut self, element: Outcome) {
        if self.shape.is_some() {
            let (settles, goes_on) = match self.joint {
                Joint::And => (element.fail, element.pass),
                Joint::Or | Joint::Nor => (element.pass, element.fail),
            };
            self.can_settle |= settles;
            if !goes_on {
                self.shape = None;
            }
        }
    }

    fn outcome(&self) -> Outcome {
        let (settled, through) = (self.can_settle, self.shape.is_some());
        match self.joint {
            Joint::And | Joint::Nor => Outcome {
                pass: through,
                fail: settled,
            },
            Joint::Or => Outcome {
                pass: settled,
                fail: through,
            },
        }
    }
}

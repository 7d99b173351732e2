//! Evaluates a filter as the server's matcher does.
//!
//! It visits the elements of a filter in the server's order, and stops where the outcome is decided. It
//! does so for one event, or for all events of a shape at once, where each step can match, not match, or
//! both. The first step that raises an error, or can raise one, is the fault.
//!
//! An error that does not depend on the event, such as an unknown operator, is a fault even where the
//! server would not evaluate it.

use super::condition::{Condition, OPERATORS};
use super::event::Event;
use super::fault::FilterFault;
use super::node::{Array, Key, Node};
use super::outcome::{Explanation, Outcome};
use super::path::Path;
use super::shape::Shape;

/// Maximum nesting depth of queries.
const MAX_DEPTH: usize = 32;

/// The subject of an evaluation.
#[derive(Clone, Copy)]
pub(super) enum Subject<'s> {
    /// All events of this shape.
    Shape(&'s Shape),
    /// One event.
    Event(&'s Event<'s>),
}

/// Evaluates `filter` on `subject`. Fails if the server raises an error, or can raise one.
pub(super) fn evaluate(filter: Array<'_>, subject: Subject<'_>) -> Result<Outcome, FilterFault> {
    query(filter, Connective::And, Some(subject), &Path::Top)
}

/// How the elements of a query are combined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Connective {
    And,
    Or,
    Nor,
}

/// The outcome of elements that are evaluated in sequence until one decides it.
struct Sequence<'s> {
    connective: Connective,
    /// The subject of the next element; `None` if it is not evaluated.
    subject: Option<Subject<'s>>,
    can_settle: bool,
    explanation: Explanation,
}

fn query(
    query: Array<'_>,
    connective: Connective,
    subject: Option<Subject<'_>>,
    path: &Path<'_>,
) -> Result<Outcome, FilterFault> {
    check_depth(path)?;
    if connective != Connective::And
        && !query
            .at(0)
            .is_some_and(|first| !matches!(first, Node::Null))
    {
        return Err(FilterFault::at(path, NOT_QUERIES));
    }
    let are_queries = connective != Connective::And || query.is_list();
    let mut sequence = Sequence::new(connective, subject);
    for (key, value) in query.iter() {
        let outcome = element(key, value, are_queries, sequence.subject, &path.below(key))?;
        sequence.push(outcome);
    }
    for (key, value) in query.superseded() {
        element(key, value, are_queries, None, &path.below(key))?;
    }
    Ok(sequence.outcome())
}

/// An element of a query: a logical operator, a nested query, or a property with its conditions.
fn element(
    key: Key<'_>,
    value: &Node,
    is_query: bool,
    subject: Option<Subject<'_>>,
    path: &Path<'_>,
) -> Result<Outcome, FilterFault> {
    let array = |reason| value.array().ok_or_else(|| FilterFault::at(path, reason));
    match key {
        Key::Name("$and") => query(array(NOT_QUERY)?, Connective::And, subject, path),
        Key::Name("$or") => query(array(NOT_QUERIES)?, Connective::Or, subject, path),
        Key::Name("$nor") => query(array(NOT_QUERIES)?, Connective::Nor, subject, path),
        Key::Name("$not") => {
            let inner = query(array("must be an object")?, Connective::And, subject, path)?;
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
            Some(operators) => conditions(operators, property, subject, path),
            None => condition(&Condition::Equal(value), property, subject, path),
        },
        Key::Name(_) | Key::Position(_) => {
            query(array("must be an object")?, Connective::And, subject, path)
        }
    }
}

/// Operators below a property, all of which must match.
fn conditions(
    operators: Array<'_>,
    property: &str,
    subject: Option<Subject<'_>>,
    path: &Path<'_>,
) -> Result<Outcome, FilterFault> {
    check_depth(path)?;
    let one = |key, operand: &Node, subject, path: &Path<'_>| match key {
        Key::Name("$not") => {
            let operators = operand.array();
            let operators =
                operators.ok_or_else(|| FilterFault::at(path, "must be an object of operators"))?;
            conditions(operators, property, subject, path).map(Outcome::not)
        }
        Key::Name(operator) => {
            let fault = |reason| FilterFault::at(path, reason);
            let wanted = Condition::new(operator, operand).map_err(fault)?;
            condition(&wanted, property, subject, path)
        }
        Key::Position(_) => Err(FilterFault::at(path, "is not an operator")),
    };
    let mut sequence = Sequence::new(Connective::And, subject);
    for (key, operand) in operators.iter() {
        let outcome = one(key, operand, sequence.subject, &path.below(key))?;
        sequence.push(outcome);
    }
    for (key, operand) in operators.superseded() {
        one(key, operand, None, &path.below(key))?;
    }
    Ok(sequence.outcome())
}

fn condition(
    condition: &Condition<'_>,
    property: &str,
    subject: Option<Subject<'_>>,
    path: &Path<'_>,
) -> Result<Outcome, FilterFault> {
    match subject {
        Some(Subject::Shape(shape)) => condition
            .at(property, shape)
            .map_err(|reason| FilterFault::at(path, reason)),
        Some(Subject::Event(event)) => event.test(condition, property, path),
        None => Ok(Outcome::ANY),
    }
}

fn check_depth(path: &Path<'_>) -> Result<(), FilterFault> {
    if path.depth() > MAX_DEPTH {
        Err(FilterFault::at(path, "is nested too deeply"))
    } else {
        Ok(())
    }
}

const NOT_QUERY: &str = "must be an object or a list of objects";
const NOT_QUERIES: &str = "must be a list of objects that is not empty";

// === impl Sequence ===

impl<'s> Sequence<'s> {
    fn new(connective: Connective, subject: Option<Subject<'s>>) -> Self {
        Self {
            connective,
            subject,
            can_settle: false,
            explanation: Explanation::default(),
        }
    }

    /// Adds the outcome of the next element.
    fn push(&mut self, element: Outcome) {
        if self.subject.is_none() {
            return;
        }
        let (settles, goes_on) = match self.connective {
            Connective::And => (element.fail, element.pass),
            Connective::Or | Connective::Nor => (element.pass, element.fail),
        };
        match (self.can_settle, settles) {
            // Only the elements that decide the outcome, or might have, explain it.
            (false, true) => self.explanation = element.explanation,
            (true, true) if !goes_on => self.explanation = element.explanation,
            (false, false) => self.explanation.add(element.explanation),
            (true, _) => {}
        }
        self.can_settle |= settles;
        if !goes_on {
            self.subject = None;
        }
    }

    fn outcome(self) -> Outcome {
        let (settled, through) = (self.can_settle, self.subject.is_some());
        let (pass, fail) = match self.connective {
            Connective::And | Connective::Nor => (through, settled),
            Connective::Or => (settled, through),
        };
        Outcome {
            pass,
            fail,
            explanation: self.explanation,
        }
    }
}

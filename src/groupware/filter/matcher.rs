//! What the server's matcher makes of a filter.
//!
//! It goes through a filter as the server does: in the same order, and not beyond the point where
//! the outcome is settled. It does so for one event, or for all events of a shape at once, where each
//! step can pass, can fail to match, or both. The first step that raises an error, or can raise one, is
//! the fault.
//!
//! What is wrong whatever the event is, an operator that does not exist for example, is a fault
//! also where the server does not look.

use super::condition::{Condition, OPERATORS};
use super::event::Event;
use super::fault::FilterFault;
use super::node::{Array, Key, Node};
use super::outcome::{Outcome, Why};
use super::path::Path;
use super::shape::Shape;

/// How deep queries may be nested within each other.
const MAX_DEPTH: usize = 32;

/// What a filter is evaluated on.
#[derive(Clone, Copy)]
pub(super) enum Subject<'s> {
    /// All events of this shape.
    Shape(&'s Shape),
    /// One event.
    Event(&'s Event<'s>),
}

/// How the evaluation of `filter` ends on `subject`. Fails if the server raises an error, or can
/// raise one.
pub(super) fn evaluate(filter: Array<'_>, subject: Subject<'_>) -> Result<Outcome, FilterFault> {
    query(filter, Joint::And, Some(subject), &Path::Top)
}

/// How the elements of a query belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    And,
    Or,
    Nor,
}

/// The outcome of elements that are evaluated one after the other until one settles it.
struct Sequence<'s> {
    joint: Joint,
    /// What the next element is evaluated on; `None` if it is not evaluated.
    subject: Option<Subject<'s>>,
    can_settle: bool,
    why: Why,
}

fn query(
    query: Array<'_>,
    joint: Joint,
    subject: Option<Subject<'_>>,
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
    let mut sequence = Sequence::new(joint, subject);
    for (key, value) in query.iter() {
        let outcome = element(key, value, are_queries, sequence.subject, &path.below(key))?;
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
    subject: Option<Subject<'_>>,
    path: &Path<'_>,
) -> Result<Outcome, FilterFault> {
    let array = |reason| value.array().ok_or_else(|| FilterFault::at(path, reason));
    match key {
        Key::Name("$and") => query(array(NOT_QUERY)?, Joint::And, subject, path),
        Key::Name("$or") => query(array(NOT_QUERIES)?, Joint::Or, subject, path),
        Key::Name("$nor") => query(array(NOT_QUERIES)?, Joint::Nor, subject, path),
        Key::Name("$not") => {
            let inner = query(array("must be an object")?, Joint::And, subject, path)?;
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
            query(array("must be an object")?, Joint::And, subject, path)
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
    let mut sequence = Sequence::new(Joint::And, subject);
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
    match path.depth() > MAX_DEPTH {
        true => Err(FilterFault::at(path, "is nested too deeply")),
        false => Ok(()),
    }
}

const NOT_QUERY: &str = "must be an object or a list of objects";
const NOT_QUERIES: &str = "must be a list of objects that is not empty";

// === impl Sequence ===

impl<'s> Sequence<'s> {
    fn new(joint: Joint, subject: Option<Subject<'s>>) -> Self {
        Self {
            joint,
            subject,
            can_settle: false,
            why: Why::default(),
        }
    }

    /// Adds the outcome of the next element.
    fn push(&mut self, element: Outcome) {
        if self.subject.is_none() {
            return;
        }
        let (settles, goes_on) = match self.joint {
            Joint::And => (element.fail, element.pass),
            Joint::Or | Joint::Nor => (element.pass, element.fail),
        };
        match (self.can_settle, settles) {
            // What settles the outcome is all that counts, or what might have.
            (false, true) => self.why = element.why,
            (true, true) if !goes_on => self.why = element.why,
            (false, false) => self.why.add(element.why),
            (true, _) => {}
        }
        self.can_settle |= settles;
        if !goes_on {
            self.subject = None;
        }
    }

    fn outcome(self) -> Outcome {
        let (settled, through) = (self.can_settle, self.subject.is_some());
        let (pass, fail) = match self.joint {
            Joint::And | Joint::Nor => (through, settled),
            Joint::Or => (settled, through),
        };
        Outcome {
            pass,
            fail,
            why: self.why,
        }
    }
}

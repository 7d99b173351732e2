//! Evaluates a filter as the server's matcher does.
//!
//! It visits the elements of a filter in the server's order, and stops where the outcome is decided. It
//! does so for one event, or for all events of a shape at once, where each step can match, not match, or
//! both. The first step that raises an error, or can raise one, is the fault.
//!
//! An error that does not depend on the event, such as an unknown operator, is a fault even where the
//! server would not evaluate it.

use super::event::Event;
use super::fault::FilterFault;
use super::group::{Connective, Element, Group, NOT_QUERIES};
use super::node::{Array, Node};
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
    group(Group::query(filter), Some(subject), &Path::Top)
}

/// The outcome of elements that are evaluated in sequence until one decides it.
struct Sequence<'s> {
    connective: Connective,
    /// The subject of the next element; `None` if it is not evaluated.
    subject: Option<Subject<'s>>,
    can_settle: bool,
    explanation: Explanation,
}

/// Evaluates the elements of a group until one decides the outcome. The others, and those that the server
/// does not see, are only searched for faults.
fn group(
    group: Group<'_>,
    subject: Option<Subject<'_>>,
    path: &Path<'_>,
) -> Result<Outcome, FilterFault> {
    let Group {
        connective, array, ..
    } = group;
    if path.depth() > MAX_DEPTH {
        return Err(FilterFault::at(path, "is nested too deeply"));
    }
    if connective != Connective::And && matches!(array.at(0), None | Some(Node::Null)) {
        return Err(FilterFault::at(path, NOT_QUERIES));
    }
    let mut sequence = Sequence::new(connective, subject);
    for (key, value) in array.iter() {
        let element = group.parse(key, value);
        let outcome = self::element(element, sequence.subject, &path.below(key))?;
        sequence.push(outcome);
    }
    for (key, value) in array.superseded() {
        element(group.parse(key, value), None, &path.below(key))?;
    }
    Ok(sequence.outcome())
}

fn element(
    element: Result<Element<'_>, &'static str>,
    subject: Option<Subject<'_>>,
    path: &Path<'_>,
) -> Result<Outcome, FilterFault> {
    let fault = |reason| FilterFault::at(path, reason);
    match element.map_err(fault)? {
        Element::Group(inner) => group(inner, subject, path),
        Element::Not(inner) => group(inner, subject, path).map(Outcome::not),
        Element::Condition(property, condition) => match subject {
            Some(Subject::Shape(shape)) => condition.at(property, shape).map_err(fault),
            Some(Subject::Event(event)) => event.test(&condition, property, path),
            None => Ok(Outcome::ANY),
        },
    }
}

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

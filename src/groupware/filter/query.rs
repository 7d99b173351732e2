//! The grammar of a filter, and the order of its evaluation.
//!
//! A filter is parsed once, which finds the errors that do not depend on an event. Each of its conditions is then checked
//! against the shape of its events, and the whole is evaluated on one event at a time.

use std::sync::Arc;

use indexmap::IndexMap;

use super::condition::{Condition, Operator};
use super::fault::{FilterFault, escape_controls, member};
use super::finding::Finding;
use super::node::Node;
use super::shape::Shape;

const MAX_DEPTH: usize = 32;

/// Maximum number of findings that explain a verdict.
const MAX_FINDINGS: usize = 4;

const NOT_QUERIES: &str = "must be a list of objects that is not empty";

/// A filter, or a part of one.
#[derive(Debug)]
pub(super) enum Query {
    /// All of these hold. The server evaluates them in this order, up to the first that does not.
    All(Vec<Query>),
    Not(Box<Query>),
    Condition(Box<Condition>),
}

#[derive(Debug)]
pub(super) struct Verdict<'a> {
    /// `None` if it is undecidable.
    pub(super) holds: Option<bool>,
    /// What decided it, in the order of evaluation.
    pub(super) findings: Vec<Finding<'a>>,
}

#[derive(Default)]
struct Place {
    path: Arc<str>,
    depth: usize,
}

// === impl Query ===

impl Query {
    pub(super) fn parse(members: IndexMap<String, Node>) -> Result<Self, FilterFault> {
        let top = Place::default();
        Self::object_or_list(Node::Object(members), &top, "must be an object")
    }

    fn object_or_list(node: Node, at: &Place, expected: &'static str) -> Result<Self, FilterFault> {
        at.check_depth()?;
        let queries: Result<_, _> = match node {
            Node::List(items) => {
                let items = items.into_iter().enumerate();
                let query = |(position, item): (usize, Node)| {
                    let steps = [&*at.path, "[", &position.to_string(), "]"];
                    let place = at.below(escape_controls(steps.concat()));
                    Self::object_or_list(item, &place, "must be an object")
                };
                items.map(query).collect()
            }
            Node::Object(members) => {
                let mut names = members.keys().enumerate();
                let is_list = names.all(|(position, name)| {
                    name.starts_with(|first: char| first.is_ascii_digit())
                        && *name == position.to_string()
                });
                if is_list && !members.is_empty() {
                    return Err(at.fault("must not have the keys 0, 1, … of a list"));
                }
                let members = members.into_iter();
                let element = |(name, value)| Self::element(name, value, at);
                members.map(element).collect()
            }
            _ => return Err(at.fault(expected)),
        };
        queries.map(Self::All)
    }

    fn none_of(node: Node, at: &Place) -> Result<Self, FilterFault> {
        match Self::object_or_list(node, at, NOT_QUERIES)? {
            Self::All(queries) if !queries.is_empty() => {
                Ok(Self::All(queries.into_iter().map(Self::not).collect()))
            }
            _ => Err(at.fault(NOT_QUERIES)),
        }
    }

    fn element(name: String, value: Node, outer: &Place) -> Result<Self, FilterFault> {
        let at = || outer.member(&name);
        match (&*name, value) {
            ("$and", value) => {
                Self::object_or_list(value, &at(), "must be an object or a list of objects")
            }
            ("$not", value) => {
                Self::object_or_list(value, &at(), "must be an object").map(Self::not)
            }
            ("$or" | "$nor", Node::Object(_)) => Err(at().fault(NOT_QUERIES)),
            ("$or", value) => Self::none_of(value, &at()).map(Self::not),
            ("$nor", value) => Self::none_of(value, &at()),
            (operator, _) if operator.starts_with('$') => {
                Err(at().fault(match Operator::named(operator) {
                    Some(_) => "must stand below a property, not beside one",
                    None => "is not an operator",
                }))
            }
            (_, Node::List(items)) if !items.is_empty() => {
                Err(at().fault("must not be a list: use {\"$in\": […]} to allow several values"))
            }
            (_, value @ (Node::List(_) | Node::Object(_))) => {
                let at = at();
                Self::operators(&name.into(), value, &at)
            }
            (_, operand) => {
                Condition::new(&outer.path, &name.into(), None, operand).map(Self::Condition)
            }
        }
    }

    fn operators(property: &Arc<str>, node: Node, at: &Place) -> Result<Self, FilterFault> {
        at.check_depth()?;
        let members = match node {
            Node::Object(members) => members,
            Node::List(none) if none.is_empty() => IndexMap::new(),
            _ => return Err(at.fault("must be an object of operators")),
        };
        let condition = |(name, operand): (String, Node)| {
            if name == "$not" {
                return Self::operators(property, operand, &at.member(&name)).map(Self::not);
            }
            match Operator::named(&name) {
                None => Err(at.member(&name).fault("is not an operator")),
                named => Condition::new(&at.path, property, named, operand).map(Self::Condition),
            }
        };
        let conditions: Result<_, _> = members.into_iter().map(condition).collect();
        conditions.map(Self::All)
    }

    fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// Checks each condition: fails if one can raise an error at the server on an event of this shape.
    pub(super) fn check(&self, shape: &Shape) -> Result<(), FilterFault> {
        match self {
            Self::All(queries) => queries.iter().try_for_each(|query| query.check(shape)),
            Self::Not(query) => query.check(shape),
            Self::Condition(condition) => {
                condition.check(shape).map_err(|reason| FilterFault::at(condition.path(), reason))
            }
        }
    }

    /// Adds the conditions without which it never holds to `conditions`.
    pub(super) fn required<'a>(&'a self, conditions: &mut Vec<&'a Condition>) {
        match self {
            Self::All(queries) => queries.iter().for_each(|it| it.required(conditions)),
            Self::Condition(condition) => conditions.push(condition),
            Self::Not(_) => {}
        }
    }

    /// Whether it is `other`, or has it in a list under `$and`.
    pub(super) fn requires(&self, other: &Self) -> bool {
        let is_in = |member: &Self| match member {
            Self::All(list) => list.iter().any(|query| query.is_same(other)),
            _ => false,
        };
        let has_it = || matches!(self, Self::All(members) if members.iter().any(is_in));
        self.is_same(other) || has_it()
    }

    /// Whether it is the same query, but for the order of its parts.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All(own), Self::All(others)) => {
                let all_in = |some: &[Self], list: &[Self]| {
                    let mut some = some.iter();
                    some.all(|one| list.iter().any(|other| one.is_same(other)))
                };
                own.len() == others.len() && all_in(own, others) && all_in(others, own)
            }
            (Self::Not(own), Self::Not(other)) => own.is_same(other),
            (Self::Condition(own), Self::Condition(other)) => {
                own.property == other.property
                    && own.operator == other.operator
                    && own.operand == other.operand
            }
            _ => false,
        }
    }

    /// Evaluates it on one event, by the verdicts of its conditions; `test` fails if one raises an error at the server.
    pub(super) fn evaluate<'a>(
        &'a self,
        test: &mut impl FnMut(&'a Condition) -> Result<Verdict<'a>, &'static str>,
    ) -> Result<Verdict<'a>, FilterFault> {
        match self {
            Self::All(queries) => {
                let mut all = Verdict { holds: Some(true), findings: Vec::new() };
                for query in queries {
                    all = all.and(query.evaluate(test)?);
                    if all.holds == Some(false) {
                        break;
                    }
                }
                Ok(all)
            }
            Self::Not(query) => {
                let Verdict { holds, findings } = query.evaluate(test)?;
                let holds = holds.map(|holds| !holds);
                Ok(Verdict { holds, findings })
            }
            Self::Condition(condition) => {
                test(condition).map_err(|reason| FilterFault::at(condition.path(), reason))
            }
        }
    }
}

// === impl Verdict ===

impl Verdict<'_> {
    /// Both, `next` being evaluated after this one did not fail to hold.
    fn and(mut self, mut next: Self) -> Self {
        // Only what decides the verdict, or might, explains it.
        match (self.holds, next.holds) {
            (Some(true), Some(true)) => {
                self.findings.append(&mut next.findings);
                self.findings.truncate(MAX_FINDINGS);
                self
            }
            (Some(true), None) | (_, Some(false)) => next,
            _ => self,
        }
    }
}

// === impl Place ===

impl Place {
    fn member(&self, name: &str) -> Self {
        self.below(member(&self.path, name))
    }

    fn below(&self, path: String) -> Self {
        Self { path: path.into(), depth: self.depth + 1 }
    }

    fn check_depth(&self) -> Result<(), FilterFault> {
        match self.depth {
            0..=MAX_DEPTH => Ok(()),
            _ => Err(self.fault("is nested too deeply")),
        }
    }

    fn fault(&self, reason: &'static str) -> FilterFault {
        FilterFault::at(&*self.path, reason)
    }
}

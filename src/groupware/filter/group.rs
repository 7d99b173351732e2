//! The grammar of a filter: nested groups of conditions on properties.

use super::condition::{Condition, OPERATORS};
use super::node::{Array, Key, Node};

/// Elements of a filter, and how they are combined.
#[derive(Clone, Copy)]
pub(super) struct Group<'f> {
    pub(super) connective: Connective,
    pub(super) array: Array<'f>,
    keys: Keys<'f>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Connective {
    And,
    Or,
    Nor,
}

/// The meaning of the keys in a group.
#[derive(Clone, Copy)]
enum Keys<'f> {
    /// Positions of queries.
    Positions,
    Properties,
    /// Operators on this property.
    Operators(&'f str),
}

/// An element of a group.
pub(super) enum Element<'f> {
    Group(Group<'f>),
    Not(Group<'f>),
    /// A condition on a property.
    Condition(&'f str, Condition<'f>),
}

pub(super) const NOT_QUERIES: &str = "must be a list of objects that is not empty";

// === impl Group ===

impl<'f> Group<'f> {
    /// A query, or a list of them: PHP does not distinguish `{"0": x}` from `[x]`.
    pub(super) fn query(array: Array<'f>) -> Self {
        let keys = if array.is_list() {
            Keys::Positions
        } else {
            Keys::Properties
        };
        Self::new(Connective::And, keys, array)
    }

    fn new(connective: Connective, keys: Keys<'f>, array: Array<'f>) -> Self {
        Self {
            connective,
            array,
            keys,
        }
    }

    /// Parses an element. The error does not depend on the event.
    pub(super) fn parse(self, key: Key<'f>, value: &'f Node) -> Result<Element<'f>, &'static str> {
        let array = |reason| value.array().ok_or(reason);
        let query = |reason| array(reason).map(Self::query);
        let queries = |connective| {
            let array = array(NOT_QUERIES)?;
            Ok(Element::Group(Self::new(
                connective,
                Keys::Positions,
                array,
            )))
        };
        let operators =
            |property, array| Self::new(Connective::And, Keys::Operators(property), array);
        Ok(match (self.keys, key) {
            (Keys::Operators(property), Key::Name("$not")) => {
                let array = array("must be an object of operators")?;
                Element::Not(operators(property, array))
            }
            (Keys::Operators(property), Key::Name(operator)) => {
                Element::Condition(property, Condition::new(operator, value)?)
            }
            (Keys::Operators(_), Key::Position(_)) => return Err("is not an operator"),
            (_, Key::Name("$and")) => {
                Element::Group(query("must be an object or a list of objects")?)
            }
            (_, Key::Name("$or")) => return queries(Connective::Or),
            (_, Key::Name("$nor")) => return queries(Connective::Nor),
            (_, Key::Name("$not")) => Element::Not(query("must be an object")?),
            (_, Key::Name(operator)) if OPERATORS.contains(&operator) => {
                return Err("must stand below a property, not beside one");
            }
            (_, Key::Name(operator)) if operator.starts_with('$') => {
                return Err("is not an operator");
            }
            (Keys::Properties, Key::Name(property)) => match value.array() {
                Some(array) if array.is_written_as_list() => {
                    return Err("must not be a list: use {\"$in\": […]} to allow several values");
                }
                Some(array) => Element::Group(operators(property, array)),
                None => Element::Condition(property, Condition::Equal(value)),
            },
            _ => Element::Group(query("must be an object")?),
        })
    }
}

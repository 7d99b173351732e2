//! Which filters the server can evaluate without failing.

use super::fault::FilterFault;
use super::node::Node;
use super::path::Path;

/// How deep queries may be nested within each other.
const MAX_DEPTH: usize = 32;

const NOT_QUERIES: &str = "must be a list of objects that is not empty";

/// Checks members that must all match: logical operators, and properties with their conditions.
pub(super) fn check_query(members: &[(String, Node)], path: &Path<'_>) -> Result<(), FilterFault> {
    if path.depth() > MAX_DEPTH {
        return Err(FilterFault::at(path, "is nested too deeply"));
    }
    for (key, value) in members {
        let path = &Path::Key(path, key);
        match &**key {
            "$and" | "$or" | "$nor" => {
                let queries = match value {
                    Node::List(queries) if !queries.is_empty() => queries,
                    _ => return Err(FilterFault::at(path, NOT_QUERIES)),
                };
                for (position, value) in queries.iter().enumerate() {
                    let path = &Path::Position(path, position);
                    match value {
                        Node::Object(members) => check_query(members, path)?,
                        _ => return Err(FilterFault::at(path, "must be an object")),
                    }
                }
            }
            "$not" | "$e" | "$ne" | "$lt" | "$lte" | "$gt" | "$gte" | "$in" | "$nin" | "$all"
            | "$exists" | "$mod" => {
                return Err(FilterFault::at(
                    path,
                    "must stand below a property, not beside one",
                ));
            }
            operator if operator.starts_with('$') => {
                return Err(FilterFault::at(path, "is not an operator"));
            }
            field => {
                check_field(field, path)?;
                match value {
                    Node::Object(conditions) => check_conditions(conditions, path)?,
                    Node::List(items) if !items.is_empty() => {
                        return Err(FilterFault::at(
                            path,
                            "must not be a list: use {\"$in\": […]} to allow several values",
                        ));
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

/// Checks the conditions on one property: operators and their operands.
fn check_conditions(members: &[(String, Node)], path: &Path<'_>) -> Result<(), FilterFault> {
    if path.depth() > MAX_DEPTH {
        return Err(FilterFault::at(path, "is nested too deeply"));
    }
    for (operator, operand) in members {
        let path = &Path::Key(path, operator);
        match (&**operator, operand) {
            ("$e" | "$ne" | "$lt" | "$lte" | "$gt" | "$gte" | "$exists", _)
            | ("$in" | "$nin" | "$all", Node::List(_)) => {}
            ("$in" | "$nin" | "$all", _) => {
                return Err(FilterFault::at(path, "must be a list"));
            }
            ("$not", Node::Object(members)) => check_conditions(members, path)?,
            ("$not", _) => {
                return Err(FilterFault::at(path, "must be an object of operators"));
            }
            ("$mod", _) => {
                return Err(FilterFault::at(path, "is refused, as it fails on text"));
            }
            _ => return Err(FilterFault::at(path, "is not an operator")),
        }
    }
    Ok(())
}

/// Checks the dotted name of a property. The server reads a number in it as a position in a list,
/// and fails below a list of texts.
fn check_field(field: &str, path: &Path<'_>) -> Result<(), FilterFault> {
    let number = |segment: &str| {
        let digits = segment.strip_prefix('-').unwrap_or(segment);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    if field.split('.').any(number) {
        return Err(FilterFault::at(
            path,
            "must not hold a number as a key or path segment",
        ));
    }
    let below_list = |list: &str| {
        field
            .strip_prefix(list)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    if below_list("event.tagIds") || below_list("event.objectIds") {
        return Err(FilterFault::at(path, "must not lead below a list of texts"));
    }
    Ok(())
}

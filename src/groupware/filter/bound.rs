//! The maximum size of a delivery that a filter passes (docs/API.md, section 4.9).

use super::classes::EventShape;
use super::facts::{Fact, Facts, Ways};
use super::json_size::{self, of_text};
use super::shape::Shape;
use super::{EventFilter, JobLimit};

/// Maximum length of an integer, with its sign.
const INTEGER: usize = 20;
/// Maximum length of a number with a fraction and an exponent.
const FLOAT: usize = 24;
/// Maximum length of a list's index as a key, with quotation marks and a colon: PHP writes a list as an
/// object if elements were removed from it.
const KEY: usize = INTEGER + 3;

/// The size of the deliveries that a filter passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// No delivery takes more characters.
    Characters(usize),
    /// The paths of values without a bound.
    Unbounded(Vec<String>),
}

/// The values of an event that passes by one alternative of a filter.
struct Event<'f> {
    class: &'f str,
    facts: &'f Facts,
    /// The paths that are not bounded.
    unbounded: Vec<String>,
}

// === impl Bound ===

impl Bound {
    /// The bound of a job's argument, which contains the delivery.
    pub(super) fn of(shape: EventShape, filter: Option<&EventFilter>) -> Self {
        let filter = filter.map(|filter| filter.object.array());
        let mut most = 0;
        let mut unbounded: Vec<String> = Vec::new();
        let known = shape.0;
        for facts in Ways::through(filter, known.shape).0 {
            let mut event = Event {
                class: known.class,
                facts: &facts,
                unbounded: Vec::new(),
            };
            most = most.max(event.size(known.shape, "", true));
            for path in event.unbounded {
                if !unbounded.contains(&path) {
                    unbounded.push(path);
                }
            }
        }
        if unbounded.is_empty() {
            Self::Characters(most.saturating_add(json_size::AROUND))
        } else {
            Self::Unbounded(unbounded)
        }
    }

    pub(super) fn fits(&self, limit: JobLimit) -> bool {
        matches!(self, Self::Characters(most) if *most <= limit.characters())
    }
}

// === impl Event ===

impl Event<'_> {
    /// The maximum number of characters of a value at `path`, which a filter can reach or not.
    fn size(&mut self, shape: &Shape, path: &str, is_reached: bool) -> usize {
        let fact = self.facts.get(path).filter(|_| is_reached);
        let fact = fact.copied().unwrap_or(Fact::NONE);
        if fact.is_missing {
            return "null".len();
        }
        let size = match shape {
            Shape::Text if path == "event.class" && !self.class.is_empty() => {
                Some(of_text(self.class))
            }
            Shape::Text => fact.text.characters(),
            Shape::Scalar => fact.text.characters().map(|text| text.max(FLOAT)),
            Shape::Number => Some(INTEGER),
            // Such an object is written without members.
            Shape::Bool | Shape::Object => Some("false".len()),
            Shape::AtMost(most, _) => Some(*most),
            Shape::List(item) => match fact.elements {
                usize::MAX => None,
                0 => Some(2),
                count => {
                    let each = self.size(item, path, is_reached) + KEY + ",".len();
                    Some(2 + each.saturating_mul(count))
                }
            },
            Shape::Map { members, others } => {
                let mut size = 2;
                for member in *members {
                    // Paths cannot reach a name with a dot.
                    let value = match member.shape {
                        Shape::PartOf(whole) => {
                            self.size(&Shape::Text, &join(path, whole), is_reached)
                        }
                        ref shape => {
                            let is_reached = is_reached && !member.name.contains('.');
                            self.size(shape, &join(path, member.name), is_reached)
                        }
                    };
                    size += of_text(member.name) + ":,".len() + value;
                }
                // In a known class, other members are those that a later server may add.
                match others {
                    Some(Shape::Unknown | Shape::Trusted) => None,
                    _ => Some(size),
                }
            }
            Shape::PartOf(_)
            | Shape::Either(_)
            | Shape::TextObject
            | Shape::Unknown
            | Shape::Trusted => None,
        };
        match size {
            Some(size) => size.max("null".len()),
            None => {
                if !self.unbounded.iter().any(|it| it == path) {
                    self.unbounded.push(path.to_owned());
                }
                0
            }
        }
    }
}

fn join(outer: &str, name: &str) -> String {
    match outer {
        "" => name.to_owned(),
        outer => [outer, ".", name].concat(),
    }
}

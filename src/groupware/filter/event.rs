//! Evaluates the conditions of a filter on one event.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::HashSet;

use super::condition::{
    BELOW_OBJECT, BELOW_OBJECTS, BELOW_TEXTS, BELOW_UNKNOWN, Condition, HOLDS_OBJECT, NO_NUMBER,
    Order, PATTERN_ON_OBJECT,
};
use super::fault::FilterFault;
use super::finding::{Finding, Seen};
use super::node::{Array, Node};
use super::outcome::{Explanation, Outcome};
use super::path::Path;
use super::pattern::{Compiled, Pattern};
use super::shape::Shape;
use super::value::{Elements, TypedNode, Value};
use super::work::{Undecidable, Work};

/// The steps of explaining what a condition found.
const EXPLAINING: usize = 300;

/// One event, and the remaining work on it.
pub(super) struct Event<'e> {
    whole: TypedNode<'e>,
    work: Work,
}

/// The evaluation of a condition on one event.
struct Trial<'t> {
    condition: &'t Condition<'t>,
    pattern: OnceCell<Result<Compiled, Undecidable>>,
    work: &'t Work,
}

/// Why a condition has no result.
enum TrialError {
    /// The matcher raises an error.
    Fails(&'static str),
    Undecidable(Undecidable),
}

// === impl Event ===

impl<'e> Event<'e> {
    /// An event of a class with this `shape`; `whole` is everything that a filter sees.
    pub(super) fn new(whole: &'e Node, shape: &'e Shape, work: Work) -> Self {
        Self {
            whole: TypedNode::new(whole, shape),
            work,
        }
    }

    /// Evaluates `condition`, which is at `path` in the filter, on `property`. Fails if the matcher
    /// raises an error.
    pub(super) fn test(
        &self,
        condition: &Condition<'_>,
        property: &str,
        path: &Path<'_>,
    ) -> Result<Outcome, FilterFault> {
        let trial = Trial {
            condition,
            pattern: OnceCell::new(),
            work: &self.work,
        };
        let mut seen = Seen::Missing;
        let explained = self.work.spend(EXPLAINING).map_err(TrialError::from);
        let holds = explained.and_then(|()| trial.at(self.whole, property, &mut seen));
        let (outcome, holds) = match holds {
            Ok(holds) => (Outcome::of(holds), Ok(holds)),
            Err(TrialError::Undecidable(reason)) => (Outcome::ANY, Err(reason)),
            Err(TrialError::Fails(reason)) => return Err(FilterFault::at(path, reason)),
        };
        let finding = Finding {
            property,
            condition,
            seen,
            holds,
            never: trial.never(),
        };
        Ok(outcome.because(Explanation::found(path, finding.to_string())))
    }
}

// === impl Trial ===

impl<'t> Trial<'t> {
    /// Whether the condition holds at `property`, a dotted path, below `typed`.
    fn at<'e>(
        &self,
        typed: TypedNode<'e>,
        property: &str,
        seen: &mut Seen<'e>,
    ) -> Result<bool, TrialError> {
        let mut typed = typed;
        let mut rest = Some(property);
        while let Some(property) = rest {
            let value = typed.value();
            if matches!(value, Value::Unknown) {
                return Err(TrialError::Fails(BELOW_UNKNOWN));
            }
            if value.is_falsy()? {
                return Ok(self.on_nothing(seen));
            }
            match value {
                Value::Array(elements) => {
                    self.work.spend(5 + elements.len() + property.len() / 16)?;
                    // A list in PHP: each element is tested.
                    if elements.get("0").is_some() {
                        return self.at_each(elements, property, seen);
                    }
                    let (name, below) = match property.split_once('.') {
                        Some((name, below)) => (name, Some(below)),
                        None => (property, None),
                    };
                    match elements.get(name) {
                        Some(element) => (typed, rest) = (element, below),
                        None => return Ok(self.on_nothing(seen)),
                    }
                }
                // Its characters count as elements, which cannot be tested.
                Value::Text(_) => {
                    *seen = Seen::BelowText;
                    return Ok(false);
                }
                Value::Object { .. } => return Err(TrialError::Fails(BELOW_OBJECT)),
                _ => return Ok(self.on_nothing(seen)),
            }
        }
        *seen = Seen::Value(typed.node);
        self.on(typed.value())
    }

    fn on_nothing(&self, seen: &mut Seen<'_>) -> bool {
        *seen = Seen::Missing;
        self.condition.holds_on_nothing()
    }

    fn at_each<'e>(
        &self,
        elements: Elements<'e>,
        property: &str,
        seen: &mut Seen<'e>,
    ) -> Result<bool, TrialError> {
        let found = any(elements.typed_nodes().map(|element| match element.value() {
            Value::Array(_) => self.at(element, property, seen),
            Value::Object { .. } => Err(TrialError::Fails(BELOW_OBJECTS)),
            Value::Unknown => Err(TrialError::Fails(BELOW_UNKNOWN)),
            _ => Err(TrialError::Fails(BELOW_TEXTS)),
        }));
        if !matches!(found, Ok(true)) {
            *seen = Seen::NoElement(elements.len());
        }
        found
    }

    /// Whether the condition holds on a value, which is not null.
    fn on(&self, value: Value<'_>) -> Result<bool, TrialError> {
        self.work.spend(1)?;
        match *self.condition {
            Condition::Exists(wanted) => Ok(wanted),
            Condition::Equal(operand) => self.is_equal(value, operand),
            Condition::NotEqual(operand) => self.is_equal(value, operand).map(|is| !is),
            Condition::Ordered(order, operand) => {
                let operand = TypedNode::operand(operand).value();
                let found = value.compare(operand, self.work)?;
                Ok(found.is_some_and(|found| order.holds(found)))
            }
            Condition::In(list) => self.is_in(value, list),
            Condition::NotIn(list) => self.is_in(value, list).map(|is| !is),
            Condition::All(list) => match value {
                _ if list.is_empty() => Ok(false),
                Value::Array(elements) => Ok(self.shared(elements, list)? == list.len()),
                _ if list.len() == 1 => match list.at(0) {
                    Some(only) => Ok(value.is_identical(TypedNode::operand(only).value())?),
                    None => Ok(false),
                },
                _ => Ok(false),
            },
            Condition::Mod(operand) => {
                self.work.spend(value.len_of_text())?;
                let integer = |node| TypedNode::operand(node).value().integer();
                let divisor = operand.at(0).and_then(integer);
                let value = value.integer().ok_or(TrialError::Fails(NO_NUMBER))?;
                let remainder =
                    value.wrapping_rem(divisor.filter(|divisor| *divisor != 0).unwrap_or(1));
                Ok(matches!(operand.at(1), Some(Node::Int(wanted)) if *wanted == remainder))
            }
        }
    }

    /// `$e`: patterns, and elements of arrays.
    fn is_equal(&self, value: Value<'_>, operand: &Node) -> Result<bool, TrialError> {
        let wanted = TypedNode::operand(operand).value();
        match (value, wanted) {
            (Value::Array(_), Value::Array(_)) => Ok(value.equals(wanted, self.work)?),
            (Value::Array(elements), _) => any(elements
                .typed_nodes()
                .map(|element| Ok(element.value().equals(wanted, self.work)?))),
            _ => match Pattern::of(operand) {
                Some(pattern) => self.is_match(value, pattern),
                None => Ok(value.is_identical(wanted)?),
            },
        }
    }

    fn is_match(&self, value: Value<'_>, pattern: Pattern<'_>) -> Result<bool, TrialError> {
        let text = value.text()?.ok_or(TrialError::Fails(PATTERN_ON_OBJECT))?;
        self.work.spend(text.len() / 16)?;
        let compiled = self.pattern.get_or_init(|| pattern.compile(self.work));
        match compiled {
            Ok(Compiled::Never(_)) => Ok(false),
            Ok(Compiled::Matcher(matcher)) => Ok(matcher.is_match(&text, self.work)?),
            Err(reason) => Err((*reason).into()),
        }
    }

    fn is_in(&self, value: Value<'_>, list: Array<'_>) -> Result<bool, TrialError> {
        if list.is_empty() {
            return Ok(false);
        }
        if let Value::Array(elements) = value {
            return Ok(self.shared(elements, list)? > 0);
        }
        any(list.iter().map(|(_, node)| {
            let wanted = TypedNode::operand(node).value();
            Ok(value.equals(wanted, self.work)?)
        }))
    }

    /// How many elements are also in `list`, compared as text.
    fn shared(&self, elements: Elements<'_>, list: Array<'_>) -> Result<usize, TrialError> {
        self.work.spend(10 * (elements.len() + list.len()))?;
        let mut wanted = HashSet::with_capacity(list.len());
        for (_, node) in list.iter() {
            wanted.extend(TypedNode::operand(node).value().text()?);
        }
        let mut shared = 0;
        let mut undecidable = None;
        for element in elements.typed_nodes() {
            let value = element.value();
            self.work.spend(value.len_of_text() / 4)?;
            match value.text() {
                Ok(Some(text)) => shared += usize::from(wanted.contains(&text)),
                Ok(None) => return Err(TrialError::Fails(HOLDS_OBJECT)),
                Err(reason) => undecidable = undecidable.or(Some(reason)),
            }
        }
        undecidable.map_or(Ok(shared), |reason| Err(reason.into()))
    }

    /// Why the condition's pattern never matches, if that is so.
    fn never(&self) -> Option<&'static str> {
        match self.pattern.get() {
            Some(Ok(Compiled::Never(reason))) => Some(reason),
            _ => None,
        }
    }
}

/// Whether one of the `outcomes` is that it holds. One that is undecidable matters only if none holds.
fn any(outcomes: impl Iterator<Item = Result<bool, TrialError>>) -> Result<bool, TrialError> {
    let mut undecidable = None;
    for outcome in outcomes {
        match outcome {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(TrialError::Undecidable(reason)) => undecidable = undecidable.or(Some(reason)),
            Err(fails) => return Err(fails),
        }
    }
    undecidable.map_or(Ok(false), |reason| Err(reason.into()))
}

// === impl Order ===

impl Order {
    fn holds(self, found: Ordering) -> bool {
        match self {
            Self::Less => found.is_lt(),
            Self::LessOrEqual => found.is_le(),
            Self::Greater => found.is_gt(),
            Self::GreaterOrEqual => found.is_ge(),
        }
    }
}

// === impl TrialError ===

impl From<Undecidable> for TrialError {
    fn from(reason: Undecidable) -> Self {
        Self::Undecidable(reason)
    }
}

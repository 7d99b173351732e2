//! Evaluates the conditions of a filter on one event.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::condition::{
    BELOW_OBJECT, BELOW_OBJECTS, BELOW_TEXTS, BELOW_UNKNOWN, Condition, HOLDS_OBJECT, Operator,
    PATTERN_ON_OBJECT, first_name,
};
use super::finding::{Finding, Seen};
use super::node::Node;
use super::pattern::{Compiled, Pattern};
use super::query::Verdict;
use super::shape::Shape;
use super::value::{Kind, UNKNOWN, Value};
use super::work::{Halt, Work};

const EXPLAINING: usize = 300;

pub(super) struct Trial<'e> {
    whole: Value<'e>,
    work: &'e Work,
}

impl<'e> Trial<'e> {
    /// An event of a class with this `shape`; `whole` is everything that a filter sees.
    pub(super) fn new(whole: &'e Node, shape: &'e Shape, work: &'e Work) -> Self {
        Self { whole: Value::new(whole, shape), work }
    }

    /// Evaluates `condition`. The error is the one that the matcher raises.
    pub(super) fn test<'a>(&self, condition: &'a Condition) -> Result<Verdict<'a>, &'static str>
    where
        'e: 'a,
    {
        let mut seen = Seen::Missing;
        let explained = self.work.spend(EXPLAINING);
        let at = |()| self.at(condition, self.whole, &condition.property, &mut seen);
        let holds = match explained.and_then(at) {
            Ok(holds) => Ok(holds),
            Err(Halt::Undecidable(reason)) => Err(reason),
            Err(Halt::Fails(reason)) => return Err(reason),
        };
        let finding = Finding { condition, seen, holds };
        Ok(Verdict { holds: holds.ok(), findings: vec![finding] })
    }

    /// Whether the condition holds at `property`, a dotted path, below `value`.
    fn at(
        &self,
        condition: &Condition,
        mut value: Value<'e>,
        property: &str,
        seen: &mut Seen<'e>,
    ) -> Result<bool, Halt> {
        let mut rest = Some(property);
        while let Some(property) = rest {
            let kind = value.kind();
            match value.node {
                _ if kind == Kind::Unknown => return Err(Halt::Fails(BELOW_UNKNOWN)),
                _ if value.is_falsy()? => {}
                // Its characters count as elements, which cannot be tested.
                Node::Text(_) => {
                    *seen = Seen::BelowText;
                    return Ok(false);
                }
                _ if kind == Kind::Scalar => {}
                _ if kind != Kind::Array => return Err(Halt::Fails(BELOW_OBJECT)),
                _ => {
                    self.work.spend(5 + property.len() / 8)?;
                    // A list in PHP: each element is tested.
                    if value.get("0").is_some() {
                        return self.at_each(condition, value, property, seen);
                    }
                    let (name, below) = first_name(property);
                    if let Some(element) = value.get(name) {
                        (value, rest) = (element, below);
                        continue;
                    }
                }
            }
            *seen = Seen::Missing;
            return Ok(condition.holds_on_nothing());
        }
        *seen = Seen::Value(value.node);
        self.on(condition, value)
    }

    fn at_each(
        &self,
        condition: &Condition,
        list: Value<'e>,
        property: &str,
        seen: &mut Seen<'e>,
    ) -> Result<bool, Halt> {
        let found = any(list.elements().map(|element| match element.kind() {
            Kind::Array => self.at(condition, element, property, seen),
            Kind::Object | Kind::TextObject => Err(Halt::Fails(BELOW_OBJECTS)),
            Kind::Unknown => Err(Halt::Fails(BELOW_UNKNOWN)),
            Kind::Scalar => Err(Halt::Fails(BELOW_TEXTS)),
        }));
        if found != Ok(true) {
            *seen = Seen::NoElement(list.node.len());
        }
        found
    }

    /// Whether the condition holds on a value, which is not null.
    fn on(&self, condition: &Condition, value: Value<'_>) -> Result<bool, Halt> {
        self.work.spend(1)?;
        let operand = Value::operand(&condition.operand);
        let list = condition.list();
        let is_array = value.kind() == Kind::Array;
        let order = || value.compare(operand, self.work);
        match condition.operator {
            Operator::Exists => Ok(!condition.operand.is_falsy()),
            Operator::Equal => self.is_equal(condition, value),
            Operator::NotEqual => self.is_equal(condition, value).map(|is| !is),
            Operator::Less => Ok(order()?.is_some_and(Ordering::is_lt)),
            Operator::LessOrEqual => Ok(order()?.is_some_and(Ordering::is_le)),
            Operator::Greater => Ok(order()?.is_some_and(Ordering::is_gt)),
            Operator::GreaterOrEqual => Ok(order()?.is_some_and(Ordering::is_ge)),
            Operator::In => self.is_in(value, list),
            Operator::NotIn => self.is_in(value, list).map(|is| !is),
            Operator::All if list.is_empty() => Ok(false),
            Operator::All if is_array => Ok(self.shared(value, list)? == list.len()),
            Operator::All => Ok(list.len() == 1 && is_identical(value, &list[0])?),
            Operator::Mod => {
                self.work.spend(value.node.len_of_text())?;
                let divisor = Value::operand(&list[0]).integer()?;
                let remainder = value.integer()?.checked_rem(divisor).unwrap_or(0);
                Ok(list[1] == Node::Int(remainder))
            }
        }
    }

    /// `$e`: patterns, and elements of arrays.
    fn is_equal(&self, condition: &Condition, value: Value<'_>) -> Result<bool, Halt> {
        let operand = Value::operand(&condition.operand);
        if value.kind() == Kind::Array {
            return match operand.kind() {
                Kind::Array => value.equals(operand, self.work),
                _ => any(value.elements().map(|element| element.equals(operand, self.work))),
            };
        }
        let Some(pattern) = Pattern::parse(&condition.operand) else {
            return is_identical(value, &condition.operand);
        };
        let text = value.text(PATTERN_ON_OBJECT)?;
        self.work.spend(text.len() / 16)?;
        match condition.compile(pattern, self.work)? {
            Compiled::Never(_) => Ok(false),
            Compiled::Matcher(matcher) => matcher.is_match(&text, self.work),
        }
    }

    fn is_in(&self, value: Value<'_>, list: &[Node]) -> Result<bool, Halt> {
        if list.is_empty() {
            return Ok(false);
        }
        if value.kind() == Kind::Array {
            return Ok(self.shared(value, list)? > 0);
        }
        any((list.iter()).map(|node| value.equals(Value::operand(node), self.work)))
    }

    /// How many elements of an array are also in `list`, compared as text.
    fn shared(&self, array: Value<'_>, list: &[Node]) -> Result<usize, Halt> {
        self.work.spend(10 * (array.node.len() + list.len()))?;
        let text = |node| Value::operand(node).text(HOLDS_OBJECT);
        let wanted: HashSet<_> = list.iter().map(text).collect::<Result<_, _>>()?;
        let mut shared = 0;
        let mut undecidable = None;
        for element in array.elements() {
            self.work.spend(element.node.len_of_text() / 4)?;
            match element.text(HOLDS_OBJECT) {
                Ok(text) => shared += usize::from(wanted.contains(&text)),
                Err(Halt::Fails(reason)) => return Err(Halt::Fails(reason)),
                Err(reason) => undecidable = undecidable.or(Some(reason)),
            }
        }
        undecidable.map_or(Ok(shared), Err)
    }
}

fn is_identical(value: Value<'_>, operand: &Node) -> Result<bool, Halt> {
    match value.kind() {
        Kind::Scalar => Ok(value.node == operand),
        Kind::Unknown if operand.is_array() => Err(UNKNOWN),
        _ => Ok(false),
    }
}

/// Whether one of the `results` is that it holds. One that is undecidable matters only if none holds.
fn any(results: impl Iterator<Item = Result<bool, Halt>>) -> Result<bool, Halt> {
    let mut undecidable = None;
    for result in results {
        match result {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(Halt::Fails(reason)) => return Err(Halt::Fails(reason)),
            Err(reason) => undecidable = undecidable.or(Some(reason)),
        }
    }
    undecidable.map_or(Ok(false), Err)
}

//! The proof that no event that passes a bounding filter is too large for the server's job queue
//! (docs/API.md, section 4.9).
//!
//! The gateway carries only the filters (`events.json`). Here each of them is read as constraints on the
//! values of an event, and the largest event within them is measured, by what the same file says of the
//! values: `at_most` is the number of characters that the server gives a value, `part_of` names the sibling
//! text that a text is a part of.

mod encoded_length;

use std::collections::{BTreeMap, BTreeSet};

use portreeve::groupware::{JobLimit, KnownEvent};
use serde_json::{Value, json};

use self::encoded_length::EncodedLength;
use crate::event_size::php_json;

/// Maximum length of an integer, with its sign.
const INTEGER: usize = 20;
/// Maximum length of a number with a fraction and an exponent.
const FLOAT: usize = 24;
/// Maximum length of a list's index as a key, with quotation marks and a colon: PHP writes a list as an
/// object if elements were removed from it.
const KEY: usize = INTEGER + 3;
/// The rest of a job's argument: a list around the delivery, the number of the registration, and ten digits.
const AROUND: usize = "[,,\"0123456789\"]".len() + INTEGER;

/// What a filter requires of one value; of values in a list, of each of them.
#[derive(Clone, Copy)]
struct SizeConstraint {
    /// Its length as a text, if it is a scalar.
    text: EncodedLength,
    /// The number of elements, if it is an array.
    elements: usize,
    /// Whether it is missing or `null`.
    is_missing: bool,
}

/// The constraints on the values of an event, by their paths.
type Constraints = BTreeMap<String, SizeConstraint>;

/// Constraints one of which holds for each event that passes a filter.
struct Alternatives(Vec<Constraints>);

/// `events.json`.
struct Catalogue(Value);

/// The largest event of a class within constraints.
struct LargestEvent<'c> {
    catalogue: &'c Catalogue,
    class: &'c str,
    constraints: &'c Constraints,
    /// The paths of values without a bound.
    unbounded: Vec<String>,
}

/// The number of characters of a text in the job queue, including its quotation marks.
fn encoded(text: &str) -> usize {
    php_json(&json!(text)).len()
}

// === impl SizeConstraint ===

impl SizeConstraint {
    const NONE: Self = Self { text: EncodedLength::ANY, elements: usize::MAX, is_missing: false };

    fn text(text: EncodedLength) -> Self {
        Self { text, ..Self::NONE }
    }

    fn elements(elements: usize) -> Self {
        Self { elements, ..Self::NONE }
    }

    fn and(self, other: Self) -> Self {
        Self {
            text: self.text.and(other.text),
            elements: self.elements.min(other.elements),
            is_missing: self.is_missing || other.is_missing,
        }
    }

    /// What `condition` requires of a value at `path`. `None` is safe: then any value may pass.
    fn of(condition: &Value, path: &str, catalogue: &Catalogue, class: &str) -> Option<Self> {
        let in_list = catalogue.is_in_list(path, class);
        let (operator, operand) = match condition {
            Value::Object(operators) => operators.iter().next().filter(|_| operators.len() == 1)?,
            Value::String(text) if !in_list => {
                return Some(Self::text(match pattern(text) {
                    Some(hir) => EncodedLength::matching(&hir),
                    None => EncodedLength::of_text(text),
                }));
            }
            _ => return None,
        };
        match (operator.as_str(), operand) {
            // On a list, one element is enough for each of these.
            ("$ne", Value::String(text)) if !in_list => {
                Some(Self::text(EncodedLength::not_matching(&pattern(text)?)))
            }
            ("$exists", Value::Bool(false)) if !in_list => {
                Some(Self { is_missing: true, ..Self::NONE })
            }
            // No element matches.
            ("$not", inner) => {
                let text = inner["$e"].as_str()?;
                Some(Self::text(EncodedLength::not_matching(&pattern(text)?)))
            }
            // Arrays are compared by their length first, and an array is greater than any scalar.
            ("$lt" | "$lte", Value::Array(numbers)) if !in_list => {
                let is_of_objects = catalogue.is_list_of_objects(path, class);
                let is_less = operator == "$lt" || !numbers.is_empty();
                let fewer = usize::from(is_of_objects && is_less);
                let are_scalars = numbers.iter().all(Value::is_number);
                are_scalars.then(|| Self::elements(numbers.len().saturating_sub(fewer)))
            }
            _ => None,
        }
    }
}

/// The expression of a text `/…/flags`.
fn pattern(text: &str) -> Option<regex_syntax::hir::Hir> {
    let (body, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    assert!(matches!(flags, "" | "s"), "{text}");
    // `$` would also match before a last line break.
    assert!(!body.contains('$'), "{text}");
    let parser = regex_syntax::ParserBuilder::new()
        .utf8(false)
        .unicode(false)
        .dot_matches_new_line(flags == "s")
        .build()
        .parse(body);
    Some(parser.unwrap())
}

// === impl Alternatives ===

impl Alternatives {
    fn any() -> Self {
        Self(vec![Constraints::new()])
    }

    fn of(filter: &Value, catalogue: &Catalogue, class: &str) -> Self {
        let each = |list: &Value| -> Vec<Self> {
            let queries = list.as_array().into_iter().flatten();
            queries.map(|query| Self::of(query, catalogue, class)).collect()
        };
        let members = filter.as_object().unwrap().iter();
        let all = members.map(|(key, value)| match key.as_str() {
            "$and" => each(value).into_iter().fold(Self::any(), Self::and),
            "$or" => Self(each(value).into_iter().flat_map(|one| one.0).collect()),
            key if key.starts_with('$') => Self::any(),
            path => match SizeConstraint::of(value, path, catalogue, class) {
                Some(constraint) => Self(vec![Constraints::from([(path.to_owned(), constraint)])]),
                None => Self::any(),
            },
        });
        all.fold(Self::any(), Self::and)
    }

    fn and(self, other: Self) -> Self {
        let mut all = Vec::new();
        for one in &self.0 {
            for other in &other.0 {
                let mut both = one.clone();
                for (path, constraint) in other {
                    let known = both.entry(path.clone()).or_insert(SizeConstraint::NONE);
                    *known = known.and(*constraint);
                }
                all.push(both);
            }
        }
        Self(all)
    }

    /// The number of characters of the largest job within them, or the paths of values without a bound.
    fn largest(&self, catalogue: &Catalogue, class: &str) -> Result<usize, Vec<String>> {
        let mut largest = 0;
        for constraints in &self.0 {
            let mut event = LargestEvent { catalogue, class, constraints, unbounded: Vec::new() };
            let size = event.whole();
            if !event.unbounded.is_empty() {
                return Err(event.unbounded);
            }
            largest = largest.max(size + AROUND);
        }
        Ok(largest)
    }
}

// === impl Catalogue ===

impl Catalogue {
    fn read() -> Self {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/groupware/filter/events.json");
        Self(serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap())
    }

    /// The members of the event of a class, apart from its class.
    fn event(&self, class: &str) -> &Value {
        let mut events = self.0["events"].as_array().unwrap().iter();
        let event = events.find(|event| event["class"] == class).unwrap();
        &self.0["objects"][event["event"].as_str().unwrap()]
    }

    /// The object of a type `{"object": name}`.
    fn object(&self, kind: &Value) -> Option<&Value> {
        Some(&self.0["objects"][kind["object"].as_str()?])
    }

    /// The types from the outside in along a dotted path below `event`.
    fn types(&self, path: &str, class: &str) -> Vec<&Value> {
        let mut names = path.split('.');
        let mut object = match names.next() {
            Some("event") => Some(self.event(class)),
            _ => None,
        };
        let mut types = Vec::new();
        for name in names {
            let Some(members) = object.and_then(|object| object["members"].as_array()) else {
                break;
            };
            let Some(member) = members.iter().find(|member| member["name"] == name) else {
                break;
            };
            types.push(&member["type"]);
            object = self.object(&member["type"]).or_else(|| self.object(&member["type"]["list"]));
        }
        types
    }

    /// Whether a path leads below a list, each element of which is tested.
    fn is_in_list(&self, path: &str, class: &str) -> bool {
        let types = self.types(path, class);
        let outer = types.split_last().map_or(&[][..], |(_, outer)| outer);
        outer.iter().any(|kind| kind.get("list").is_some())
    }

    fn is_list_of_objects(&self, path: &str, class: &str) -> bool {
        let types = self.types(path, class);
        types.last().is_some_and(|kind| kind["list"].get("object").is_some())
    }
}

// === impl LargestEvent ===

impl LargestEvent<'_> {
    fn whole(&mut self) -> usize {
        let catalogue = self.catalogue;
        let class = encoded("class") + ":".len() + encoded(self.class);
        let event = self.object(catalogue.event(self.class), "event", true) + ",".len() + class;
        let every = &catalogue.0["every"];
        let [user, time] = ["user", "time"].map(|name| self.member(&every[name], "", true));
        encoded("event") + "{:,,}".len() + event + user + time
    }

    fn object(&mut self, object: &Value, path: &str, is_reached: bool) -> usize {
        if object["others"] == "anything" {
            self.unbounded.push(format!("{path}.*"));
        }
        let members = object["members"].as_array().unwrap().iter();
        let members = members.map(|member| self.member(member, path, is_reached) + ",".len());
        "{}".len() + members.sum::<usize>()
    }

    /// The size of a member of the value at `outer`, with its key.
    fn member(&mut self, member: &Value, outer: &str, is_reached: bool) -> usize {
        let name = member["name"].as_str().unwrap();
        let join = |name: &str| format!("{outer}{}{name}", if outer.is_empty() { "" } else { "." });
        // Paths cannot reach a name with a dot.
        let is_reached = is_reached && !name.contains('.');
        let value = match member["part_of"].as_str() {
            Some(whole) => self.value(&json!("string"), &Value::Null, &join(whole), true),
            None => self.value(&member["type"], &member["at_most"], &join(name), is_reached),
        };
        encoded(name) + ":".len() + value
    }

    fn value(&mut self, kind: &Value, at_most: &Value, path: &str, is_reached: bool) -> usize {
        let constraint = self.constraints.get(path).filter(|_| is_reached);
        let constraint = constraint.copied().unwrap_or(SizeConstraint::NONE);
        if constraint.is_missing {
            return "null".len();
        }
        let size = if let Some(object) = self.catalogue.object(kind) {
            Some(self.object(object, path, is_reached))
        } else if let Some(item) = kind.get("list") {
            match constraint.elements {
                usize::MAX => None,
                0 => Some("[]".len()),
                count => {
                    let each = self.value(item, at_most, path, is_reached) + KEY + ",".len();
                    Some("{}".len() + each * count)
                }
            }
        } else if let Some(most) = at_most.as_u64() {
            Some(most as usize)
        } else {
            match kind.as_str().unwrap() {
                "string" => constraint.text.characters(),
                "string or integer" => constraint.text.characters().map(|text| text.max(FLOAT)),
                "integer" => Some(INTEGER),
                // An opaque object is written without members.
                "boolean" | "opaque" => Some("false".len()),
                _ => None,
            }
        };
        size.unwrap_or_else(|| {
            self.unbounded.push(path.to_owned());
            0
        })
        .max("null".len())
    }
}

/// The one path in a list of queries; empty if there are several.
fn only_path(queries: &Value) -> String {
    let members = queries.as_array().unwrap().iter();
    let members = members.flat_map(|query| query.as_object().unwrap());
    let paths: BTreeSet<String> = members
        .map(|(key, value)| match key.starts_with('$') {
            true => only_path(value),
            false => key.clone(),
        })
        .collect();
    let mut paths = paths.into_iter();
    let path = paths.next().unwrap_or_default();
    if paths.next().is_some() { String::new() } else { path }
}

/// The filter without one of its parts, with the path of that part; empty for alternatives with several.
fn without_one(filter: &Value) -> Vec<(String, Value)> {
    let members = filter.as_object().unwrap();
    let mut all = Vec::new();
    for (key, value) in members {
        let mut shorter = members.clone();
        if key != "$and" {
            shorter.remove(key);
            all.push((key.clone(), Value::Object(shorter)));
            continue;
        }
        let queries = value.as_array().unwrap();
        for (at, query) in queries.iter().enumerate() {
            let parts = match query.get("$or") {
                Some(alternatives) => vec![(only_path(alternatives), json!({}))],
                None => without_one(query),
            };
            for (path, part) in parts {
                let mut queries = queries.clone();
                queries[at] = part;
                all.push((path, json!({"$and": queries})));
            }
        }
    }
    all
}

#[test]
fn api_4_9_each_bounding_filter_bounds_every_event_of_its_class() {
    let catalogue = Catalogue::read();
    let mut proved = 0;
    for class in KnownEvent::all() {
        let largest = |filter: &Value| {
            let alternatives = Alternatives::of(filter, &catalogue, class.class);
            alternatives.largest(&catalogue, class.class)
        };
        assert!(largest(&json!({})).is_err(), "{}", class.class);
        for bounding in &class.bounding_filters {
            let filter = json!(bounding.event_filter);
            let size =
                largest(&filter).unwrap_or_else(|paths| panic!("{}: {paths:?}", class.name()));
            assert!(size <= bounding.characters, "{}: {size}", class.name());
            // Each part of it is needed, so that nothing is proved by mistake. Some classes share a filter, and do not
            // have each value that it bounds.
            let fields = &class.fields;
            let weaker = without_one(&filter).into_iter();
            let has = |path: &str| path.is_empty() || fields.iter().any(|field| field.path == path);
            for (_, weaker) in weaker.filter(|(path, _)| has(path)) {
                let size = largest(&weaker);
                let is_bounded = size.as_ref().is_ok_and(|size| *size <= bounding.characters);
                assert!(!is_bounded, "{}: {size:?}: {weaker}", class.name());
            }
            proved += 1;
        }
    }
    let limits = JobLimit::ALL.len();
    assert_eq!(proved, 31 * limits - 1);
}

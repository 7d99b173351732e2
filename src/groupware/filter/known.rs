//! The known events: data recorded from servers of versions 32 and 34, or taken from their source code
//! and that of apps (Tables 2.2, Forms 5.3, Mail 5.12, Announcement center 8) if nothing was recorded.
//!
//! The data is in `events.json`. Its tables have names, to which the rows of other tables refer: an event to the object
//! that it is, to sentences and to its bounding filters; a member of an object to the object in it. What a member's
//! `at_most` and `part_of` say about its size is used only by the proof that the bounding filters bound
//! (`tests/groupware/bounding`). An event has no members beside those of its shape.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::to_raw_value;

use super::catalogue::{self, EventField};
use super::node::Node;
use super::owner::Owner;
use super::shape::{KeptText, Map, Member, Shape, kept_text};
use super::{BoundingFilter, EventFilter, JobLimit};

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let file: File = serde_json::from_str(include_str!("events.json")).expect(READ);
    let any = |others| {
        let row =
            EventRow { part_of: "server", loses: "can fail".to_owned(), ..EventRow::default() };
        file.event(&row, Vec::new(), Some(Box::new(others)))
    };
    Catalogue {
        events: file.events.iter().map(|row| file.known(row)).collect(),
        unknown: any(Shape::Unknown),
        trusted: any(Shape::Trusted),
    }
});

const READ: &str = "a test reads the whole catalogue";

struct Catalogue {
    /// Files, calendars, tags, cards, other apps.
    events: Vec<KnownEvent>,
    /// An event of a class that is not known: only class, user and time are.
    unknown: KnownEvent,
    /// The same, of a class that the operator trusts.
    trusted: KnownEvent,
}

/// A known class of events for which a webhook can be created.
///
/// ```
/// use portreeve::groupware::KnownEvent;
///
/// let created = KnownEvent::find(r"OCP\Files\Events\Node\NodeCreatedEvent").unwrap();
/// assert_eq!(created.part_of, "server");
/// let path = created.fields.iter().find(|field| field.path == "event.node.path").unwrap();
/// assert_eq!(path.kind, "string");
/// // The last part of the name is enough where it is unique.
/// assert_eq!(KnownEvent::named("NodeCreatedEvent").unwrap().class, created.class);
/// ```
#[derive(Debug, Serialize)]
pub struct KnownEvent {
    /// The full name, without a leading backslash.
    #[serde(rename = "event")]
    pub class: &'static str,
    /// `server`, or the app that raises it.
    pub part_of: &'static str,
    /// When it fires: a sentence.
    pub fires: &'static str,
    /// Whether its description is based on recorded deliveries; otherwise on the source code of the server or the app.
    pub recorded: bool,
    /// Known problems with it: sentences.
    pub known_problems: Vec<&'static str>,
    /// The fields of its events, from the outside in.
    pub fields: Vec<EventField>,
    pub(super) example: Node,
    /// Filters that pass no delivery that is too large for a server, one for each limit that has a useful one.
    pub bounding_filters: Vec<BoundingFilter>,
    /// The consequence of a delivery that is too large: the end of a sentence.
    #[serde(skip)]
    pub(super) loses: &'static str,
    #[serde(skip)]
    pub(super) shape: Shape,
    #[serde(skip)]
    pub(super) owner: Owner,
    /// That deliveries can be too large, by [`JobLimit`].
    #[serde(skip)]
    pub(super) warnings: [OnceLock<String>; JobLimit::ALL.len()],
}

// === impl KnownEvent ===

impl KnownEvent {
    /// All of them: files, calendars, tags, cards, other apps.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        CATALOGUE.events.iter()
    }

    /// The class with this full name, with or without a leading backslash.
    pub fn find(class: &str) -> Option<&'static Self> {
        let class = bare(class);
        Self::all().find(|known| known.class == class)
    }

    /// Like [`find`](Self::find), but the last part of the name is enough, in any letter case.
    pub fn named(name: &str) -> Option<&'static Self> {
        let has_name = |known: &&Self| known.name().eq_ignore_ascii_case(name);
        let mut named = Self::all().filter(has_name);
        let only = || named.next().filter(|_| named.next().is_none());
        Self::find(name).or_else(only)
    }

    /// The class that a misspelt `name` probably means: letter case does not count, nor what separates its parts, of
    /// which the last is enough, with at most two letters wrong.
    pub fn meant_by(name: &str) -> Option<&'static Self> {
        let letters = |text: &str| {
            let letters = text.chars().filter(char::is_ascii_alphanumeric);
            letters.collect::<String>().to_ascii_lowercase()
        };
        let last = letters(name.rsplit('\\').next().unwrap_or(name));
        let name = letters(name);
        let ends = Self::all().filter(|known| name.ends_with(&letters(known.name())));
        let meant = ends.max_by_key(|known| (known.name().len(), letters(known.class) == name));
        let distance = |known: &&Self| strsim::osa_distance(&last, &letters(known.name()));
        let near = || Self::all().filter(|it| distance(it) <= 2);
        meant.or_else(|| near().min_by_key(distance))
    }

    /// The last part of the full name.
    pub fn name(&self) -> &'static str {
        self.class.rsplit_once('\\').map_or(self.class, |(_, name)| name)
    }

    /// An example of the data that a filter sees and a delivery contains: a JSON object.
    pub fn example(&self) -> String {
        serde_json::to_string(&self.example).expect("JSON can always be written")
    }

    /// A filter that passes as many events of the class as possible within `limit`; `None` if there is no useful one.
    pub(super) fn bounding_filter(&self, limit: JobLimit) -> Option<&EventFilter> {
        let mut all = self.bounding_filters.iter();
        let bounding = all.find(|bounding| bounding.characters == limit.characters());
        bounding.map(|bounding| &bounding.event_filter)
    }

    pub(super) fn unknown() -> &'static Self {
        &CATALOGUE.unknown
    }

    pub(super) fn trusted() -> &'static Self {
        &CATALOGUE.trusted
    }
}

/// The name without leading backslashes, which the server drops too.
pub(super) fn bare(class: &str) -> &str {
    class.trim_start_matches('\\')
}

/// `events.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    sentences: Value,
    /// What every event has: descriptions of what happened, of the class, the user and the time.
    every: Value,
    objects: Value,
    bounding_filters: BTreeMap<String, BoundingRow>,
    events: Vec<EventRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundingRow {
    before_34: Option<Value>,
    from_34: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventRow {
    #[serde(deserialize_with = "kept_text")]
    class: KeptText,
    #[serde(deserialize_with = "kept_text")]
    part_of: KeptText,
    #[serde(deserialize_with = "kept_text")]
    fires: KeptText,
    #[serde(default)]
    recorded: bool,
    event: String,
    bounding_filters: Option<String>,
    known_problems: Vec<String>,
    loses: String,
    owner: Owner,
}

// === impl File ===

impl File {
    fn known(&self, row: &EventRow) -> KnownEvent {
        let Map { members, others } = self.read(&self.objects[&row.event]);
        self.event(row, members, others)
    }

    /// The event of a row, whose own members, besides its class, these are.
    fn event(
        &self,
        row: &EventRow,
        members: Vec<Member>,
        others: Option<Box<Shape>>,
    ) -> KnownEvent {
        let shape = self.whole(members, others);
        let named = row.bounding_filters.as_ref();
        let bounding = named.map(|name| self.bounding_filters[name].filters(&shape));
        let problems = row.known_problems.iter();
        KnownEvent {
            class: row.class,
            part_of: row.part_of,
            fires: row.fires,
            recorded: row.recorded,
            known_problems: problems.map(|name| self.sentence(name)).collect(),
            fields: catalogue::fields("", &shape),
            example: catalogue::example(row.class, &shape),
            bounding_filters: bounding.unwrap_or_default(),
            loses: self.sentence(&row.loses),
            shape,
            owner: row.owner.clone(),
            warnings: Default::default(),
        }
    }

    /// The shape of everything that a filter sees, from the members of the event.
    fn whole(&self, mut members: Vec<Member>, others: Option<Box<Shape>>) -> Shape {
        let [class, user, time] =
            ["class", "user", "time"].map(|name| self.read(&self.every[name]));
        members.push(class);
        let event = Member {
            name: "event".to_owned(),
            always: true,
            shape: Shape::Map(Map { members, others }),
            example: Node::Null,
            about: kept_text(&self.every["event"]).expect(READ),
        };
        Shape::Map(Map { members: vec![event, user, time], others: None })
    }

    fn sentence(&self, name: &str) -> &'static str {
        kept_text(&self.sentences[name]).expect(READ)
    }

    fn read<T: DeserializeOwned>(&self, value: &Value) -> T {
        serde_json::from_value(self.resolve(value)).expect(READ)
    }

    /// The same with the objects in place of their names.
    fn resolve(&self, value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|item| self.resolve(item)).collect(),
            Value::Object(members) => {
                let members = members.iter().map(|(name, member)| {
                    let object = member.as_str().filter(|_| name == "object");
                    let member = object.map_or(member, |object| &self.objects[object]);
                    (name.clone(), self.resolve(member))
                });
                Value::Object(members.collect())
            }
            plain => plain.clone(),
        }
    }
}

// === impl BoundingRow ===

impl BoundingRow {
    fn filters(&self, shape: &Shape) -> Vec<BoundingFilter> {
        let filters = [(JobLimit::Before34, &self.before_34), (JobLimit::From34, &self.from_34)];
        let filter = |(limit, filter): (JobLimit, &Option<Value>)| {
            let json = to_raw_value(filter.as_ref()?).expect(READ);
            let filter = EventFilter::of_shape(&json, shape);
            Some(BoundingFilter {
                characters: limit.characters(),
                event_filter: filter.expect(READ)?,
            })
        };
        filters.into_iter().filter_map(filter).collect()
    }
}

//! Reads `events.json`.
//!
//! Its tables have names, to which the rows of other tables refer: an event to the object that it is, to
//! sentences and to its bounding filters; a member of an object to the object in it. What a member's
//! `at_most` and `part_of` say about its size is used only by the proof that the bounding filters bound
//! (`tests/groupware/bounding`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::super::EventFilter;
use super::super::JobLimit;
use super::super::shape::{Member, Shape};
use super::KnownEvent;

static FILE: LazyLock<File> = LazyLock::new(|| {
    serde_json::from_str(include_str!("events.json")).expect("a test reads the whole file")
});

/// The consequence of a delivery of an unknown class that is too large.
const CAN_FAIL: &str = "can fail";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    sentences: Table<String>,
    every: Every,
    objects: Table<ObjectRow>,
    bounding_filters: Table<BoundingRow>,
    events: Vec<EventRow>,
}

type Table<T> = BTreeMap<String, T>;

/// What every event has.
#[derive(Deserialize)]
struct Every {
    /// The description of what happened.
    event: String,
    class: MemberRow,
    user: MemberRow,
    time: MemberRow,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ObjectRow {
    members: Vec<MemberRow>,
    /// The type of other members, if there can be any.
    others: Option<Type>,
}

#[derive(Deserialize)]
struct MemberRow {
    name: String,
    r#type: Type,
    #[serde(default)]
    always: bool,
    #[serde(default)]
    example: Value,
    about: String,
}

#[derive(Deserialize)]
enum Type {
    #[serde(rename = "string")]
    Text,
    #[serde(rename = "integer")]
    Number,
    #[serde(rename = "boolean")]
    Bool,
    #[serde(rename = "string or integer")]
    Scalar,
    #[serde(rename = "opaque")]
    Opaque,
    #[serde(rename = "entity")]
    Entity,
    #[serde(rename = "string or opaque")]
    TextOrOpaque,
    #[serde(rename = "anything")]
    Anything,
    #[serde(rename = "list")]
    List(Box<Type>),
    /// The object with this name.
    #[serde(rename = "object")]
    Object(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundingRow {
    before_34: Option<Value>,
    from_34: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EventRow {
    class: String,
    part_of: String,
    #[serde(default)]
    recorded: bool,
    fires: String,
    event: String,
    bounding_filters: Option<String>,
    known_problems: Vec<String>,
    loses: String,
}

/// The events of all known classes.
pub(super) fn events() -> Vec<KnownEvent> {
    FILE.events.iter().map(EventRow::event).collect()
}

/// An event of which only the members are known that every event has; the others are of this shape.
pub(super) fn any_event(others: Shape) -> KnownEvent {
    KnownEvent {
        class: "",
        part_of: "server",
        fires: "",
        recorded: false,
        known_problems: Vec::new(),
        loses: sentence(CAN_FAIL),
        bounding: Vec::new(),
        shape: whole(Vec::new(), Some(others)),
    }
}

/// The shape of everything that a filter sees, from the members of the event.
fn whole(mut members: Vec<Member>, others: Option<Shape>) -> Shape {
    let Every {
        event,
        class,
        user,
        time,
    } = &FILE.every;
    members.push(class.member());
    let event = Member {
        name: "event",
        always: true,
        shape: Shape::map(members, others),
        example: String::new(),
        about: event,
    };
    Shape::map(vec![event, user.member(), time.member()], None)
}

fn named<T>(table: &'static Table<T>, name: &str) -> &'static T {
    table.get(name).expect("a test reads the whole file")
}

fn sentence(name: &str) -> &'static str {
    named::<String>(&FILE.sentences, name)
}

// === impl EventRow ===

impl EventRow {
    fn event(&'static self) -> KnownEvent {
        let problems = self.known_problems.iter();
        let object = named(&FILE.objects, &self.event);
        let shape = whole(object.members(), object.others());
        let bounding = self.bounding_filters.as_ref();
        let bounding = bounding.map(|name| named(&FILE.bounding_filters, name).filters(&shape));
        KnownEvent {
            class: &self.class,
            part_of: &self.part_of,
            fires: &self.fires,
            recorded: self.recorded,
            known_problems: problems.map(|name| sentence(name)).collect(),
            loses: sentence(&self.loses),
            bounding: bounding.unwrap_or_default(),
            shape,
        }
    }
}

// === impl BoundingRow ===

impl BoundingRow {
    fn filters(&self, shape: &Shape) -> Vec<(JobLimit, EventFilter)> {
        let filters = [
            (JobLimit::Before34, &self.before_34),
            (JobLimit::From34, &self.from_34),
        ];
        let filter = |(limit, filter): (JobLimit, &Option<Value>)| {
            let filter = EventFilter::of_shape(&filter.as_ref()?.to_string(), shape);
            Some((limit, filter.expect("a test reads the whole file")?))
        };
        filters.into_iter().filter_map(filter).collect()
    }
}

// === impl ObjectRow ===

impl ObjectRow {
    fn members(&'static self) -> Vec<Member> {
        self.members.iter().map(MemberRow::member).collect()
    }

    fn others(&'static self) -> Option<Shape> {
        self.others.as_ref().map(Type::shape)
    }
}

// === impl MemberRow ===

impl MemberRow {
    fn member(&'static self) -> Member {
        Member {
            name: &self.name,
            always: self.always,
            shape: self.r#type.shape(),
            example: self.example.to_string(),
            about: &self.about,
        }
    }
}

// === impl Type ===

impl Type {
    fn shape(&'static self) -> Shape {
        match self {
            Self::Text => Shape::Text,
            Self::Number => Shape::Number,
            Self::Bool => Shape::Bool,
            Self::Scalar => Shape::Scalar,
            Self::Opaque => Shape::Object,
            Self::Entity => Shape::TextObject,
            Self::TextOrOpaque => Shape::TextOrObject,
            Self::Anything => Shape::Unknown,
            Self::List(item) => Shape::List(Box::new(item.shape())),
            Self::Object(name) => {
                let object = named(&FILE.objects, name);
                Shape::map(object.members(), object.others())
            }
        }
    }
}

//! Events of tags.

use serde_json::{Value, json};

use super::super::JobLimit;
use super::super::shape::{Member, Shape};
use super::bounding::{list, with_user};
use super::{CLASS, KnownEvent, TIME, TOO_LARGE, UNKNOWN, USER};

use Shape::{AtMost, List, Scalar, Text};

/// The id of a file or a tag, as text or number.
const ID: Shape = AtMost(22, &Scalar);

const LOSES_TAGS: &str = "the request of the user who caused the event fails, and tags can be lost that were there before";

const IDS: &str = "Ids are texts or numbers, by version, and by whether one file is tagged or several. A bare \
     value and `$in` match both.";

const TAG_EVENT: KnownEvent = KnownEvent {
    recorded: true,
    known_problems: &[IDS, TOO_LARGE],
    loses: LOSES_TAGS,
    bounding: assigned,
    shape: &ASSIGNED,
    ..UNKNOWN
};

pub(super) static CLASSES: &[KnownEvent] = &[
    KnownEvent {
        class: r"OCP\SystemTag\TagAssignedEvent",
        fires: "After a tag was put on files.",
        ..TAG_EVENT
    },
    KnownEvent {
        class: r"OCP\SystemTag\TagUnassignedEvent",
        fires: "After a tag was taken off files.",
        ..TAG_EVENT
    },
    KnownEvent {
        class: r"OCP\SystemTag\MapperEvent",
        fires: "Never.",
        known_problems: &[
            "A webhook for it can be made, and never fires: the server raises it under another name. TagAssignedEvent and TagUnassignedEvent do fire.",
        ],
        loses: LOSES_TAGS,
        shape: &event! {
            "eventType": Text, r#""OCP\\SystemTag\\ISystemTagObjectMapper::assignTags""#,
                "Whether tags were put on or taken off.";
            "objectType": Text, r#""files""#, "What was tagged.";
            "objectId": Text, r#""114""#, "The id of what was tagged.";
            "tagIds"?: List(&ID), "[1]", "The ids of the tags.";
        },
        ..UNKNOWN
    },
];

static ASSIGNED: Shape = event! {
    "objectType": Text, r#""files""#, "What was tagged: `files`, or what an app has.";
    "objectIds"?: List(&ID), r#"["114"]"#,
        "The ids of what was tagged: of files, the id that file events have. An object instead of a list, such as {\"2\": \"2112\"}, if files are added to a tag in bulk.";
    "tagIds"?: List(&ID), r#"["1"]"#, "The ids of the tags, not their names.";
};

/// Only for files: ids of other objects can be longer.
fn assigned(limit: JobLimit) -> Option<Value> {
    let (name, objects, tags) = match limit {
        JobLimit::Before34 => (80, 50, 16),
        JobLimit::From34 => (255, 500, 100),
    };
    let conditions = json!({
        "event.objectType": "files",
        "event.objectIds": list(objects),
        "event.tagIds": list(tags),
    });
    Some(with_user(name, conditions))
}

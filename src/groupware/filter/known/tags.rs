//! Events of tags.

use super::super::shape::Shape;
use super::{CLASS, EventClass, TIME, TOO_LARGE, USER, always, maybe};

use Shape::{List, Scalar, Text};

const IDS: &str = "Ids are texts or numbers, by version, and by whether one file is tagged or several. A bare \
     value and `$in` match both.";

pub(super) static CLASSES: &[EventClass] = &[
    EventClass {
        name: r"OCP\SystemTag\TagAssignedEvent",
        part_of: "server",
        fires: "After a tag was put on files.",
        recorded: true,
        problems: &[IDS, TOO_LARGE],
        shape: &ASSIGNED,
    },
    EventClass {
        name: r"OCP\SystemTag\TagUnassignedEvent",
        part_of: "server",
        fires: "After a tag was taken off files.",
        recorded: true,
        problems: &[IDS, TOO_LARGE],
        shape: &ASSIGNED,
    },
    EventClass {
        name: r"OCP\SystemTag\MapperEvent",
        part_of: "server",
        fires: "Never.",
        recorded: false,
        problems: &[
            "A webhook for it can be made, and never fires: the server raises it under another name. TagAssignedEvent and TagUnassignedEvent do fire.",
        ],
        shape: &event![
            always(
                "eventType",
                Text,
                r#""OCP\\SystemTag\\ISystemTagObjectMapper::assignTags""#,
                "Whether tags were put on or taken off."
            ),
            always("objectType", Text, r#""files""#, "What was tagged."),
            always("objectId", Text, r#""114""#, "The id of what was tagged."),
            maybe("tagIds", List(&Scalar), "[1]", "The ids of the tags.")
        ],
    },
];

static ASSIGNED: Shape = event![
    always(
        "objectType",
        Text,
        r#""files""#,
        "What was tagged: `files`, or what an app has."
    ),
    maybe(
        "objectIds",
        List(&Scalar),
        r#"["114"]"#,
        "The ids of what was tagged: of files, the id that file events have.",
    ),
    maybe(
        "tagIds",
        List(&Scalar),
        r#"["1"]"#,
        "The ids of the tags, not their names."
    ),
];

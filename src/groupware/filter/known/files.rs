//! Events of files and folders.

use serde_json::{Value, json};

use super::super::JobLimit;
use super::super::shape::{Member, Shape};
use super::bounding::{text_of_lines, with_user};
use super::{ABSTRACT, CLASS, KnownEvent, TIME, UNKNOWN, USER};

use Shape::{Number, Text};

const LOSES_DELIVERY: &str =
    "the server makes no such delivery; what the user wrote is stored all the same";
const LONG_PATHS: &str = "A long path makes a delivery too large for the server's job queue, and it is not made: docs/API.md, \
     section 4.9.";
const FOLDERS: &str = "Nothing in it tells a folder from a file.";
const OFTEN: &str = "It fires each time a file is read, by previews and the search too: a webhook for it \
     is called very often, and makes reading slower.";

const ONE_NODE_EVENT: KnownEvent = KnownEvent {
    known_problems: &[FOLDERS, LONG_PATHS],
    loses: LOSES_DELIVERY,
    bounding: one_node,
    shape: &ONE_NODE,
    ..UNKNOWN
};

const TWO_NODES_EVENT: KnownEvent = KnownEvent {
    bounding: two_nodes,
    shape: &TWO_NODES,
    ..ONE_NODE_EVENT
};

pub(super) static CLASSES: &[KnownEvent] = &[
    KnownEvent {
        class: r"OCP\Files\Events\Node\BeforeNodeCreatedEvent",
        fires: "Before a file or folder is made. It has no id yet, and its path can have a doubled slash.",
        recorded: true,
        shape: &event! {
            "node": NODE_WITHOUT_ID, "", "The file or folder.";
        },
        ..ONE_NODE_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\NodeCreatedEvent",
        fires: "After a file or folder was made. The upload of a new file raises NodeWrittenEvent, too.",
        recorded: true,
        ..ONE_NODE_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\BeforeNodeWrittenEvent",
        fires: "Before a file or folder is written. A new one has no id yet.",
        ..ONE_NODE_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\NodeWrittenEvent",
        fires: "After a file or folder was written, be it new or not.",
        recorded: true,
        ..ONE_NODE_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\BeforeNodeTouchedEvent",
        fires: "Before the time of change of a file is set. A new one has no id yet.",
        ..ONE_NODE_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\NodeTouchedEvent",
        fires: "After the time of change of a file was set.",
        ..ONE_NODE_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\BeforeNodeReadEvent",
        fires: "Before a file is read.",
        known_problems: &[OFTEN, LONG_PATHS],
        ..ONE_NODE_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\BeforeNodeDeletedEvent",
        fires: "Before a file or folder is deleted, also if it goes to the trash bin.",
        recorded: true,
        ..ONE_NODE_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\NodeDeletedEvent",
        fires: "After a file or folder was deleted, also if it went to the trash bin. It has no id any more.",
        recorded: true,
        shape: &event! {
            "node": NODE_WITHOUT_ID, "", "The file or folder.";
        },
        ..ONE_NODE_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\BeforeNodeRenamedEvent",
        fires: "Before a file or folder is renamed or moved.",
        recorded: true,
        shape: &event! {
            "source": NODE, "", SOURCE;
            "target": NODE_WITHOUT_ID, "", TARGET;
        },
        ..TWO_NODES_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\NodeRenamedEvent",
        fires: "After a file or folder was renamed or moved.",
        recorded: true,
        shape: &FROM_NOWHERE,
        ..TWO_NODES_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\BeforeNodeCopiedEvent",
        fires: "Before a file or folder is copied. What does not exist yet has no id.",
        ..TWO_NODES_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\NodeCopiedEvent",
        fires: "After a file or folder was copied.",
        recorded: true,
        ..TWO_NODES_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\AbstractNodeEvent",
        fires: "Never.",
        known_problems: &[ABSTRACT],
        ..ONE_NODE_EVENT
    },
    KnownEvent {
        class: r"OCP\Files\Events\Node\AbstractNodesEvent",
        fires: "Never.",
        known_problems: &[ABSTRACT],
        ..TWO_NODES_EVENT
    },
    KnownEvent {
        class: r"OCA\Files_Trashbin\Events\BeforeNodeRestoredEvent",
        part_of: "files_trashbin",
        fires: "Before a file or folder comes back out of the trash bin.",
        ..TWO_NODES_EVENT
    },
    KnownEvent {
        class: r"OCA\Files_Trashbin\Events\NodeRestoredEvent",
        part_of: "files_trashbin",
        fires: "After a file or folder came back out of the trash bin. The source is its path in there.",
        recorded: true,
        shape: &FROM_NOWHERE,
        ..TWO_NODES_EVENT
    },
];

static ONE_NODE: Shape = event! {
    "node": NODE, "", "The file or folder.";
};

static TWO_NODES: Shape = event! {
    "source": NODE, "", SOURCE;
    "target": NODE, "", TARGET;
};

static FROM_NOWHERE: Shape = event! {
    "source": NODE_WITHOUT_ID, "", SOURCE;
    "target": NODE, "", TARGET;
};

const SOURCE: &str = "Where it was.";
const TARGET: &str = "Where it is then.";

const NODE: Shape = Shape::map(members! {
    "id"?: Number, "114", "Its number, which stays when it is moved.";
    PATH;
});

const NODE_WITHOUT_ID: Shape = Shape::map(members! {
    PATH;
});

const PATH: Member = member!(
    "path": Text, r#""/alice/files/Notes/today.md""#,
    "Its path: the user whose files it is among, `files`, and the folders."
);

fn one_node(limit: JobLimit) -> Option<Value> {
    let (name, path) = match limit {
        JobLimit::Before34 => (128, 1_000),
        JobLimit::From34 => (255, 9_000),
    };
    Some(with_user(
        name,
        json!({"event.node.path": text_of_lines(path)}),
    ))
}

fn two_nodes(limit: JobLimit) -> Option<Value> {
    let (name, path) = match limit {
        JobLimit::Before34 => (128, 500),
        JobLimit::From34 => (255, 4_500),
    };
    let paths =
        json!({"event.source.path": text_of_lines(path), "event.target.path": text_of_lines(path)});
    Some(with_user(name, paths))
}

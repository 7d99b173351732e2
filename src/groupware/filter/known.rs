//! The shapes of the events that are known: data, recorded from servers of versions 32 and 34.
//!
//! What is missing here is absent in the event. A key with a dot cannot be reached by a path, and is
//! left out.

use super::shape::{Member, Shape};

use Shape::{Bool, Either, List, Number, Object, Scalar, Text, TextObject, Trusted, Unknown};

/// The shape of an event of `class`, which has no leading backslash; `None` if it is not known.
pub(super) fn shape(class: &str) -> Option<&'static Shape> {
    let (namespace, name) = class.rsplit_once('\\')?;
    let mut families = FAMILIES.iter();
    let family = families.find(|it| it.namespace == namespace && it.names.contains(&name))?;
    Some(family.shape)
}

/// What is known of an event that is not: its class, the user and the time. No event was seen
/// whose payload is a list instead of a map.
pub(super) static UNKNOWN: Shape = event![..&Unknown];

/// The same, of a class that an operator answers for.
pub(super) static TRUSTED: Shape = event![..&Trusted];

/// Classes whose events have the same shape.
struct Family {
    namespace: &'static str,
    names: &'static [&'static str],
    shape: &'static Shape,
}

static FAMILIES: &[Family] = &[
    Family {
        namespace: r"OCP\Files\Events\Node",
        names: &[
            "AbstractNodeEvent",
            "BeforeNodeCreatedEvent",
            "BeforeNodeDeletedEvent",
            "BeforeNodeReadEvent",
            "BeforeNodeTouchedEvent",
            "BeforeNodeWrittenEvent",
            "NodeCreatedEvent",
            "NodeDeletedEvent",
            "NodeTouchedEvent",
            "NodeWrittenEvent",
        ],
        shape: &event![always("node", NODE)],
    },
    Family {
        namespace: r"OCP\Files\Events\Node",
        names: &[
            "AbstractNodesEvent",
            "BeforeNodeCopiedEvent",
            "BeforeNodeRenamedEvent",
            "NodeCopiedEvent",
            "NodeRenamedEvent",
        ],
        shape: &NODES,
    },
    Family {
        namespace: r"OCA\Files_Trashbin\Events",
        names: &["BeforeNodeRestoredEvent", "NodeRestoredEvent"],
        shape: &NODES,
    },
    Family {
        namespace: r"OCP\Calendar\Events",
        names: &[
            "AbstractCalendarObjectEvent",
            "CalendarObjectCreatedEvent",
            "CalendarObjectDeletedEvent",
            "CalendarObjectMovedToTrashEvent",
            "CalendarObjectRestoredEvent",
            "CalendarObjectUpdatedEvent",
        ],
        shape: &event![
            always("calendarId", Number),
            maybe("calendarData", CALENDAR),
            maybe("shares", SHARES),
            maybe("objectData", ROW),
        ],
    },
    Family {
        namespace: r"OCP\Calendar\Events",
        names: &["CalendarObjectMovedEvent"],
        shape: &event![
            always("sourceCalendarId", Number),
            maybe("sourceCalendarData", CALENDAR),
            always("targetCalendarId", Number),
            maybe("targetCalendarData", CALENDAR),
            maybe("sourceShares", SHARES),
            maybe("targetShares", SHARES),
            maybe("objectData", ROW),
        ],
    },
    Family {
        namespace: r"OCP\SystemTag",
        names: &["TagAssignedEvent", "TagUnassignedEvent"],
        shape: &event![
            always("objectType", Text),
            maybe("objectIds", List(&Scalar)),
            maybe("tagIds", List(&Scalar)),
        ],
    },
    Family {
        namespace: r"OCP\SystemTag",
        names: &["MapperEvent"],
        shape: &event![
            always("eventType", Text),
            always("objectType", Text),
            always("objectId", Text),
            maybe("tagIds", List(&Scalar)),
        ],
    },
    Family {
        namespace: r"OCA\Deck\Event",
        names: &["CardCreatedEvent", "CardDeletedEvent", "CardUpdatedEvent"],
        shape: &event![always("card", CARD)],
    },
];

static NODES: Shape = event![always("source", NODE), always("target", NODE)];

/// A file or folder, which has no id before it exists and after it is deleted.
const NODE: Shape = Shape::map(&[maybe("id", Number), always("path", Text)]);

const USER: Shape = Shape::map(&[always("uid", Text), always("displayName", Text)]);

const CALENDAR: Shape = Shape::Map {
    members: &[
        maybe("id", Number),
        maybe("uri", Text),
        maybe("principaluri", Text),
        maybe(
            "{urn:ietf:params:xml:ns:caldav}supported-calendar-component-set",
            Object,
        ),
        maybe(
            "{urn:ietf:params:xml:ns:caldav}schedule-calendar-transp",
            Object,
        ),
        maybe("{DAV:}displayname", Text),
    ],
    // Columns of the database.
    others: Some(&Scalar),
};

/// Those that a calendar is shared with; none if it is not shared.
const SHARES: Shape = List(&ROW);

/// A row of the database.
const ROW: Shape = Shape::Map {
    members: &[],
    others: Some(&Scalar),
};

/// A card of the app Deck. Its entities are objects that can be made text; its owner is one that
/// cannot, or the bare user id.
const CARD: Shape = Shape::Map {
    members: &[
        maybe("id", Number),
        maybe("title", Text),
        maybe("description", Text),
        maybe("descriptionPrev", Text),
        maybe("stackId", Number),
        maybe("type", Text),
        maybe("lastModified", Number),
        maybe("lastEditor", Text),
        maybe("createdAt", Number),
        maybe("labels", List(&TextObject)),
        maybe("assignedUsers", List(&TextObject)),
        maybe("attachments", List(&TextObject)),
        maybe("attachmentCount", Number),
        maybe("owner", Either(&[Text, Object])),
        maybe("order", Number),
        maybe("archived", Bool),
        maybe("done", Text),
        maybe("duedate", Text),
        maybe("notified", Bool),
        maybe("deletedAt", Number),
        maybe("commentsUnread", Number),
        maybe("commentsCount", Number),
        maybe("relatedStack", TextObject),
        maybe("relatedBoard", TextObject),
        maybe("ETag", Text),
    ],
    others: Some(&Unknown),
};

const fn always(name: &'static str, shape: Shape) -> Member {
    Member::always(name, shape)
}

const fn maybe(name: &'static str, shape: Shape) -> Member {
    Member::maybe(name, shape)
}

/// All that a filter sees, from the members of the event that its class adds, or from the shape
/// of all of them.
macro_rules! event {
    (..$others:expr) => {
        event!(@ [always("class", Text)], Some($others))
    };
    ($($member:expr),* $(,)?) => {
        event!(@ [always("class", Text), $($member),*], None)
    };
    (@ $members:expr, $others:expr) => {
        Shape::map(&[
            always("event", Shape::Map { members: &$members, others: $others }),
            // Missing if the event was not raised in a request of a user.
            maybe("user", USER),
            always("time", Number),
        ])
    };
}
use event;

//! Events of calendars.

use serde_json::{Value, json};

use super::super::JobLimit;
use super::super::shape::{Member, Shape};
use super::bounding::{
    ascii_lines, in_no_element, lines, list, plain, text, text_of_lines, with_user,
};
use super::{ABSTRACT, CLASS, KnownEvent, LOSES_WRITE, TIME, UNKNOWN, USER};

use Shape::{AtMost, Bool, List, Number, Object, PartOf, Scalar, Text};

/// A counter of the server or a time, below 10^11, which is a text with some databases.
const COUNT: Shape = AtMost(13, &Scalar);
/// A name of one of the server's own users, which has at most 64 letters, all of them Cyrillic at worst.
const NAME: Shape = AtMost(2 + 6 * 64, &Text);

const OBJECT_EVENT: KnownEvent = KnownEvent {
    part_of: "dav",
    recorded: true,
    loses: LOSES_WRITE,
    bounding: in_calendar,
    shape: &IN_CALENDAR,
    ..UNKNOWN
};

pub(super) static CLASSES: &[KnownEvent] = &[
    KnownEvent {
        class: r"OCP\Calendar\Events\CalendarObjectCreatedEvent",
        fires: "After an event, a task or a journal was put into a calendar.",
        ..OBJECT_EVENT
    },
    KnownEvent {
        class: r"OCP\Calendar\Events\CalendarObjectUpdatedEvent",
        fires: "After an event, a task or a journal was changed.",
        ..OBJECT_EVENT
    },
    KnownEvent {
        class: r"OCP\Calendar\Events\CalendarObjectMovedEvent",
        fires: "After an event, a task or a journal was moved to another calendar.",
        bounding: between_calendars,
        shape: &BETWEEN_CALENDARS,
        ..OBJECT_EVENT
    },
    KnownEvent {
        class: r"OCP\Calendar\Events\CalendarObjectMovedToTrashEvent",
        fires: "After an event, a task or a journal was deleted, and went to the trash bin of the calendar app.",
        ..OBJECT_EVENT
    },
    KnownEvent {
        class: r"OCP\Calendar\Events\CalendarObjectRestoredEvent",
        fires: "After an event, a task or a journal came back out of the trash bin.",
        shape: &RESTORED,
        ..OBJECT_EVENT
    },
    KnownEvent {
        class: r"OCP\Calendar\Events\CalendarObjectDeletedEvent",
        fires: "After an event, a task or a journal was deleted for good: out of the trash bin, or where there is none.",
        ..OBJECT_EVENT
    },
    KnownEvent {
        class: r"OCP\Calendar\Events\AbstractCalendarObjectEvent",
        part_of: "dav",
        fires: "Never.",
        known_problems: &[ABSTRACT],
        loses: LOSES_WRITE,
        shape: &IN_CALENDAR,
        ..UNKNOWN
    },
];

static IN_CALENDAR: Shape = event! {
    "calendarId": Number, "4", "The number of the calendar.";
    "calendarData"?: CALENDAR, "", "The calendar.";
    "shares"?: SHARES, "[]", "With whom the calendar is shared.";
    OBJECT_DATA;
};

static RESTORED: Shape = event! {
    "calendarId": Number, "4", "The number of the calendar.";
    "calendarData"?: CALENDAR, "", "The calendar.";
    "shares"?: SHARES, "[]", "With whom the calendar is shared.";
    Member { shape: RESTORED_OBJECT, ..OBJECT_DATA };
};

static BETWEEN_CALENDARS: Shape = event! {
    "sourceCalendarId": Number, "4", "The number of the calendar it was in.";
    "sourceCalendarData"?: CALENDAR, "", "The calendar it was in.";
    "targetCalendarId": Number, "5", "The number of the calendar it is in.";
    "targetCalendarData"?: CALENDAR, "", "The calendar it is in.";
    "sourceShares"?: SHARES, "[]", "With whom the calendar it was in is shared.";
    "targetShares"?: SHARES, "[]", "With whom the calendar it is in is shared.";
    Member { shape: MOVED_OBJECT, ..OBJECT_DATA };
};

const CALENDAR: Shape = Shape::Map {
    members: members! {
        "id"?: Number, "4", "Its number.";
        "uri"?: Text, r#""personal""#, "Its name in addresses.";
        "principaluri"?: Text, r#""principals/users/alice""#, "Whose it is.";
        "{http://calendarserver.org/ns/}getctag"?: AtMost(60, &Text), r#""http://sabre.io/ns/sync/9""#,
            "Its state, as text.";
        "{http://sabredav.org/ns}sync-token"?: COUNT, "9", "Its state, which counts up.";
        "{urn:ietf:params:xml:ns:caldav}supported-calendar-component-set"?: Object, "[]",
            "What it may hold. The delivery has an empty list in its place.";
        "{urn:ietf:params:xml:ns:caldav}schedule-calendar-transp"?: Object, "[]",
            "Whether it makes its owner busy. The delivery has an empty list in its place.";
        "{DAV:}displayname"?: Text, r#""Personal""#, "The name that people see.";
        "{urn:ietf:params:xml:ns:caldav}calendar-description"?: Text, "null",
            "What its owner says of it.";
        "{urn:ietf:params:xml:ns:caldav}calendar-timezone"?: Text, "null", "Its time zone.";
        "{http://apple.com/ns/ical/}calendar-order"?: COUNT, "0", "Its place among the calendars.";
        // Of the forms that calendar apps write, the longest takes eleven.
        "{http://apple.com/ns/ical/}calendar-color"?:
            AtMost(66, &Text), r##""#00679e""##,
            "Its colour.";
        TRASHED_AT;
        "{http://nextcloud.com/ns}default-alarm-part-day"?: COUNT, "null",
            "The alarm of new events that have a time. Newer servers have it.";
        "{http://nextcloud.com/ns}default-alarm-full-day"?: COUNT, "null",
            "The alarm of new events of a whole day. Newer servers have it.";
        "{http://nextcloud.com/ns}owner-displayname"?: NAME, r#""Alice Example""#,
            "The name of its owner that people see.";
    },
    // Columns of the database.
    others: Some(&Scalar),
};

/// Empty if the calendar is not shared.
const SHARES: Shape = List(&Shape::Map {
    members: members! {
        "href"?: Text, r#""principal:principals/users/bob""#, "With whom.";
        "commonName"?: Text, r#""Bob""#, "Their name.";
        "status"?: COUNT, "1", "Always 1.";
        "readOnly"?: Bool, "true", "Whether they may only read.";
        "{http://owncloud.org/ns}principal"?: PartOf("href"), r#""principals/users/bob""#,
            "With whom.";
        "{http://owncloud.org/ns}group-share"?: Bool, "false", "Whether that is a group.";
    },
    others: Some(&Scalar),
});

const OBJECT_DATA: Member = member!("objectData"?: OBJECT, "", "The event, task or journal.");

const OBJECT: Shape = Shape::Map {
    members: members! {
        ID;
        URI;
        "uid"?: Text, r#""lunch-1""#, "The UID of the iCalendar text.";
        LAST_MODIFIED;
        ETAG;
        CALENDAR_ID;
        SIZE;
        ICALENDAR;
        COMPONENT;
        CLASSIFICATION;
        TRASHED_AT;
    },
    others: Some(&Scalar),
};

const MOVED_OBJECT: Shape = Shape::Map {
    members: members! {
        ID;
        URI;
        LAST_MODIFIED;
        ETAG;
        Member { example: "5", ..CALENDAR_ID };
        "calendaruri"?: Text, r#""work""#, "The name of its calendar in addresses.";
        SIZE;
        ICALENDAR;
        COMPONENT;
        CLASSIFICATION;
        DELETED_AT;
    },
    others: Some(&Scalar),
};

const RESTORED_OBJECT: Shape = Shape::Map {
    members: members! {
        ICALENDAR;
        URI;
        CALENDAR_ID;
        "calendartype"?: COUNT, "0", "0, a calendar of a user.";
        "component"?: AtMost(11, &Text), r#""VEVENT""#,
            "What it is: `VEVENT`, `VTODO` or `VJOURNAL`, in capitals here.";
    },
    others: Some(&Scalar),
};

const ID: Member = member!("id"?: Number, "3", "Its number.");
const URI: Member = member!("uri"?: Text, r#""lunch.ics""#, "Its name in addresses.");
const LAST_MODIFIED: Member = member!(
    "lastmodified"?: COUNT, "1767348000", "When it was changed, in seconds since 1970."
);
const ETAG: Member = member!(
    "etag"?: AtMost(40, &Text), r#""\"4f678a08\"""#, "Its version, in quotation marks."
);
const CALENDAR_ID: Member = member!("calendarid"?: COUNT, "4", "The number of its calendar.");
const SIZE: Member = member!("size"?: COUNT, "194", "The bytes of the iCalendar text.");
const ICALENDAR: Member = member!(
    "calendardata"?: Text, r#""BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example//EN\r\nBEGIN:VEVENT\r\nUID:lunch-1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260102T100000Z\r\nDTEND:20260102T110000Z\r\nSUMMARY:Lunch\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n""#,
    "The iCalendar text."
);
const COMPONENT: Member = member!(
    "component"?: AtMost(11, &Text), r#""vevent""#, "What it is: `vevent`, `vtodo` or `vjournal`."
);
const CLASSIFICATION: Member = member!(
    "classification"?: COUNT, "0",
    "Who may see it: 0 all that may see the calendar, 1 nobody else, 2 only that there is something."
);
const TRASHED_AT: Member = member!(
    "{http://nextcloud.com/ns}deleted-at"?: COUNT, "null",
    "When it was put into the trash bin, in seconds since 1970."
);
/// In place of [`TRASHED_AT`] if the object was moved.
const DELETED_AT: Member = Member {
    name: "deleted_at",
    ..TRASHED_AT
};

/// Two members of a calendar, its colour and the name of its owner, have a dot in their names, so that
/// no filter reaches them.
fn in_calendar(limit: JobLimit) -> Option<Value> {
    let data = match limit {
        JobLimit::Before34 => json!([{DATA: text_of_lines(400)}, lines(DATA, (1_000, 140, 60))]),
        JobLimit::From34 => json!([{DATA: text_of_lines(5_000)}, {DATA: ascii_lines(7_500)}]),
    };
    Some(json!({"$and": [
        object(limit),
        calendar("event.calendarData", limit),
        shares("event.shares", limit, 10),
        {"$or": data},
    ]}))
}

fn between_calendars(limit: JobLimit) -> Option<Value> {
    match limit {
        // The names of two calendars leave no room for more.
        JobLimit::Before34 => None,
        JobLimit::From34 => Some(json!({"$and": [
            object(limit),
            calendar("event.sourceCalendarData", limit),
            calendar("event.targetCalendarData", limit),
            shares("event.sourceShares", limit, 3),
            shares("event.targetShares", limit, 3),
            {"event.objectData.calendaruri": plain(255)},
            {"$or": [{DATA: text_of_lines(3_500)}, {DATA: ascii_lines(5_250)}]},
        ]})),
    }
}

const DATA: &str = "event.objectData.calendardata";

/// Bounds on the user, and on the names of the object.
fn object(limit: JobLimit) -> Value {
    let (display_name, name) = match limit {
        JobLimit::Before34 => (80, 120),
        JobLimit::From34 => (255, 255),
    };
    with_user(
        display_name,
        json!({"event.objectData.uri": plain(name), "event.objectData.uid": plain(name)}),
    )
}

fn calendar(path: &str, limit: JobLimit) -> Value {
    let at = |name: &str| format!("{path}.{name}");
    let caldav = |name: &str| at(&format!("{{urn:ietf:params:xml:ns:caldav}}{name}"));
    let none = || json!({"$exists": false});
    let (uri, name, description, time_zone) = match limit {
        JobLimit::Before34 => (64, text(80), none(), none()),
        JobLimit::From34 => (255, text(255), text_of_lines(255), ascii_lines(1_000)),
    };
    json!({
        at("principaluri"): r"/\Aprincipals\/[a-z-]{1,20}\/[ !#-.0-\[\]-~]{1,64}\z/",
        at("uri"): plain(uri),
        at("{DAV:}displayname"): name,
        caldav("calendar-description"): description,
        caldav("calendar-timezone"): time_zone,
    })
}

/// Bounds on the number of shares from Nextcloud 34 on, and on the names in them.
fn shares(path: &str, limit: JobLimit, most: usize) -> Value {
    match limit {
        JobLimit::Before34 => json!({path: list(0)}),
        JobLimit::From34 => json!({
            path: list(most),
            format!("{path}.href"): in_no_element(r"[^ !#-\[\]-~]", 100),
            format!("{path}.commonName"): in_no_element(r"[\x00-\x1f]", 100),
        }),
    }
}

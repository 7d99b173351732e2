//! Events of calendars.

use serde_json::{Value, json};

use super::super::JobLimit;
use super::super::shape::Shape;
use super::bounding::{
    ascii_lines, in_no_element, lines, list, nothing, plain, text, text_of_lines, with_user,
};
use super::{ABSTRACT, CLASS, EventClass, LOSES_WRITE, TIME, TOO_LARGE, USER, always, maybe};

use Shape::{AtMost, Bool, List, Number, Object, PartOf, Scalar, Text};

/// A counter of the server or a time, below 10^11, which is a text with some databases.
const COUNT: Shape = AtMost(13, &Scalar);
/// A name of one of the server's own users, which has at most 64 letters, all of them Cyrillic at worst.
const NAME: Shape = AtMost(2 + 6 * 64, &Text);

pub(super) static CLASSES: &[EventClass] = &[
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectCreatedEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal was put into a calendar.",
        recorded: true,
        problems: &[TOO_LARGE],
        loses: LOSES_WRITE,
        bounding: in_calendar,
        shape: &IN_CALENDAR,
    },
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectUpdatedEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal was changed.",
        recorded: true,
        problems: &[TOO_LARGE],
        loses: LOSES_WRITE,
        bounding: in_calendar,
        shape: &IN_CALENDAR,
    },
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectMovedEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal was moved to another calendar.",
        recorded: true,
        problems: &[TOO_LARGE],
        loses: LOSES_WRITE,
        bounding: between_calendars,
        shape: &BETWEEN_CALENDARS,
    },
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectMovedToTrashEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal was deleted, and went to the trash bin of the calendar app.",
        recorded: true,
        problems: &[TOO_LARGE],
        loses: LOSES_WRITE,
        bounding: in_calendar,
        shape: &IN_CALENDAR,
    },
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectRestoredEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal came back out of the trash bin.",
        recorded: true,
        problems: &[TOO_LARGE],
        loses: LOSES_WRITE,
        bounding: in_calendar,
        shape: &RESTORED,
    },
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectDeletedEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal was deleted for good: out of the trash bin, or where there is none.",
        recorded: true,
        problems: &[TOO_LARGE],
        loses: LOSES_WRITE,
        bounding: in_calendar,
        shape: &IN_CALENDAR,
    },
    EventClass {
        name: r"OCP\Calendar\Events\AbstractCalendarObjectEvent",
        part_of: "dav",
        fires: "Never.",
        recorded: false,
        problems: &[ABSTRACT],
        loses: LOSES_WRITE,
        bounding: nothing,
        shape: &IN_CALENDAR,
    },
];

static IN_CALENDAR: Shape = event![
    always("calendarId", Number, "4", "The number of the calendar."),
    maybe("calendarData", CALENDAR, "", "The calendar."),
    maybe("shares", SHARES, "[]", "With whom the calendar is shared."),
    maybe("objectData", OBJECT, "", "The event, task or journal."),
];

static RESTORED: Shape = event![
    always("calendarId", Number, "4", "The number of the calendar."),
    maybe("calendarData", CALENDAR, "", "The calendar."),
    maybe("shares", SHARES, "[]", "With whom the calendar is shared."),
    maybe(
        "objectData",
        RESTORED_OBJECT,
        "",
        "The event, task or journal."
    ),
];

static BETWEEN_CALENDARS: Shape = event![
    always(
        "sourceCalendarId",
        Number,
        "4",
        "The number of the calendar it was in."
    ),
    maybe(
        "sourceCalendarData",
        CALENDAR,
        "",
        "The calendar it was in."
    ),
    always(
        "targetCalendarId",
        Number,
        "5",
        "The number of the calendar it is in."
    ),
    maybe("targetCalendarData", CALENDAR, "", "The calendar it is in."),
    maybe(
        "sourceShares",
        SHARES,
        "[]",
        "With whom the calendar it was in is shared."
    ),
    maybe(
        "targetShares",
        SHARES,
        "[]",
        "With whom the calendar it is in is shared."
    ),
    maybe(
        "objectData",
        MOVED_OBJECT,
        "",
        "The event, task or journal."
    ),
];

const CALENDAR: Shape = Shape::Map {
    members: &[
        maybe("id", Number, "4", "Its number."),
        maybe("uri", Text, r#""personal""#, "Its name in addresses."),
        maybe(
            "principaluri",
            Text,
            r#""principals/users/alice""#,
            "Whose it is.",
        ),
        maybe(
            "{http://calendarserver.org/ns/}getctag",
            AtMost(60, &Text),
            r#""http://sabre.io/ns/sync/9""#,
            "Its state, as text.",
        ),
        maybe(
            "{http://sabredav.org/ns}sync-token",
            COUNT,
            "9",
            "Its state, which counts up.",
        ),
        maybe(
            "{urn:ietf:params:xml:ns:caldav}supported-calendar-component-set",
            Object,
            "[]",
            "What it may hold. The delivery has an empty list in its place.",
        ),
        maybe(
            "{urn:ietf:params:xml:ns:caldav}schedule-calendar-transp",
            Object,
            "[]",
            "Whether it makes its owner busy. The delivery has an empty list in its place.",
        ),
        maybe(
            "{DAV:}displayname",
            Text,
            r#""Personal""#,
            "The name that people see.",
        ),
        maybe(
            "{urn:ietf:params:xml:ns:caldav}calendar-description",
            Text,
            "null",
            "What its owner says of it.",
        ),
        maybe(
            "{urn:ietf:params:xml:ns:caldav}calendar-timezone",
            Text,
            "null",
            "Its time zone.",
        ),
        maybe(
            "{http://apple.com/ns/ical/}calendar-order",
            COUNT,
            "0",
            "Its place among the calendars.",
        ),
        maybe(
            "{http://apple.com/ns/ical/}calendar-color",
            // Of the forms that calendar apps write, the longest takes eleven.
            AtMost(66, &Text),
            r##""#00679e""##,
            "Its colour.",
        ),
        maybe(
            "{http://nextcloud.com/ns}deleted-at",
            COUNT,
            "null",
            "When it was put into the trash bin, in seconds since 1970.",
        ),
        maybe(
            "{http://nextcloud.com/ns}default-alarm-part-day",
            COUNT,
            "null",
            "The alarm of new events that have a time. Newer servers have it.",
        ),
        maybe(
            "{http://nextcloud.com/ns}default-alarm-full-day",
            COUNT,
            "null",
            "The alarm of new events of a whole day. Newer servers have it.",
        ),
        maybe(
            "{http://nextcloud.com/ns}owner-displayname",
            NAME,
            r#""Alice Example""#,
            "The name of its owner that people see.",
        ),
    ],
    // Columns of the database.
    others: Some(&Scalar),
};

/// Empty if the calendar is not shared.
const SHARES: Shape = List(&Shape::Map {
    members: &[
        maybe(
            "href",
            Text,
            r#""principal:principals/users/bob""#,
            "With whom.",
        ),
        maybe("commonName", Text, r#""Bob""#, "Their name."),
        maybe("status", COUNT, "1", "Always 1."),
        maybe("readOnly", Bool, "true", "Whether they may only read."),
        maybe(
            "{http://owncloud.org/ns}principal",
            PartOf("href"),
            r#""principals/users/bob""#,
            "With whom.",
        ),
        maybe(
            "{http://owncloud.org/ns}group-share",
            Bool,
            "false",
            "Whether that is a group.",
        ),
    ],
    others: Some(&Scalar),
});

const OBJECT: Shape = Shape::Map {
    members: &[
        maybe("id", Number, "3", "Its number."),
        maybe("uri", Text, r#""lunch.ics""#, "Its name in addresses."),
        maybe(
            "uid",
            Text,
            r#""lunch-1""#,
            "The UID of the iCalendar text.",
        ),
        maybe(
            "lastmodified",
            COUNT,
            "1767348000",
            "When it was changed, in seconds since 1970.",
        ),
        maybe(
            "etag",
            AtMost(40, &Text),
            r#""\"4f678a08\"""#,
            "Its version, in quotation marks.",
        ),
        maybe("calendarid", COUNT, "4", "The number of its calendar."),
        maybe("size", COUNT, "194", "The bytes of the iCalendar text."),
        maybe(
            "calendardata",
            Text,
            r#""BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example//EN\r\nBEGIN:VEVENT\r\nUID:lunch-1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260102T100000Z\r\nDTEND:20260102T110000Z\r\nSUMMARY:Lunch\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n""#,
            "The iCalendar text.",
        ),
        maybe(
            "component",
            AtMost(11, &Text),
            r#""vevent""#,
            "What it is: `vevent`, `vtodo` or `vjournal`.",
        ),
        maybe(
            "classification",
            COUNT,
            "0",
            "Who may see it: 0 all that may see the calendar, 1 nobody else, 2 only that there is something.",
        ),
        maybe(
            "{http://nextcloud.com/ns}deleted-at",
            COUNT,
            "null",
            "When it was put into the trash bin, in seconds since 1970.",
        ),
    ],
    others: Some(&Scalar),
};

const MOVED_OBJECT: Shape = Shape::Map {
    members: &[
        maybe("id", Number, "3", "Its number."),
        maybe("uri", Text, r#""lunch.ics""#, "Its name in addresses."),
        maybe(
            "lastmodified",
            COUNT,
            "1767348000",
            "When it was changed, in seconds since 1970.",
        ),
        maybe(
            "etag",
            AtMost(40, &Text),
            r#""\"4f678a08\"""#,
            "Its version, in quotation marks.",
        ),
        maybe("calendarid", COUNT, "5", "The number of its calendar."),
        maybe(
            "calendaruri",
            Text,
            r#""work""#,
            "The name of its calendar in addresses.",
        ),
        maybe("size", COUNT, "194", "The bytes of the iCalendar text."),
        maybe(
            "calendardata",
            Text,
            r#""BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example//EN\r\nBEGIN:VEVENT\r\nUID:lunch-1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260102T100000Z\r\nDTEND:20260102T110000Z\r\nSUMMARY:Lunch\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n""#,
            "The iCalendar text.",
        ),
        maybe(
            "component",
            AtMost(11, &Text),
            r#""vevent""#,
            "What it is: `vevent`, `vtodo` or `vjournal`.",
        ),
        maybe(
            "classification",
            COUNT,
            "0",
            "Who may see it: 0 all that may see the calendar, 1 nobody else, 2 only that there is something.",
        ),
        maybe(
            "deleted_at",
            COUNT,
            "null",
            "When it was put into the trash bin, in seconds since 1970.",
        ),
    ],
    others: Some(&Scalar),
};

const RESTORED_OBJECT: Shape = Shape::Map {
    members: &[
        maybe(
            "calendardata",
            Text,
            r#""BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example//EN\r\nBEGIN:VEVENT\r\nUID:lunch-1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260102T100000Z\r\nDTEND:20260102T110000Z\r\nSUMMARY:Lunch\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n""#,
            "The iCalendar text.",
        ),
        maybe("uri", Text, r#""lunch.ics""#, "Its name in addresses."),
        maybe("calendarid", COUNT, "4", "The number of its calendar."),
        maybe("calendartype", COUNT, "0", "0, a calendar of a user."),
        maybe(
            "component",
            AtMost(11, &Text),
            r#""VEVENT""#,
            "What it is: `VEVENT`, `VTODO` or `VJOURNAL`, in capitals here.",
        ),
    ],
    others: Some(&Scalar),
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

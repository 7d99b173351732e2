//! Events of calendars.

use super::super::shape::Shape;
use super::{ABSTRACT, CLASS, EventClass, TIME, TOO_LARGE, USER, always, maybe};

use Shape::{List, Number, Object, Scalar, Text};

pub(super) static CLASSES: &[EventClass] = &[
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectCreatedEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal was put into a calendar.",
        recorded: true,
        problems: &[TOO_LARGE],
        shape: &IN_CALENDAR,
    },
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectUpdatedEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal was changed.",
        recorded: true,
        problems: &[TOO_LARGE],
        shape: &IN_CALENDAR,
    },
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectMovedEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal was moved to another calendar.",
        recorded: true,
        problems: &[TOO_LARGE],
        shape: &BETWEEN_CALENDARS,
    },
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectMovedToTrashEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal was deleted, and went to the trash bin of the calendar app.",
        recorded: true,
        problems: &[TOO_LARGE],
        shape: &IN_CALENDAR,
    },
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectRestoredEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal came back out of the trash bin.",
        recorded: true,
        problems: &[TOO_LARGE],
        shape: &RESTORED,
    },
    EventClass {
        name: r"OCP\Calendar\Events\CalendarObjectDeletedEvent",
        part_of: "dav",
        fires: "After an event, a task or a journal was deleted for good: out of the trash bin, or where there is none.",
        recorded: true,
        problems: &[TOO_LARGE],
        shape: &IN_CALENDAR,
    },
    EventClass {
        name: r"OCP\Calendar\Events\AbstractCalendarObjectEvent",
        part_of: "dav",
        fires: "Never.",
        recorded: false,
        problems: &[ABSTRACT],
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
            Text,
            r#""http://sabre.io/ns/sync/9""#,
            "Its state, as text.",
        ),
        maybe(
            "{http://sabredav.org/ns}sync-token",
            Scalar,
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
            Scalar,
            "0",
            "Its place among the calendars.",
        ),
        maybe(
            "{http://apple.com/ns/ical/}calendar-color",
            Text,
            r##""#00679e""##,
            "Its colour.",
        ),
        maybe(
            "{http://nextcloud.com/ns}deleted-at",
            Scalar,
            "null",
            "When it was put into the trash bin, in seconds since 1970.",
        ),
        maybe(
            "{http://nextcloud.com/ns}default-alarm-part-day",
            Scalar,
            "null",
            "The alarm of new events that have a time. Newer servers have it.",
        ),
        maybe(
            "{http://nextcloud.com/ns}default-alarm-full-day",
            Scalar,
            "null",
            "The alarm of new events of a whole day. Newer servers have it.",
        ),
        maybe(
            "{http://nextcloud.com/ns}owner-displayname",
            Text,
            r#""Alice Example""#,
            "The name of its owner that people see.",
        ),
    ],
    // Columns of the database.
    others: Some(&Scalar),
};

/// None if the calendar is not shared.
const SHARES: Shape = List(&Shape::Map {
    members: &[],
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
            Scalar,
            "1767348000",
            "When it was changed, in seconds since 1970.",
        ),
        maybe(
            "etag",
            Text,
            r#""\"4f678a08\"""#,
            "Its version, in quotation marks.",
        ),
        maybe("calendarid", Scalar, "4", "The number of its calendar."),
        maybe("size", Scalar, "194", "The bytes of the iCalendar text."),
        maybe(
            "calendardata",
            Text,
            r#""BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example//EN\r\nBEGIN:VEVENT\r\nUID:lunch-1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260102T100000Z\r\nDTEND:20260102T110000Z\r\nSUMMARY:Lunch\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n""#,
            "The iCalendar text.",
        ),
        maybe(
            "component",
            Text,
            r#""vevent""#,
            "What it is: `vevent`, `vtodo` or `vjournal`.",
        ),
        maybe(
            "classification",
            Scalar,
            "0",
            "Who may see it: 0 all that may see the calendar, 1 nobody else, 2 only that there is something.",
        ),
        maybe(
            "{http://nextcloud.com/ns}deleted-at",
            Scalar,
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
            Scalar,
            "1767348000",
            "When it was changed, in seconds since 1970.",
        ),
        maybe(
            "etag",
            Text,
            r#""\"4f678a08\"""#,
            "Its version, in quotation marks.",
        ),
        maybe("calendarid", Scalar, "5", "The number of its calendar."),
        maybe(
            "calendaruri",
            Text,
            r#""work""#,
            "The name of its calendar in addresses.",
        ),
        maybe("size", Scalar, "194", "The bytes of the iCalendar text."),
        maybe(
            "calendardata",
            Text,
            r#""BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example//EN\r\nBEGIN:VEVENT\r\nUID:lunch-1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260102T100000Z\r\nDTEND:20260102T110000Z\r\nSUMMARY:Lunch\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n""#,
            "The iCalendar text.",
        ),
        maybe(
            "component",
            Text,
            r#""vevent""#,
            "What it is: `vevent`, `vtodo` or `vjournal`.",
        ),
        maybe(
            "classification",
            Scalar,
            "0",
            "Who may see it: 0 all that may see the calendar, 1 nobody else, 2 only that there is something.",
        ),
        maybe(
            "deleted_at",
            Scalar,
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
        maybe("calendarid", Scalar, "4", "The number of its calendar."),
        maybe("calendartype", Scalar, "0", "0, a calendar of a user."),
        maybe(
            "component",
            Text,
            r#""VEVENT""#,
            "What it is: `VEVENT`, `VTODO` or `VJOURNAL`, in capitals here.",
        ),
    ],
    others: Some(&Scalar),
};

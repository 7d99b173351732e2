//! Events of other apps, and of users. None was recorded: they are based on the source code of Tables
//! 2.2, Forms 5.3, Mail 5.12, Announcement center 8 and Nextcloud 34.

use serde_json::{Value, json};

use super::super::JobLimit;
use super::super::shape::{Member, Shape};
use super::bounding::{plain, text, text_of_lines, with_user};
use super::{CLASS, KnownEvent, NAMES, TIME, UNKNOWN, USER};

use Shape::{Bool, Number, Text, Unknown};

const ROW_EVENT: KnownEvent = KnownEvent {
    part_of: "tables",
    shape: &ROW,
    ..UNKNOWN
};

pub(super) static CLASSES: &[KnownEvent] = &[
    KnownEvent {
        class: r"OCA\Tables\Event\RowAddedEvent",
        fires: "After a row was added to a table.",
        ..ROW_EVENT
    },
    KnownEvent {
        class: r"OCA\Tables\Event\RowUpdatedEvent",
        fires: "After a row of a table was changed.",
        ..ROW_EVENT
    },
    KnownEvent {
        class: r"OCA\Tables\Event\RowDeletedEvent",
        fires: "After a row of a table was deleted.",
        ..ROW_EVENT
    },
    KnownEvent {
        class: r"OCA\Forms\Events\FormSubmittedEvent",
        part_of: "forms",
        fires: "After a form was filled in. The answers are not in it.",
        shape: &event! {
            "form": FORM, "", "The form.";
            "submission": SUBMISSION, "", "What was sent in.";
        },
        ..UNKNOWN
    },
    KnownEvent {
        class: r"OCA\Mail\Events\NewMessageReceivedEvent",
        part_of: "mail",
        fires: "After a message was found in a mailbox.",
        shape: &event! {
            "messageUri": Text, r#""/index.php/apps/mail/box/3/thread/12""#,
                "Its address in the app.";
            "message": Unknown, r#"{"databaseId":12}"#, "The message.";
        },
        ..UNKNOWN
    },
    KnownEvent {
        class: r"OCA\Mail\Events\MessageSentEvent",
        part_of: "mail",
        fires: "After a message was sent. The newest versions of the app alone have it.",
        bounding: message_sent,
        shape: &event! {
            "accountId": Number, "1", "The number of the mail account.";
            "inReplyToRfcMessageId"?: Text, "null", "The Message-ID of what it answers.";
            "sendAt"?: Number, "null", "When it was to be sent, in seconds since 1970.";
            "subject"?: Text, r#""Minutes""#, "Its subject.";
        },
        ..UNKNOWN
    },
    KnownEvent {
        class: r"OCA\Mail\Events\MessageDeletedEvent",
        part_of: "mail",
        fires: "After a message was deleted.",
        known_problems: &[],
        bounding: numbers,
        shape: &event! {
            "accountId": Number, "1", "The number of the mail account.";
            "mailboxId": Number, "3", "The number of the mailbox.";
            "uid"?: Number, "12", "Its UID in the mailbox.";
            "messageId"?: Number, "12", "The same, of older versions of the app.";
        },
        ..UNKNOWN
    },
    KnownEvent {
        class: r"OCA\Mail\Events\MessageFlaggedEvent",
        part_of: "mail",
        fires: "After a flag of a message was set or taken off.",
        bounding: message_flagged,
        shape: &event! {
            "accountId": Number, "1", "The number of the mail account.";
            "mailboxId": Number, "3", "The number of the mailbox.";
            "messageId"?: Number, "12", "Its number in the app. Newer versions have it.";
            "uid"?: Number, "12", "Its UID in the mailbox. Newer versions have it.";
            "messageUid"?: Shape::Scalar, "12",
                "Its UID or its Message-ID, of older versions of the app.";
            "flag": Text, r#""\\seen""#, "The flag.";
            "set": Bool, "true", "Whether it was set.";
        },
        ..UNKNOWN
    },
    KnownEvent {
        class: r"OCA\AnnouncementCenter\Events\AnnouncementPublished",
        part_of: "announcementcenter",
        fires: "After an announcement was published.",
        bounding: announcement,
        shape: &event! {
            "subject": Text, r#""Maintenance""#, "Its subject.";
            "message": Text, r#""Tonight at *ten*""#, "Its text, in Markdown.";
            "plainMessage": Text, r#""Tonight at ten""#, "Its text without Markdown.";
            "scheduleTime"?: Number, "null", "When it was to be published, in seconds since 1970.";
            "deleteTime"?: Number, "null", "When it is to be deleted, in seconds since 1970.";
        },
        ..UNKNOWN
    },
    KnownEvent {
        class: r"OCP\User\Events\UserFirstTimeLoggedInEvent",
        fires: "After a user logged in for the first time. Servers from Nextcloud 34 on have it.",
        known_problems: &[],
        bounding: first_login,
        shape: &event! {
            "user"?: Shape::map(NAMES), "", "Who.";
            "user_id"?: Text, "null", "The user id, of newer servers.";
            "display_name"?: Text, "null", "The name that others see, of newer servers.";
            "email"?: Text, "null", "The e-mail address, of newer servers.";
        },
        ..UNKNOWN
    },
];

/// The content of the cells depends on the columns.
static ROW: Shape = event! {
    "tableId": Number, "2", "The number of the table.";
    "rowId": Number, "31", "The number of the row.";
    "previousValues"?: Unknown, "null", "What was in it before, by the numbers of the columns.";
    "values"?: Unknown, r#"{"5":"Ada"}"#, "What is in it, by the numbers of the columns.";
    "dataByAlias"?: Unknown, "null",
        "The same by the names of the columns. Newer versions have it.";
};

const FORM: Shape = Shape::Map {
    members: members! {
        "id": Number, "4", "Its number.";
        "hash": Text, r#""k9GdTZtqLkKyQzCM""#, "Its name in addresses.";
        "title": Text, r#""Lunch""#, "Its title.";
        "description": Text, r#""Who comes?""#, "Its description.";
        "ownerId": Text, r#""alice""#, "The user id of its owner.";
        "created"?: Number, "1767348000", "When it was made, in seconds since 1970.";
        "expires"?: Number, "0", "When it ends, in seconds since 1970; 0 if it does not.";
        "isAnonymous"?: Bool, "false", "Whether nobody learns who filled it in.";
    },
    others: Some(&Unknown),
};

const SUBMISSION: Shape = Shape::Map {
    members: members! {
        "id": Number, "9", "Its number.";
        "formId": Number, "4", "The number of the form.";
        "userId": Text, r#""bob""#, "The user id of who sent it in.";
        "timestamp"?: Number, "1767348000", "When it was sent in, in seconds since 1970.";
    },
    others: Some(&Unknown),
};

/// The bounds of events that contain only numbers.
pub(super) fn numbers(limit: JobLimit) -> Option<Value> {
    let name = match limit {
        JobLimit::Before34 => 500,
        JobLimit::From34 => 1_000,
    };
    Some(with_user(name, json!({})))
}

fn message_sent(_: JobLimit) -> Option<Value> {
    let conditions = json!({"event.subject": text(500), "event.inReplyToRfcMessageId": plain(500)});
    Some(with_user(128, conditions))
}

fn message_flagged(_: JobLimit) -> Option<Value> {
    let conditions = json!({"event.flag": text(100), "event.messageUid": plain(500)});
    Some(with_user(128, conditions))
}

fn announcement(limit: JobLimit) -> Option<Value> {
    let (subject, message) = match limit {
        JobLimit::Before34 => (200, 330),
        JobLimit::From34 => (1_000, 4_000),
    };
    let conditions = json!({
        "event.subject": text(subject),
        // With several lines.
        "event.message": text_of_lines(message),
        "event.plainMessage": text_of_lines(message),
    });
    Some(with_user(128, conditions))
}

fn first_login(_: JobLimit) -> Option<Value> {
    let names = json!({
        "event.user.uid": plain(64),
        "event.user.displayName": text(128),
        "event.user_id": plain(64),
        "event.display_name": text(128),
        "event.email": text(254),
    });
    Some(with_user(128, names))
}

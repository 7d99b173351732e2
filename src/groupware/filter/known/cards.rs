//! Events of the app Deck.

use super::super::shape::{Member, Shape};
use super::apps::numbers;
use super::{CLASS, KnownEvent, LOSES_WRITE, TIME, UNKNOWN, USER};

use Shape::{Bool, Either, List, Number, Object, Text, TextObject, Unknown};

const CARD_EVENT: KnownEvent = KnownEvent {
    part_of: "deck",
    loses: LOSES_WRITE,
    shape: &CARDS,
    ..UNKNOWN
};

pub(super) static CLASSES: &[KnownEvent] = &[
    KnownEvent {
        class: r"OCA\Deck\Event\CardCreatedEvent",
        fires: "After a card was made.",
        ..CARD_EVENT
    },
    KnownEvent {
        class: r"OCA\Deck\Event\CardUpdatedEvent",
        fires: "After a card was changed.",
        ..CARD_EVENT
    },
    KnownEvent {
        class: r"OCA\Deck\Event\CardDeletedEvent",
        fires: "After a card was deleted.",
        ..CARD_EVENT
    },
    KnownEvent {
        class: r"OCA\Deck\Event\BoardUpdatedEvent",
        fires: "After a board was changed: what is on it, or with whom it is shared.",
        known_problems: &[],
        bounding: numbers,
        shape: &event! {
            "boardId": Number, "1", "The number of the board.";
        },
        ..CARD_EVENT
    },
];

static CARDS: Shape = event! {
    "card": CARD, "", "The card.";
};

/// A card. Its entities are objects that can be converted to text; its owner is one that cannot, or the
/// user id itself.
const CARD: Shape = Shape::Map {
    members: members! {
        "id"?: Number, "12", "Its number.";
        "title"?: Text, r#""Write the report""#, "Its title.";
        "description"?: Text, r#""With figures""#, "Its description.";
        "descriptionPrev"?: Text, "null", "The description that it had before.";
        "stackId"?: Number, "3", "The number of the list it is in.";
        "type"?: Text, r#""plain""#, "Its type.";
        "lastModified"?: Number, "1767348000", "When it was changed, in seconds since 1970.";
        "lastEditor"?: Text, r#""alice""#, "Who changed its description last.";
        "createdAt"?: Number, "1767340000", "When it was made, in seconds since 1970.";
        "labels"?: List(&TextObject), "[]", "Its labels.";
        "assignedUsers"?: List(&TextObject), "[]", "To whom it is assigned.";
        "attachments"?: List(&TextObject), "[]", "What is attached to it.";
        "attachmentCount"?: Number, "0", "How many attachments it has.";
        "owner"?: Either(&[Text, Object]), r#""alice""#,
            "Whose it is: a user id, or an object with `uid`.";
        "order"?: Number, "0", "Its place in the list.";
        "archived"?: Bool, "false", "Whether it is archived.";
        "done"?: Text, "null", "When it was done.";
        "duedate"?: Text, "null", "When it is due.";
        "notified"?: Bool, "false", "Whether those concerned were notified that it is due.";
        "deletedAt"?: Number, "0", "When it was deleted, in seconds since 1970; 0 if it was not.";
        "commentsUnread"?: Number, "0", "How many comments the user has not read.";
        "commentsCount"?: Number, "0", "How many comments it has.";
        "relatedStack"?: TextObject, "null", "The list it is in.";
        "relatedBoard"?: TextObject, "null", "The board it is on.";
        "ETag"?: Text, r#""0f2bd6a7""#, "Its version.";
    },
    others: Some(&Unknown),
};

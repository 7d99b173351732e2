//! Events of the app Deck.

use super::super::shape::Shape;
use super::apps::numbers;
use super::{CLASS, KnownEvent, LOSES_WRITE, TIME, UNKNOWN, USER, always, maybe};

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
        shape: &event![always("boardId", Number, "1", "The number of the board.")],
        ..CARD_EVENT
    },
];

static CARDS: Shape = event![always("card", CARD, "", "The card.")];

/// A card. Its entities are objects that can be converted to text; its owner is one that cannot, or the
/// user id itself.
const CARD: Shape = Shape::Map {
    members: &[
        maybe("id", Number, "12", "Its number."),
        maybe("title", Text, r#""Write the report""#, "Its title."),
        maybe("description", Text, r#""With figures""#, "Its description."),
        maybe(
            "descriptionPrev",
            Text,
            "null",
            "The description that it had before.",
        ),
        maybe("stackId", Number, "3", "The number of the list it is in."),
        maybe("type", Text, r#""plain""#, "Its type."),
        maybe(
            "lastModified",
            Number,
            "1767348000",
            "When it was changed, in seconds since 1970.",
        ),
        maybe(
            "lastEditor",
            Text,
            r#""alice""#,
            "Who changed its description last.",
        ),
        maybe(
            "createdAt",
            Number,
            "1767340000",
            "When it was made, in seconds since 1970.",
        ),
        maybe("labels", List(&TextObject), "[]", "Its labels."),
        maybe(
            "assignedUsers",
            List(&TextObject),
            "[]",
            "To whom it is assigned.",
        ),
        maybe(
            "attachments",
            List(&TextObject),
            "[]",
            "What is attached to it.",
        ),
        maybe(
            "attachmentCount",
            Number,
            "0",
            "How many attachments it has.",
        ),
        maybe(
            "owner",
            Either(&[Text, Object]),
            r#""alice""#,
            "Whose it is: a user id, or an object with `uid`.",
        ),
        maybe("order", Number, "0", "Its place in the list."),
        maybe("archived", Bool, "false", "Whether it is archived."),
        maybe("done", Text, "null", "When it was done."),
        maybe("duedate", Text, "null", "When it is due."),
        maybe(
            "notified",
            Bool,
            "false",
            "Whether those concerned were notified that it is due.",
        ),
        maybe(
            "deletedAt",
            Number,
            "0",
            "When it was deleted, in seconds since 1970; 0 if it was not.",
        ),
        maybe(
            "commentsUnread",
            Number,
            "0",
            "How many comments the user has not read.",
        ),
        maybe("commentsCount", Number, "0", "How many comments it has."),
        maybe("relatedStack", TextObject, "null", "The list it is in."),
        maybe("relatedBoard", TextObject, "null", "The board it is on."),
        maybe("ETag", Text, r#""0f2bd6a7""#, "Its version."),
    ],
    others: Some(&Unknown),
};

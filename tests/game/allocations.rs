//! Reading allocates nothing, whatever is in the message.

use std::hint::black_box;

use allocation_counter::measure;
use portreeve::game::fields::{AnyMessage, Value};
use portreeve::game::{
    CommandContainer, DecodeError, GameReplay, Message, Response, ServerMessage, check,
};

use crate::data;

/// Reads every field of every level, and checks every text.
fn touch(message: &AnyMessage<'_>) -> Result<(), DecodeError> {
    let fields = message.fields()?;
    black_box(fields.unknown().iter().count());
    for (_, value) in fields {
        touch_value(value)?;
    }
    Ok(())
}

fn touch_value(value: Value<'_>) -> Result<(), DecodeError> {
    match value {
        Value::Text(text) => drop(black_box(text.to_str()?)),
        Value::Message(message) => touch(&message)?,
        Value::List(mut list) => list.try_for_each(touch_value)?,
        value => drop(black_box(value)),
    }
    Ok(())
}

#[test]
fn live_messages_are_read_without_allocation() {
    for record in data::records("frames") {
        let bytes = record.message();
        let info = measure(|| {
            let message = ServerMessage::parse(&bytes).unwrap();
            let _ = touch(&AnyMessage::new::<ServerMessage<'_>>(&bytes));
            let _ = check::<ServerMessage<'_>>(&bytes);
            if let Some(response) = message.response().unwrap() {
                response.payload().unwrap();
            }
        });
        assert_eq!(info.count_total, 0, "{}", record.n);
    }
}

#[test]
fn constructed_and_damaged_messages_are_read_without_allocation() {
    for name in ["synthetic", "malformed"] {
        for record in data::records(name) {
            let bytes = record.response();
            let info = measure(|| {
                if let Ok(response) = Response::parse(&bytes) {
                    let _ = check::<Response<'_>>(&bytes);
                    let _ = touch(&AnyMessage::new::<Response<'_>>(&bytes));
                    let _ = response.payload();
                }
            });
            assert_eq!(info.count_total, 0, "{} {}", record.n, record.kind);
        }
    }
}

#[test]
fn commands_events_and_replays_are_read_without_allocation() {
    fn read<'a, M: Message<'a>>(bytes: &'a [u8]) {
        black_box(M::parse(bytes).unwrap());
        touch(&AnyMessage::new::<M>(bytes)).unwrap();
        check::<M>(bytes).unwrap();
    }
    for name in ["commands", "events", "replays"] {
        for record in data::records(name) {
            let bytes = record.message();
            let info = measure(|| match name {
                "commands" => read::<CommandContainer<'_>>(&bytes),
                "events" => read::<ServerMessage<'_>>(&bytes),
                _ => read::<GameReplay<'_>>(&bytes),
            });
            assert_eq!(info.count_total, 0, "{name} {}", record.n);
        }
    }
}

#[test]
fn kinds_and_payloads_of_events_are_found_without_allocation() {
    for record in data::records("events") {
        let bytes = record.message();
        let message = ServerMessage::parse(&bytes).unwrap();
        let info = measure(|| {
            if let Some(event) = message.session_event().unwrap() {
                assert_eq!(event.kind().is_some(), event.payload().unwrap().is_some());
            }
            if let Some(event) = message.room_event().unwrap() {
                assert_eq!(event.kind().is_some(), event.payload().unwrap().is_some());
            }
            if let Some(container) = message.game_event_container().unwrap() {
                for event in container.event_list() {
                    assert!(event.unwrap().payload().unwrap().is_some());
                }
            }
        });
        assert_eq!(info.count_total, 0, "{}", record.n);
    }
}

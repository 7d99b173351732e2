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

/// Reads and checks a message of any type.
fn read<'a, M: Message<'a>>(bytes: &'a [u8]) {
    let _ = black_box(M::parse(bytes));
    let _ = touch(&AnyMessage::new::<M>(bytes));
    let _ = check::<M>(bytes);
}

fn read_payloads(message: &ServerMessage<'_>) -> Result<(), DecodeError> {
    if let Some(response) = message.response()? {
        black_box(response.payload()?);
    }
    if let Some(event) = message.session_event()? {
        assert_eq!(event.kind().is_some(), event.payload()?.is_some());
    }
    if let Some(event) = message.room_event()? {
        assert_eq!(event.kind().is_some(), event.payload()?.is_some());
    }
    if let Some(container) = message.game_event_container()? {
        for event in container.event_list() {
            assert!(event?.payload()?.is_some());
        }
    }
    Ok(())
}

#[test]
fn recorded_messages_are_read_without_allocation() {
    for name in ["frames", "commands", "events", "replays"] {
        for record in data::records(name) {
            let bytes = record.message();
            let info = measure(|| match name {
                "commands" => read::<CommandContainer<'_>>(&bytes),
                "replays" => read::<GameReplay<'_>>(&bytes),
                _ => {
                    read::<ServerMessage<'_>>(&bytes);
                    read_payloads(&ServerMessage::parse(&bytes).unwrap()).unwrap();
                }
            });
            assert_eq!(info.count_total, 0, "{name} {}", record.n);
        }
    }
}

#[test]
fn constructed_and_damaged_messages_are_read_without_allocation() {
    for name in ["synthetic", "malformed"] {
        for record in data::records(name) {
            let bytes = record.response();
            let info = measure(|| {
                read::<Response<'_>>(&bytes);
                if let Ok(response) = Response::parse(&bytes) {
                    let _ = black_box(response.payload());
                }
            });
            assert_eq!(info.count_total, 0, "{} {}", record.n, record.kind);
        }
    }
}

//! Reading allocates nothing, whatever is in the message.

use allocation_counter::measure;
use portreeve::game::scalar::Scalar;
use portreeve::game::visit::{Field, Visitor};
use portreeve::game::{
    CommandContainer, DecodeError, GameReplay, Message, Nested, Repeated, Response, ServerMessage,
    Text, UnknownFields, check,
};

use crate::data;

/// Reads every field of every level, and checks every text.
#[derive(Default)]
struct Touch {
    values: u64,
    bytes: usize,
}

impl<'a> Visitor<'a> for Touch {
    type Error = DecodeError;

    fn scalar<S: Scalar>(&mut self, _: Field, value: S::Value) -> Result<(), DecodeError> {
        self.values = self.values.wrapping_add(S::to_wire(value));
        Ok(())
    }

    fn text(&mut self, _: Field, value: Text<'a>) -> Result<(), DecodeError> {
        self.bytes += value.to_str()?.len();
        Ok(())
    }

    fn bytes(&mut self, _: Field, value: &'a [u8]) -> Result<(), DecodeError> {
        self.bytes += value.len();
        Ok(())
    }

    fn message<M: Message<'a>>(
        &mut self,
        _: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), DecodeError> {
        value.get()?.map_or(Ok(()), |message| message.visit(self))
    }

    fn texts(&mut self, _: Field, values: &Repeated<'a, Text<'a>>) -> Result<(), DecodeError> {
        for text in values.iter() {
            self.bytes += text?.len();
        }
        Ok(())
    }

    fn messages<M: Message<'a>>(
        &mut self,
        _: Field,
        values: &Repeated<'a, M>,
    ) -> Result<(), DecodeError> {
        values.iter().try_for_each(|message| message?.visit(self))
    }

    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Result<(), DecodeError> {
        self.values ^= fields.iter().count() as u64;
        Ok(())
    }
}

#[test]
fn live_messages_are_read_without_allocation() {
    for record in data::records("frames") {
        let bytes = record.message();
        let info = measure(|| {
            let mut touch = Touch::default();
            let message = ServerMessage::parse(&bytes).unwrap();
            message.visit(&mut touch).unwrap();
            if let Some(response) = message.response().unwrap() {
                check(&response).unwrap();
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
                    if check(&response).is_ok() {
                        let _ = response.visit(&mut Touch::default());
                    }
                    let _ = response.payload();
                }
            });
            assert_eq!(info.count_total, 0, "{} {}", record.n, record.kind);
        }
    }
}

#[test]
fn commands_events_and_replays_are_read_without_allocation() {
    fn touch<'a, M: Message<'a>>(bytes: &'a [u8]) {
        let message = M::parse(bytes).unwrap();
        message.visit(&mut Touch::default()).unwrap();
        check(&message).unwrap();
    }
    for name in ["commands", "events", "replays"] {
        for record in data::records(name) {
            let bytes = record.message();
            let info = measure(|| match name {
                "commands" => touch::<CommandContainer<'_>>(&bytes),
                "events" => touch::<ServerMessage<'_>>(&bytes),
                _ => touch::<GameReplay<'_>>(&bytes),
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

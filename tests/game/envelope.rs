//! `Response::parse_enveloped`, the short way to the answer in a server message, compared with the
//! long way, which parses the whole envelope as a view.

use portreeve::game::event::{RoomEvent, RoomEventKind};
use portreeve::game::{DecodeError, Family, Response, ServerMessage};
use proptest::prelude::*;

use crate::bytes::enveloped;
use crate::{data, generate};

type Outcome = Result<Option<(u64, Option<i32>, Vec<(u32, Vec<u8>)>)>, DecodeError>;

fn outcome(response: Result<Option<Response<'_>>, DecodeError>) -> Outcome {
    let extension = |(number, bytes): (u32, &[u8])| (number, bytes.to_vec());
    Ok(response?.map(|response| {
        let extensions = response.extensions().map(extension).collect();
        (response.cmd_id(), response.raw_code(), extensions)
    }))
}

fn assert_same(bytes: &[u8]) {
    let short = outcome(Response::parse_enveloped(bytes));
    let long = outcome(ServerMessage::parse(bytes).and_then(|message| message.response()));
    assert_eq!(short, long, "{}", bytes.escape_ascii());
}

#[test]
fn recorded_messages_are_the_same_read_the_short_way() {
    for record in data::records("frames") {
        let bytes = record.message();
        assert_same(&bytes);
        for end in 0..bytes.len().min(64) {
            assert_same(&bytes[..end]);
        }
    }
}

#[test]
fn unusual_and_damaged_answers_are_the_same_read_the_short_way() {
    for name in ["synthetic", "malformed"] {
        for record in data::records(name) {
            let response = record.response();
            let one = enveloped(&response);
            assert_same(&one);
            assert_same(&[&one[..], &one[..]].concat());
        }
    }
}

proptest! {
    #[test]
    fn damaged_messages_are_the_same_read_the_short_way(
        seed: u64,
        damage in prop::collection::vec(any::<u64>(), 0..4),
    ) {
        let message = enveloped(&generate::message("Response", seed));
        assert_same(&generate::damaged(message, &damage));
    }
}

/// The same for every envelope: the order of the schema does not matter, and what it does not have is passed over.
#[test]
fn of_several_payloads_the_first_that_was_sent_counts() {
    // ROOM_SAY is 1002 and LEAVE_ROOM 1000 in the schema; 1999 is not in it.
    let unknown = b"\xfa\x7c\x00";
    let (say, leave) = (b"\xd2\x3e\x00", b"\xc2\x3e\x00");
    for (first, second, kind) in
        [(say, leave, Some(RoomEventKind::RoomSay)), (leave, say, RoomEventKind::from_number(1000))]
    {
        let event = [&unknown[..], first, second].concat();
        let event = RoomEvent::parse(&event).unwrap();
        assert!(kind.is_some());
        assert_eq!(event.kind(), kind);
        let payload = event.payload().unwrap().unwrap();
        assert_eq!(Some(payload.kind()), kind);
    }
    let (login, list) = (b"\xc2\x3e\x00", b"\xca\x3e\x00");
    for (first, second) in [(login, list), (list, login)] {
        let both = [&b"\x08\x07\x10\x01"[..], first, second].concat();
        let only = [&b"\x08\x07\x10\x01"[..], first].concat();
        let expected = Response::parse(&only).unwrap().kind();
        assert_eq!(Response::parse(&both).unwrap().kind(), expected);
    }
}

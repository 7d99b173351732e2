//! Recorded and constructed messages, compared with what Google's libraries read from them
//! (docs/ARCHITECTURE.md, "The reader").

use std::collections::BTreeSet;

use portreeve::game::frame::Frames;
use portreeve::game::{
    DecodeError, Message, PayloadKind, Response, ResponseCode, ServerMessage, check, json,
};
use serde_json::Value;

use crate::bytes::enveloped;
use crate::data::{self, Record, same};

/// The JSON of a whole response, by the reader.
fn read(bytes: &[u8]) -> Result<Value, DecodeError> {
    let response = Response::parse(bytes)?;
    check::<Response<'_>>(bytes)?;
    Ok(data::json(&json::to_string(&response)?))
}

fn assert_expected(record: &Record, bytes: &[u8]) {
    let Record { n, kind, expected, .. } = record;
    let found = read(bytes).unwrap_or_else(|error| panic!("{n} {kind}: {error}"));
    assert!(same(&found, expected), "{n} {kind}: {found} {expected}");
}

#[test]
fn live_messages_match_what_googles_library_reads() {
    let mut codes = BTreeSet::new();
    let mut kinds = BTreeSet::new();
    for record in data::records("frames") {
        let bytes = record.message();
        let message = ServerMessage::parse(&bytes).unwrap();
        assert_eq!(Some(message.message_type().name()), record.message_type.as_deref());
        // The depth counts from the envelope on: one deck list is too deep within it.
        let whole = check::<ServerMessage<'_>>(&bytes);
        let response = message.response().unwrap();
        assert_eq!(response.is_some(), record.expected != Value::Null);
        let Some(response) = response else {
            whole.unwrap();
            continue;
        };
        codes.extend(response.code());
        kinds.extend(response.kind());
        let found = data::json(&json::to_string(&response).unwrap());
        assert!(same(&found, &record.expected), "{}", record.n);
    }
    // Every code that the server can send, and every payload that it sends.
    let missing: Vec<_> = ResponseCode::ALL.iter().filter(|code| !codes.contains(code)).collect();
    assert_eq!(
        missing,
        [
            &ResponseCode::RespNotConnected,
            &ResponseCode::RespNothing,
            &ResponseCode::RespWouldOverwriteOldSession
        ]
    );
    let missing: Vec<_> = PayloadKind::ALL.iter().filter(|kind| !kinds.contains(kind)).collect();
    assert_eq!(missing, [&PayloadKind::Activate, &PayloadKind::AdjustMod]);
}

#[test]
fn constructed_messages_match_what_googles_library_reads() {
    for record in data::records("synthetic") {
        assert_expected(&record, &record.response());
    }
}

/// `tests/data/game/differences.txt` lists the records on which Google's libraries disagree with each
/// other, and the verdict of this reader.
#[test]
fn damaged_messages_are_accepted_or_rejected_as_by_googles_libraries() {
    let mut different = BTreeSet::new();
    for record in data::records("malformed") {
        let bytes = record.response();
        match record.verdict.as_str() {
            "accept" => assert_expected(&record, &bytes),
            "accept_bad_utf8" => drop(read(&bytes).unwrap()),
            "reject" => assert!(read(&bytes).is_err(), "{} {}", record.n, record.kind),
            _ => {
                let verdict = if read(&bytes).is_ok() { "accepted" } else { "rejected" };
                different.insert(format!("{} {} {verdict}", record.n, record.kind));
            }
        }
    }
    let listed = include_str!("../data/game/differences.txt");
    let listed = listed.lines().filter(|line| !line.starts_with('#'));
    let listed: BTreeSet<_> =
        listed.filter_map(|line| line.split(':').next()).map(str::to_owned).collect();
    assert_eq!(different, listed);
}

/// If a message cannot be read, the error has an offset within it.
#[test]
fn errors_have_an_offset() {
    for record in data::records("malformed") {
        let bytes = record.response();
        if let Err(error) = read(&bytes) {
            assert!(error.offset() <= bytes.len(), "{}: {error}", record.n);
            assert!(error.to_string().contains(&error.offset().to_string()));
        }
    }
}

/// Decoding an encoded message gives the original, unknown fields included.
#[test]
fn messages_survive_encoding() {
    let live = data::records("frames").into_iter().map(|record| record.message());
    let constructed =
        data::records("synthetic").into_iter().map(|record| enveloped(&record.response()));
    for bytes in live.chain(constructed) {
        let message = ServerMessage::parse(&bytes).unwrap();
        let once = message.to_vec();
        assert_eq!(once.len(), message.encoded_len());
        let again = ServerMessage::parse(&once).unwrap();
        assert_eq!(format!("{again:?}"), format!("{message:?}"));
        let Some(response) = message.response().unwrap() else {
            continue;
        };
        let once = response.to_vec();
        assert_eq!(once.len(), response.encoded_len());
        let again = Response::parse(&once).unwrap();
        assert_eq!(format!("{again:?}"), format!("{response:?}"));
        assert_eq!(again.to_vec(), once);
        let unknown = |response: &Response<'_>| {
            let fields = response.unknown_fields();
            fields.iter().map(|field| field.bytes.to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(unknown(&again), unknown(&response));
    }
}

#[test]
fn a_whole_session_is_split_into_frames_and_read() {
    let stream = data::bytes("session.bin.gz");
    let expected = String::from_utf8(data::bytes("session_expected.jsonl.gz")).unwrap();
    let mut frames = Frames::new(&stream);
    for line in expected.lines().map(data::json) {
        let frame = frames.next().unwrap().unwrap();
        assert_eq!(line["offset"], frame.offset - 4);
        assert_eq!(line["length"], frame.message.len());
        let message = ServerMessage::parse(frame.message).unwrap();
        assert_eq!(line["message_type"], message.message_type().name());
        let response = message.response().unwrap();
        let response = response
            .map_or(Value::Null, |response| data::json(&json::to_string(&response).unwrap()));
        assert!(same(&response, &line["expected"]), "{line}");
    }
    assert_eq!(frames.next(), None);
}

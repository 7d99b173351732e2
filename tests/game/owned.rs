//! Answers that own their bytes (docs/ARCHITECTURE.md, "The reader").

use std::sync::Arc;

use bytes::Bytes;
use portreeve::game::payload::{ListUsers, PasswordSalt, Payload, ReplayDownload};
use portreeve::game::{
    DecodeError, Fault, Message, OwnedResponse, PayloadKind, Response, ResponseCode, ServerMessage,
    Text, check, check_with_text,
};

use crate::bytes::{enveloped, field, number};
use crate::data;

/// A response with two users; the name of the second is given.
fn users(name: &[u8]) -> Vec<u8> {
    use portreeve::game::info::User;
    let user = |name| User { name: Some(Text::from_bytes(name)), ..User::default() };
    let list = [user(b"ann"), user(name)];
    let list = ListUsers { user_list: (&list).into(), ..ListUsers::default() };
    let payload = Payload::from(list);
    let response = Response::new(7, ResponseCode::RespOk).with_payload(&payload);
    response.to_vec()
}

#[test]
fn an_answer_outlives_its_frame() {
    let answer = {
        let frame = enveloped(&users("José".as_bytes()));
        OwnedResponse::parse_enveloped(Box::<[u8]>::from(&frame[..])).unwrap().unwrap()
    };
    assert_eq!((answer.cmd_id(), answer.code()), (7, Some(ResponseCode::RespOk)));
    assert_eq!(answer.kind(), Some(PayloadKind::ListUsers));
    let list: ListUsers<'_> = answer.get().unwrap();
    let names: Vec<_> = list.user_list().map(|user| user.unwrap().name().unwrap()).collect();
    assert_eq!(names, ["ann", "José"]);
    assert!(matches!(answer.payload(), Some(Payload::ListUsers(_))));
    assert!(answer.get::<PasswordSalt<'_>>().is_none());
    let elsewhere = std::thread::spawn(move || answer.response().cmd_id());
    assert_eq!(elsewhere.join().unwrap(), 7);
}

#[test]
fn bytes_are_shared_and_not_copied() {
    let blob = vec![0xa5; 1 << 20];
    let replay = ReplayDownload { replay_data: Some(&blob), ..ReplayDownload::default() };
    let payload = Payload::from(replay);
    let response = Response::new(1, ResponseCode::RespOk).with_payload(&payload);
    let frame = Bytes::from(response.to_vec());
    // From now on, a clone only increments a reference count.
    let _first = frame.clone();
    let mut answer = None;
    let counted = allocation_counter::measure(|| {
        answer = Some(OwnedResponse::parse(frame.clone()).unwrap());
    });
    assert_eq!(counted.count_total, 0);
    let answer = answer.unwrap();
    let replay: ReplayDownload<'_> = answer.get().unwrap();
    assert!(frame.as_ptr_range().contains(&replay.replay_data().as_ptr()));
    assert_eq!(answer.into_inner(), frame);
}

#[test]
fn any_owner_of_bytes_is_accepted() {
    let bytes = users(b"bob");
    let shared: Arc<[u8]> = bytes.as_slice().into();
    let first = OwnedResponse::parse(shared).unwrap();
    let second = first.clone();
    assert!(Arc::ptr_eq(first.as_inner(), second.as_inner()));
    assert_eq!(OwnedResponse::parse(bytes.clone()).unwrap().into_inner(), bytes);
    assert_eq!(format!("{first:?}"), format!("{:?}", Response::parse(&bytes).unwrap()));
}

#[test]
fn a_malformed_answer_is_refused_at_construction() {
    let fault = |bytes: &[u8]| OwnedResponse::parse(bytes).unwrap_err().fault();
    assert_eq!(fault(b"\x10\x01"), Fault::MissingRequired("cmd_id"));
    assert_eq!(fault(b"\x08"), Fault::Truncated);
    // A user whose name runs past the end, deep in the payload.
    assert_eq!(fault(b"\x08\x07\xca\x3e\x04\x0a\x02\x0a\x05"), Fault::LengthPastEnd);
    // Text that is not UTF-8: found only here, since the encoding allows any bytes.
    let bytes = users(b"caf\xe9");
    assert_eq!(check::<Response<'_>>(&bytes), Ok(()));
    let error = check_with_text::<Response<'_>>(&bytes).unwrap_err();
    assert_eq!((error.fault(), bytes[error.offset()]), (Fault::Text, 0xe9));
    assert_eq!(OwnedResponse::parse(bytes.as_slice()).unwrap_err(), error);
    let frame = enveloped(&bytes);
    assert_eq!(check::<ServerMessage<'_>>(&frame), Ok(()));
    let error = check_with_text::<ServerMessage<'_>>(&frame).unwrap_err();
    assert_eq!(error.fault(), Fault::Text);
    let refused: Result<_, DecodeError> = OwnedResponse::parse_enveloped(frame);
    assert_eq!(refused.map(|_| ()).unwrap_err().fault(), Fault::Text);
}

/// What is nested too deeply for a check of the bytes cannot be owned, and nothing else.
#[test]
fn owned_answers_nest_as_deeply_as_checked_ones() {
    let folders = |folders| {
        let folder = (0..folders).fold(Vec::new(), |folder, _| field(1, &field(11, &folder)));
        field(PayloadKind::DeckList.number(), &field(1, &folder))
    };
    let groups = |depth| [[0x9b, 0x06].repeat(depth), [0x9c, 0x06].repeat(depth)].concat();
    let beside = |depth| [folders(1), groups(depth)].concat();
    let in_folder = |depth| field(PayloadKind::DeckList.number(), &groups(depth));
    let nested: [&dyn Fn(usize) -> Vec<u8>; 4] = [&folders, &groups, &beside, &in_folder];
    for nested in nested {
        let mut owned = [0; 2];
        for depth in 45..105 {
            let bytes = [number(1, 1), nested(depth)].concat();
            for head in [number(2, 0), Vec::new()] {
                let bytes = [&*bytes, &head].concat();
                let is_sound = check::<Response<'_>>(&bytes).is_ok();
                assert_eq!(OwnedResponse::parse(&*bytes).is_ok(), is_sound, "{depth}");
                owned[0] += u32::from(is_sound);
                let frame = enveloped(&bytes);
                let is_sound = check::<ServerMessage<'_>>(&frame).is_ok();
                assert_eq!(OwnedResponse::parse_enveloped(frame).is_ok(), is_sound, "{depth}");
                owned[1] += u32::from(is_sound);
            }
        }
        assert!(owned[0] > 0 && owned[1] > 0 && owned[0] < 120, "{owned:?}");
    }
}

/// Whether the head of the answer cannot be read, its payload, or one of several pieces.
#[test]
fn errors_in_an_envelope_count_from_its_start() {
    let frames: [&[u8]; 5] = [
        b"\x08\x00\x12\x0d\x08\x07\x10\x01\xca\x3f\x06\x0a\x04sal\xff",
        b"\x08\x00\x12\x04\x08\x07\x10\x01\x12\x09\xca\x3f\x06\x0a\x04sal\xff",
        b"\x12\x0d\x08\x07\x10\x01\xca\x3f\x06\x0a\x04sal\xff",
        b"\x08\x00\x12\x08\x08\x07\x10\x01\xca\x3f\x06\x0a",
        b"\x08\x00\x12\x02\x10\x01",
    ];
    for frame in frames {
        let error = check_with_text::<ServerMessage<'_>>(frame).unwrap_err();
        assert_eq!(OwnedResponse::parse_enveloped(frame).unwrap_err(), error, "{frame:x?}");
    }
}

#[test]
fn an_answer_in_pieces_can_be_owned() {
    let pieces = b"\x12\x02\x08\x07\x12\x02\x10\x01";
    let owned = OwnedResponse::parse_enveloped(pieces).unwrap().unwrap();
    let expected = (7, Some(ResponseCode::RespOk));
    assert_eq!((owned.cmd_id(), owned.code()), expected);
}

/// Every recorded answer of the real server can be owned, with the same content.
#[test]
fn recorded_answers_can_be_owned() {
    let mut kept = 0;
    let session = data::bytes("session.bin.gz");
    let mut rest = session.as_slice();
    while let Some((length, tail)) = rest.split_first_chunk() {
        let (message, tail) = tail.split_at(u32::from_be_bytes(*length) as usize);
        rest = tail;
        let Some(response) = Response::parse_enveloped(message).unwrap() else {
            assert!(OwnedResponse::parse_enveloped(message).unwrap().is_none());
            continue;
        };
        let owned = OwnedResponse::parse_enveloped(message).unwrap().unwrap();
        assert_eq!(format!("{owned:?}"), format!("{response:?}"));
        kept += 1;
    }
    assert!(kept > 100);
}

//! Views of messages: presence, defaults, order, merging, unknown fields, text
//! (docs/ARCHITECTURE.md, "The reader", and the rules of protobuf).

use portreeve::game::info::{Ban, Card, CardArt, DeckFolder, Game, Room, User, Zone, ZoneType};
use portreeve::game::payload::{GetUserInfo, Login, PasswordSalt, Payload, WarnList};
use portreeve::game::{
    Fault, MAX_DEPTH, Message, PayloadKind, Response, ResponseCode, ServerMessage, UnknownValue,
    check, json,
};

use crate::bytes::{field, number};

#[test]
fn cmd_id_is_required() {
    let error = Response::parse(b"\x10\x01").unwrap_err();
    assert_eq!(error.fault(), Fault::MissingRequired("cmd_id"));
    let envelope = field(2, b"\x10\x01");
    let message = ServerMessage::parse(&envelope).unwrap();
    assert!(message.response().is_err());
    let mut slot = None;
    let read = message.response.read_into(&mut slot);
    assert_eq!(read.unwrap_err().fault(), Fault::MissingRequired("cmd_id"));
    assert!(check::<ServerMessage<'_>>(&envelope).is_err());
}

#[test]
fn an_answer_read_into_a_variable_keeps_its_unknown_fields() {
    let bytes = field(2, &[number(1, 5), number(77, 1), field(1017, b"\x0a\x01s")].concat());
    let message = ServerMessage::parse(&bytes).unwrap();
    let mut slot = None;
    let response = message.response.read_into(&mut slot).unwrap().unwrap();
    assert_eq!(response.unknown_fields().iter().count(), 1);
    let salt: PasswordSalt<'_> = response.get().unwrap().unwrap();
    assert_eq!(salt.password_salt(), Ok("s"));
}

#[test]
fn a_response_code_may_be_absent_unknown_repeated_or_negative() {
    let code = |codes: &[i64]| {
        let fields = codes.iter().map(|&code| number(2, code as u64));
        let bytes = [number(1, 5), fields.collect::<Vec<_>>().concat()].concat();
        let response = Response::parse(&bytes).unwrap();
        (response.code(), response.raw_code())
    };
    use ResponseCode::*;
    assert_eq!(code(&[]), (None, None));
    assert_eq!(code(&[1]), (Some(RespOk), Some(1)));
    assert_eq!(code(&[1, 2]), (Some(RespNotInRoom), Some(2)));
    assert_eq!(code(&[-1]), (Some(RespNotConnected), Some(-1)));
    assert_eq!(code(&[999]), (None, Some(999)));
    // An unknown number is an unknown field: an earlier known one remains valid.
    assert_eq!(code(&[1, 999]), (Some(RespOk), Some(999)));
    // Added by newer servers.
    assert_eq!(code(&[38]).0, Some(RespPasswordChangeRequired));
    assert_eq!(number(2, -1_i64 as u64).len(), 11);
}

#[test]
fn codes_and_kinds_have_the_names_and_numbers_of_the_schema() {
    for (code, number) in ResponseCode::ALL.iter().zip(-1..) {
        assert_eq!(code.number(), number);
        assert_eq!(ResponseCode::from_number(number), Some(*code));
        assert!(code.name().starts_with("Resp"));
    }
    assert_eq!(ResponseCode::from_number(39), None);
    assert_eq!(ResponseCode::RespEmailBlackListed.to_string(), "RespEmailBlackListed");
    assert_eq!(PayloadKind::ViewLogHistory.name(), "VIEW_LOG");
    assert_eq!(PayloadKind::ListCardArtRules.name(), "CARD_ART_RULE_LIST");
    assert_eq!(PayloadKind::Login.extension(), "[Response_Login.ext]");
}

#[test]
fn fields_may_come_in_any_order() {
    let payload = field(PayloadKind::PasswordSalt.number(), &field(1, b"salt"));
    let bytes = [payload, number(2, 1), number(1, 7)].concat();
    let response = Response::parse(&bytes).unwrap();
    assert_eq!((response.cmd_id(), response.code()), (7, Some(ResponseCode::RespOk)));
    let salt: PasswordSalt<'_> = response.get().unwrap().unwrap();
    assert_eq!(salt.password_salt(), Ok("salt"));
    assert!(response.get::<Login<'_>>().unwrap().is_none());
}

#[test]
fn getters_return_defaults_and_fields_show_presence() {
    let user = User::parse(b"").unwrap();
    assert_eq!((user.id(), user.id), (-1, None));
    assert_eq!((user.user_level(), user.user_level), (0, None));
    assert_eq!((user.name(), user.name), (Ok(""), None));
    assert_eq!(user.avatar_bmp(), b"");
    assert!(user.card_art_params().unwrap().is_none());
    let art = CardArt::default();
    let margins = (art.margin_pct_l(), art.margin_pct_r());
    assert_eq!((margins, art.vertical_offset(), art.zoom()), ((0.33, 0.02), 0.35, 1.0));
    let zone = Zone::parse(b"\x10\x02").unwrap();
    assert_eq!((zone.r#type(), zone.r#type), (ZoneType::HiddenZone, Some(ZoneType::HiddenZone)));
    assert_eq!(Zone::default().r#type(), ZoneType::PrivateZone);
    assert_eq!(Card::default().attach_card_id(), -1);
    let present = User::parse(b"\x40\x01").unwrap();
    assert_eq!((present.id(), present.id), (-1, Some(-1)));
}

#[test]
fn a_payload_in_pieces_is_merged() {
    let name = |name: &str| field(1, name.as_bytes());
    let one = [field(1, &name("first")), field(2, &name("ann"))].concat();
    let two = [field(2, &name("bob")), field(1, &number(2, 3)), field(6, b"x")].concat();
    let number_of = PayloadKind::Login.number();
    let bytes =
        [number(1, 1), field(number_of, &one), number(2, 1), field(number_of, &two)].concat();
    // The same, with the response itself split into two pieces.
    let (start, end) = bytes.split_at(2);
    let envelope = [field(2, start), field(2, end)].concat();
    for envelope in [field(2, &bytes), envelope] {
        let message = ServerMessage::parse(&envelope).unwrap();
        let response = message.response().unwrap().unwrap();
        assert_eq!(response.kind(), Some(PayloadKind::Login));
        assert_eq!(response.extensions().count(), 2);
        let login: Login<'_> = response.get().unwrap().unwrap();
        let user = login.user_info().unwrap().unwrap();
        assert_eq!((user.name(), user.user_level()), (Ok("first"), 3));
        let mut names = Vec::new();
        for buddy in login.buddy_list() {
            names.push(buddy.unwrap().name().unwrap());
        }
        assert_eq!(names, ["ann", "bob"]);
        assert_eq!(login.missing_features().collect::<Result<Vec<_>, _>>(), Ok(vec!["x"]));
        let again = response.to_vec();
        let again = Response::parse(&again).unwrap();
        assert_eq!(again.extensions().count(), 2);
        assert_eq!(json::to_string(&again), json::to_string(&response));
    }
}

/// The deepest chain of sub-messages, each of which is split into pieces.
#[test]
fn nested_payloads_in_pieces_are_merged() {
    let colour = |number, text: &str| field(15, &field(number, text.as_bytes()));
    let user = |colour: Vec<u8>| field(1, &colour);
    let payload = |user: Vec<u8>| field(PayloadKind::GetUserInfo.number(), &user);
    let bytes = [
        field(2, &number(1, 9)),
        field(2, &payload(user(colour(1, "#left")))),
        field(2, &[payload(user(colour(1, "#again"))), payload(user(number(2, 4)))].concat()),
        field(2, &payload([user(number(99, 1)), user(colour(2, "#right"))].concat())),
    ]
    .concat();
    let message = ServerMessage::parse(&bytes).unwrap();
    check::<ServerMessage<'_>>(&bytes).unwrap();
    let response = message.response().unwrap().unwrap();
    let info: GetUserInfo<'_> = response.get().unwrap().unwrap();
    let user = info.user_info().unwrap().unwrap();
    assert_eq!(user.user_level(), 4);
    let colours = user.pawn_colors().unwrap().unwrap();
    assert_eq!((colours.left_side(), colours.right_side()), (Ok("#again"), Ok("#right")));
    let unknown: Vec<_> = user.unknown.iter().map(|field| field.number).collect();
    assert_eq!(unknown, [99]);
    // Encoded, they stay in pieces.
    let once = message.to_vec();
    let again = ServerMessage::parse(&once).unwrap();
    assert_eq!(json::to_string(&again), json::to_string(&message));
}

/// Encoding does not join unreadable pieces into something readable.
#[test]
fn pieces_that_cannot_be_read_are_encoded_unchanged() {
    let bytes = [field(3, b"\x0a\x05ab"), field(3, b"cde")].concat();
    let message = ServerMessage::parse(&bytes).unwrap();
    assert!(check::<ServerMessage<'_>>(&bytes).is_err());
    assert_eq!(message.to_vec(), bytes);
}

#[test]
fn unknown_fields_are_kept() {
    let group = b"\x9b\x06\x08\x01\x9c\x06";
    let bytes =
        [&number(1, 1)[..], &number(2, 777), &field(999, b"abc"), group, &number(50, 6)].concat();
    let response = Response::parse(&bytes).unwrap();
    check::<Response<'_>>(&bytes).unwrap();
    let unknown: Vec<_> = response.unknown_fields().iter().collect();
    let values: Vec<_> = unknown.iter().map(|field| (field.number, field.value)).collect();
    assert_eq!(
        values,
        [
            (2, UnknownValue::Varint(777)),
            (999, UnknownValue::Delimited(b"abc")),
            (99, UnknownValue::Group(b"\x08\x01")),
            (50, UnknownValue::Varint(6)),
        ]
    );
    assert_eq!(unknown[2].bytes, group);
    assert_eq!(response.kind(), None);
    assert_eq!(response.extensions().next().unwrap().0, 999);
    assert_eq!(json::to_string(&response).unwrap(), r#"{"cmd_id":"1"}"#);
    let again = response.to_vec();
    assert_eq!(Response::parse(&again).unwrap().unknown_fields().iter().count(), 4);
    // A known field with another wire type, and an enum value that the schema does not have.
    let zone = Zone::parse(b"\x10\x09\x0d\x01\x02\x03\x04\x10\x01").unwrap();
    assert_eq!(zone.r#type, Some(ZoneType::PublicZone));
    let numbers: Vec<_> = zone.unknown.iter().map(|field| field.number).collect();
    assert_eq!(numbers, [2, 1]);
}

#[test]
fn numbers_are_read_whether_packed_or_not() {
    let bytes =
        [number(4, 1), field(4, b"\x02\x03"), field(4, b""), number(4, 1 << 40 | 4)].concat();
    let list = WarnList::parse(&bytes).unwrap();
    assert_eq!(list.warning_il().collect::<Vec<_>>(), [1, 2, 3, 4]);
    let error = WarnList::parse(b"\x22\x02\x01\x80").unwrap_err();
    assert_eq!(error.fault(), Fault::Truncated);
    // Zigzag.
    let game = Game::parse(b"\x38\x01\x3a\x02\x02\x03").unwrap();
    assert_eq!(game.game_types().collect::<Vec<_>>(), [-1, 1, -2]);
}

#[test]
fn text_is_checked_when_read() {
    let bytes = field(1, b"caf\xe9");
    let user = User::parse(&bytes).unwrap();
    let error = user.name().unwrap_err();
    assert_eq!((error.fault(), error.offset()), (Fault::Text, 3));
    assert_eq!(user.name.unwrap().as_bytes(), b"caf\xe9");
    assert_eq!(json::to_string(&user).unwrap(), "{\"name\":\"caf\u{fffd}\"}");
    check::<User<'_>>(&bytes).unwrap();
    assert_eq!(error.within(&bytes).offset(), 5);
}

#[test]
fn a_missing_required_field_in_a_nested_message_is_reported_by_check() {
    let ban = field(1, b"7");
    let bytes = [number(1, 1), field(PayloadKind::BanHistory.number(), &field(1, &ban))].concat();
    let response = Response::parse(&bytes).unwrap();
    assert_eq!(Ban::parse(&ban).unwrap().admin_id(), Ok("7"));
    let Some(Payload::BanHistory(history)) = response.payload().unwrap() else {
        panic!("{response:?}");
    };
    assert_eq!(history.ban_list().count(), 1);
    let error = check::<Response<'_>>(&bytes).unwrap_err();
    assert_eq!(error.fault(), Fault::MissingRequired("admin_name"));
    assert_eq!((error.message(), error.offset()), ("ServerInfo_Ban", 7));
    assert_eq!(json::to_string(&response), Err(error));
    assert_eq!(
        error.to_string(),
        "cannot read ServerInfo_Ban at byte 7: the required field `admin_name` is missing"
    );
}

#[test]
fn depth_is_bounded() {
    let tree = |folders: usize| {
        let mut folder = Vec::new();
        for _ in 0..folders {
            folder = field(1, &field(11, &folder));
        }
        field(PayloadKind::DeckList.number(), &field(1, &folder))
    };
    // Payload, root, then an item and a folder for each: 98 of the 100 levels.
    let bytes = [number(1, 1), tree(49)].concat();
    check::<Response<'_>>(&bytes).unwrap();
    let bytes = [number(1, 1), tree(50)].concat();
    let response = Response::parse(&bytes).unwrap();
    assert_eq!(check::<Response<'_>>(&bytes).unwrap_err().fault(), Fault::TooDeep);
    assert_eq!(json::to_string(&response).unwrap_err().fault(), Fault::TooDeep);
    assert!(format!("{response:?}").contains("the nesting is deeper than 100 levels"));
    // Views themselves have no limit of depth.
    let bytes = [number(1, 1), tree(5_000)].concat();
    let response = Response::parse(&bytes).unwrap();
    assert_eq!(check::<Response<'_>>(&bytes).unwrap_err().fault(), Fault::TooDeep);
    let Some(Payload::DeckList(list)) = response.payload().unwrap() else {
        panic!("no deck list");
    };
    let mut folder: DeckFolder<'_> = list.root().unwrap().unwrap();
    let mut depth = 0;
    while let Some(item) = folder.items().next() {
        folder = item.unwrap().folder().unwrap().unwrap();
        depth += 1;
    }
    assert_eq!(depth, 5_000);
    let groups = |depth: u32| {
        let start = [0x9b, 0x06].repeat(depth as usize);
        let end = [0x9c, 0x06].repeat(depth as usize);
        [number(1, 1), start, end].concat()
    };
    Response::parse(&groups(MAX_DEPTH)).unwrap();
    let error = Response::parse(&groups(MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(error.fault(), Fault::TooDeep);
    Response::parse(&groups(100_000)).unwrap_err();
}

/// What the schema does not have may be a secret: `Debug` shows the number and the size.
#[test]
fn debug_shows_no_unknown_bytes() {
    let user = User::parse(b"\x9a\x06\x06s3cret\x0a\x03ann").unwrap();
    assert_eq!(format!("{:?}", user.unknown), "[99 (9 bytes)]");
    let value = user.unknown.iter().next().unwrap().value;
    assert_eq!(format!("{value:?}"), "LengthDelimited");
    assert_eq!(format!("{user:?}"), r#"ServerInfo_User {"name":"ann"}"#);
}

#[test]
fn elements_are_read_into_a_variable() {
    let users = [field(1, b"ann"), Vec::new(), field(1, b"bob")];
    let bytes: Vec<u8> = users.iter().flat_map(|user| field(8, user)).collect();
    let room = Room::parse(&bytes).unwrap();
    let mut names = Vec::new();
    assert_eq!(room.user_list.len(), 3);
    let (mut list, mut slot) = (room.user_list(), None);
    assert_eq!(list.size_hint(), (3, Some(3)));
    while let Some(user) = list.read_into(&mut slot).unwrap() {
        names.push(user.name().unwrap());
    }
    assert_eq!(names, ["ann", "", "bob"]);
    let bad = field(8, b"\x0a\x05x");
    let room = Room::parse(&bad).unwrap();
    let mut list = room.user_list();
    assert_eq!(list.read_into(&mut slot).unwrap_err().fault(), Fault::LengthPastEnd);
    assert!(list.read_into(&mut slot).unwrap().is_none());
    let info = field(1, &field(1, b"ann"));
    let info = GetUserInfo::parse(&info).unwrap();
    let user = info.user_info.read_into(&mut slot).unwrap().unwrap();
    assert_eq!(user.name(), Ok("ann"));
    // Nothing is stored for a message that is absent.
    let mut empty = None;
    let absent = GetUserInfo::default().user_info;
    assert!(absent.read_into(&mut empty).unwrap().is_none());
    assert!(empty.is_none());
}

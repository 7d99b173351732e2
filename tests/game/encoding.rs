//! A message filled by hand, encoded, read again, changed and sent on.

use portreeve::game::info::{CardArt, Game, Room, User};
use portreeve::game::payload::{JoinRoom, Payload};
use portreeve::game::{
    Message, MessageType, Nested, Repeated, Response, ResponseCode, ServerMessage, Text, check,
    json,
};

#[test]
fn an_answer_is_built_and_read() {
    let art = CardArt { zoom: Some(f64::NAN), margin_pct_l: Some(0.1), ..CardArt::default() };
    let users = [
        User {
            name: Some("ann".into()),
            id: Some(-7),
            session_id: Some(u64::MAX),
            avatar_bmp: Some(b"\xff\x00"),
            card_art_params: Nested::from(&art),
            ..User::default()
        },
        User::default(),
    ];
    let types = [-1, 2];
    let games = [Game {
        game_types: Repeated::from(&types),
        creator_info: Nested::from(&users[0]),
        ..Game::default()
    }];
    let room = Room {
        user_list: Repeated::from(&users),
        game_list: Repeated::from(&games),
        description: Some("試験 🃏".into()),
        ..Room::default()
    };
    let payload = Payload::from(JoinRoom { room_info: Nested::from(&room), ..JoinRoom::default() });
    let response = Response::new(3, ResponseCode::RespOk).with_payload(&payload);
    let message = ServerMessage {
        message_type: Some(MessageType::Response),
        response: Nested::from(&response),
        ..ServerMessage::default()
    };
    let bytes = message.to_vec();
    assert_eq!(bytes.len(), message.encoded_len());
    let read = ServerMessage::parse(&bytes).unwrap();
    check::<ServerMessage<'_>>(&bytes).unwrap();
    let expected = r#"{"message_type":"RESPONSE","response":{"cmd_id":"3","response_code":"RespOk","[Response_JoinRoom.ext]":{"room_info":{"description":"試験 🃏","game_list":[{"game_types":[-1,2],"creator_info":{"name":"ann","avatar_bmp":"/wA=","id":-7,"session_id":"18446744073709551615","card_art_params":{"margin_pct_l":0.1,"zoom":"NaN"}}}],"user_list":[{"name":"ann","avatar_bmp":"/wA=","id":-7,"session_id":"18446744073709551615","card_art_params":{"margin_pct_l":0.1,"zoom":"NaN"}},{}]}}}}"#;
    assert_eq!(json::to_string(&message).unwrap(), expected);
    assert_eq!(json::to_string(&read).unwrap(), expected);
    assert_eq!(read.to_vec(), bytes);
    // A message that was read can be changed and encoded again.
    let mut response = read.response().unwrap().unwrap();
    let join: JoinRoom<'_> = response.get().unwrap().unwrap();
    let mut room = join.room_info().unwrap().unwrap();
    room.name = Some(Text::from("renamed"));
    let payload = Payload::from(JoinRoom { room_info: Nested::from(&room), ..join });
    response = response.with_payload(&payload);
    let bytes = response.to_vec();
    let read = json::to_string(&Response::parse(&bytes).unwrap()).unwrap();
    assert!(read.contains(r#""name":"renamed","description":"試験 🃏""#), "{read}");
    assert_eq!(read.matches("ann").count(), 2);
}

//! Commands built in code, compared with the bytes that a real client sent.

use portreeve::game::command::{
    AdjustMod, CardToMove, CardsToMove, CommandContainer, CreateToken, GameCommand,
    GameCommandPayload, JoinGame, Judge, Login, MoveCard, Register, ReportAddComment, RollDie,
    TargetMode, ViewLogHistory,
};
use portreeve::game::payload::WarnList;
use portreeve::game::{Command, Extended, Message, Nested, Repeated, Text};

use crate::data;

/// The bytes of the recorded command with this number.
fn recorded(n: u32) -> Vec<u8> {
    let mut records = data::records("commands").into_iter();
    records.find(|record| record.n == n).unwrap().message()
}

#[test]
fn commands_of_each_family_have_the_bytes_of_a_real_client() {
    let features = [
        "client_id",
        "client_ver",
        "feature_set",
        "user_ban_history",
        "room_chat_history",
        "client_warnings",
        "mod_log_lookup",
        "idle_client",
        "forgot_password",
        "websocket",
        "2.7.0_min_version",
        "2.8.0_min_version",
        "hashed_password_login",
    ]
    .map(Text::from);
    let login = Login {
        user_name: Some("lab_sleeper".into()),
        password: Some("labpass1".into()),
        clientid: Some("ebc9d752315df9b".into()),
        clientver: Some("2.10.2".into()),
        clientfeatures: Repeated::from(&features),
        ..Login::default()
    };
    assert_eq!(Command::session(login).to_vec(29), recorded(42));

    let hash = "ABCDEFGHIJKLMNOPU2ZEOuWTRAq7Qqcs5rLIQCHi+t6OuUp7YZjvaqaPPZ5BTOMyyTgYyOIDSSwIc3tQWXSgM788cOrfxzM0DVjNiA==";
    let register = Register {
        email: Some("new1@example.invalid".into()),
        hashed_password: Some(hash.into()),
        ..Register::new("lab_new2")
    };
    assert_eq!(Command::session(register).to_vec(21), recorded(34));
    let comment = ReportAddComment::new(1, "looking into it");
    assert_eq!(Command::session(comment).to_vec(42), recorded(741));

    let join = JoinGame {
        game_id: Some(5),
        spectator: Some(true),
        override_restrictions: Some(true),
        ..JoinGame::default()
    };
    assert_eq!(Command::room(0, join).to_vec(3), recorded(588));

    let locations = ["room"].map(Text::from);
    let history = ViewLogHistory {
        user_name: Some("lab_ed".into()),
        log_location: Repeated::from(&locations),
        maximum_results: Some(5),
        ..ViewLogHistory::new(60_u32)
    };
    assert_eq!(Command::moderator(history).to_vec(21), recorded(720));
    let adjust = AdjustMod { should_be_judge: Some(true), ..AdjustMod::new("nobody_here") };
    assert_eq!(Command::admin(adjust).to_vec(6), recorded(764));
}

#[test]
fn commands_in_a_game_have_the_bytes_of_a_real_client() {
    let game = |cmd_id, command: Command| command.to_vec(cmd_id);
    let cards = [24, 4].map(|id| CardToMove {
        card_id: Some(id),
        pt: Some("3/3".into()),
        ..CardToMove::default()
    });
    let cards = CardsToMove { card: Repeated::from(&cards), ..CardsToMove::default() };
    let moved = MoveCard {
        start_player_id: Some(0),
        start_zone: Some("hand".into()),
        cards_to_move: Nested::from(&cards),
        target_player_id: Some(0),
        target_zone: Some("table".into()),
        x: Some(6),
        y: Some(0),
        ..MoveCard::default()
    };
    assert_eq!(game(50, Command::game(3, moved)), recorded(207));

    let token = CreateToken {
        zone: Some("table".into()),
        card_name: Some("Lab Werewolf".into()),
        pt: Some("5/5".into()),
        destroy_on_zone_change: Some(true),
        x: Some(0),
        y: Some(0),
        target_zone: Some("table".into()),
        target_card_id: Some(12),
        target_mode: Some(TargetMode::TransformInto),
        ..CreateToken::default()
    };
    assert_eq!(game(106, Command::game(3, token)), recorded(260));

    // A command within a command.
    let cards = [CardToMove { card_id: Some(28), ..CardToMove::default() }];
    let cards = CardsToMove { card: Repeated::from(&cards), ..CardsToMove::default() };
    let moved = GameCommandPayload::from(MoveCard {
        start_player_id: Some(1),
        start_zone: Some("hand".into()),
        cards_to_move: Nested::from(&cards),
        target_player_id: Some(1),
        target_zone: Some("grave".into()),
        x: Some(0),
        y: Some(0),
        ..MoveCard::default()
    });
    let commands = [GameCommand { payload: Extended::from(&moved), ..GameCommand::default() }];
    let judge =
        Judge { target_id: Some(1), game_command: Repeated::from(&commands), ..Judge::default() };
    assert_eq!(game(12, Command::game(3, judge)), recorded(344));
}

#[test]
fn debug_output_of_a_command_does_not_show_the_password() {
    let command = Command::session(Login { password: Some("s3cret".into()), ..Login::default() });
    assert_eq!(format!("{command:?}"), "Command(LOGIN)");
    let bytes = command.to_vec(1);
    let container = CommandContainer::parse(&bytes).unwrap();
    let shown = format!("{container:?} {:?}", container.session_command().next());
    assert!(shown.contains("***") && !shown.contains("s3cret"), "{shown}");
}

#[test]
fn a_command_is_encoded_with_any_cmd_id_or_none() {
    let command = Command::ping();
    for cmd_id in [0, 127, 128, u64::from(u32::MAX), u64::MAX] {
        let bytes = command.to_vec(cmd_id);
        let read = CommandContainer::parse(&bytes).unwrap();
        assert_eq!(read.cmd_id, Some(cmd_id));
        assert_eq!(Command::from_container(&read).to_vec(cmd_id), bytes);
    }
    assert_eq!(command.container().cmd_id, None);
    let empty = Command::from_container(&CommandContainer::default());
    assert_eq!(empty.container().to_vec(), b"");
}

#[test]
fn several_commands_share_a_container() {
    let die = GameCommandPayload::from(RollDie { sides: Some(6), ..RollDie::default() });
    let rolls = [GameCommand { payload: Extended::from(&die), ..GameCommand::default() }; 25];
    let command = Command::from_container(&CommandContainer {
        cmd_id: Some(9),
        game_id: Some(3),
        game_command: Repeated::from(&rolls),
        ..CommandContainer::default()
    });
    assert_eq!(command.kinds().count(), 25);
    let bytes = command.to_vec(7);
    let read = CommandContainer::parse(&bytes).unwrap();
    assert_eq!((read.cmd_id(), read.game_id()), (7, 3));
    for roll in read.game_command() {
        let roll: RollDie<'_> = roll.unwrap().get().unwrap().unwrap();
        assert_eq!(roll.sides(), 6);
    }
}

#[test]
fn the_iterator_of_a_list_can_be_shown() {
    let list = WarnList { warning_il: Repeated::from(&[1, 2]), ..WarnList::default() };
    assert_eq!(format!("{:?}", list.warning_il()), "Iter((2, Some(2)))");
}

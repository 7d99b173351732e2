//! Commands from JSON: every recorded command comes back from its JSON as the same bytes, and what
//! is no command says why.

use portreeve::game::{Command, CommandContainer, json};

use super::script::sessions;

#[test]
fn recorded_commands_come_back() {
    let mut commands = 0;
    for name in [
        "tcp-game-player-a",
        "tcp-guest",
        "tcp-moderator",
        "tcp-register-activate",
        "tcp-room-chat",
        "websocket-four-players",
    ] {
        for bytes in &sessions(name)[0].commands {
            let container = CommandContainer::parse(bytes).unwrap();
            let Ok(json) = json::to_string(&container) else {
                continue;
            };
            // Unknown commands have no JSON, and no or several kinds are not accepted.
            if let Ok((command, Some(cmd_id))) = Command::from_json(&json) {
                assert_eq!(&command.to_vec(cmd_id), bytes, "{json}");
                commands += 1;
            }
        }
    }
    assert!(commands > 350, "{commands}");
}

#[test]
fn slips_of_the_pen() {
    for (json, problem) in [
        ("", "no JSON object"),
        ("[]", "no JSON object"),
        ("{}", "and not of 0"),
        ("{\"cmd_id\":-1}", "64 bits that is not negative"),
        ("{\"session_command\":{}}", "must be a list"),
        ("{\"session_command\":[7]}", "must be an object"),
        (
            "{\"session_commands\":[]}",
            "it has cmd_id, game_id, room_id",
        ),
        (
            "{\"session_command\":[{\"[Command_Ping.ext]\":[]}]}",
            "must be an object",
        ),
        (
            "{\"session_command\":[{\"[Command_Ping.ext]\":{\"x\":1}}]}",
            "it has no fields",
        ),
        (
            "{\"session_command\":[{\"[Command_Register.ext]\":{}}]}",
            "`Command_Register` needs user_name",
        ),
        (
            "{\"session_command\":[{\"[Command_JoinRoom.ext]\":{\"room_id\":4294967296}}]}",
            "32 bits that is not negative",
        ),
        (
            "{\"session_command\":[{\"[Command_Ping.ext]\":{}}],\"room_command\":[{\"[Command_LeaveRoom.ext]\":{}}]}",
            "and not of 2",
        ),
        (
            "{\"session_command\":[{}]}",
            "`SessionCommand` needs a command",
        ),
    ] {
        let error = Command::from_json(json).unwrap_err().to_string();
        assert!(error.contains(problem), "{json}: {error}");
    }
    // As deep as it goes.
    let deep = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    assert!(Command::from_json(&deep).is_err());
}

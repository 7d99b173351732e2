//! Commands from JSON: every recorded command is rebuilt from its JSON with the same bytes, and
//! anything else is refused with a reason.

use portreeve::game::{Command, CommandContainer, Message, json};

use crate::data;

/// All recorded commands, from the JSON that Google's library made of them.
#[test]
fn recorded_commands_are_rebuilt_from_their_json() {
    let mut commands: Vec<_> = data::records("commands")
        .iter()
        .map(|record| (record.message(), record.expected.clone()))
        .collect();
    for line in data::TWO_WAY.iter().flat_map(|name| data::two_way(name)) {
        if line.message_type.as_deref() == Some("CommandContainer") {
            commands.push((line.message().unwrap(), line.expected));
        }
    }
    let mut refused = 0;
    for (bytes, expected) in &commands {
        let container = CommandContainer::parse(bytes).unwrap();
        let again = match Command::from_json(&expected.to_string()) {
            Ok((command, Some(cmd_id))) => command.to_vec(cmd_id),
            Ok((command, None)) => command.container().to_vec(),
            // Containers that were sent to try out the server: empty ones, several kinds in one,
            // commands that the schema does not have.
            Err(error) => {
                let none = container.kinds().next().is_none();
                let several = error.to_string().ends_with("kinds");
                assert!(several || none, "{expected}: {error}");
                refused += 1;
                continue;
            }
        };
        assert_eq!(&again, bytes, "{expected}");
        // The JSON that this crate writes is read as well.
        let (same, _) = Command::from_json(&json::to_string(&container).unwrap()).unwrap();
        assert_eq!(same.container().to_vec(), container_without_id(bytes));
    }
    assert_eq!((commands.len(), refused), (1871, 43));
}

/// Also a number of which a fast parser misses the last bit.
#[test]
fn doubles_are_read_exactly() {
    for zoom in ["0.40159101448507484", "1e23", "5e-324", "1.7976931348623157e308"] {
        let json = format!(
            r#"{{"game_command":[{{"[Command_SetPlaymat.ext]":{{"playmat_params":{{"zoom":{zoom}}}}}}}]}}"#
        );
        let (command, _) = Command::from_json(&json).unwrap();
        let bytes = command.container().to_vec();
        let exact = zoom.parse::<f64>().unwrap().to_le_bytes();
        assert!(bytes.ends_with(&exact), "{zoom}");
    }
}

/// The container without its `cmd_id`.
fn container_without_id(bytes: &[u8]) -> Vec<u8> {
    let container = CommandContainer::parse(bytes).unwrap();
    Command::from_container(&container).container().to_vec()
}

#[test]
fn malformed_json_commands_are_refused_with_the_reason() {
    for (json, problem) in [
        ("", "not a JSON object"),
        ("[]", "not a JSON object"),
        ("{}", "but it has 0 kinds"),
        ("{\"cmd_id\":-1}", "an unsigned 64-bit integer"),
        ("{\"session_command\":{}}", "must be an array"),
        ("{\"session_command\":[7]}", "must be an object"),
        ("{\"session_commands\":[]}", "it has cmd_id, game_id, room_id"),
        ("{\"session_command\":[{\"[Command_Ping.ext]\":[]}]}", "must be an object"),
        ("{\"session_command\":[{\"[Command_Ping.ext]\":{\"x\":1}}]}", "it has no fields"),
        (
            "{\"session_command\":[{\"[Command_Register.ext]\":{}}]}",
            "`Command_Register` lacks the required field `user_name`",
        ),
        (
            "{\"session_command\":[{\"[Command_JoinRoom.ext]\":{\"room_id\":4294967296}}]}",
            "an unsigned 32-bit integer",
        ),
        (
            "{\"session_command\":[{\"[Command_Ping.ext]\":{}}],\"room_command\":[{\"[Command_LeaveRoom.ext]\":{}}]}",
            "but it has 2 kinds",
        ),
        (
            "{\"session_command\":[{}]}",
            "`SessionCommand` must contain exactly one command, as in {\"[Command_Ping.ext]\":{}}, but it has 0",
        ),
        (
            "{\"session_command\":[{\"[Command_Ping.ext]\":{},\"[Command_ListRooms.ext]\":{}}]}",
            "but it has 2",
        ),
        (
            r#"{"cmd_id":1,"cmd_id":2}"#,
            "not a JSON object: `cmd_id` occurs twice in the same object",
        ),
        (
            r#"{"session_command":[{"[Command_JoinRoom.ext]":{"room_id":1,"room\u005fid":2}}]}"#,
            "`room_id` occurs twice",
        ),
    ] {
        let error = Command::from_json(json).unwrap_err().to_string();
        assert!(error.contains(problem), "{json}: {error}");
    }
    // The same name in several objects, and in a text.
    let said = r#"{"message":"\"message\":{\"message\":"}"#;
    let twice = format!(
        r#"{{"room_command":[{{"[Command_RoomSay.ext]":{said}}},{{"[Command_RoomSay.ext]":{said}}}]}}"#
    );
    assert_eq!(Command::from_json(&twice).unwrap().0.kinds().count(), 2);
    // Deep nesting does not overflow the stack.
    let deep = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    assert!(Command::from_json(&deep).is_err());
}

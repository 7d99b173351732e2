//! The input of `portreeve game connect`: lines are cut as they should be, whatever the pieces they
//! are read in; what is taken for a command is one that a server can read, and comes back from its
//! own JSON.
//!
//! The module that cuts belongs to the binary, and is compiled into this target as it stands.

use std::io::BufReader;

use portreeve::game::{Command, CommandContainer, check_with_text, json};

use self::lines::{LineError, next_line};

#[path = "../../src/cli/game/lines.rs"]
mod lines;

/// How long a line may be.
const LIMIT: usize = 1 << 10;

pub(crate) fn run(data: &[u8]) {
    let Some((&step, input)) = data.split_first() else {
        return;
    };
    let mut reader = BufReader::with_capacity(usize::from(step) + 1, input);
    let mut expected = input.split_inclusive(|&byte| byte == b'\n');
    while let Some(line) = next_line(&mut reader, LIMIT).unwrap() {
        let expected = expected.next().unwrap();
        let expected = expected.strip_suffix(b"\n").unwrap_or(expected);
        assert_eq!(expected.len() > LIMIT, line == Err(LineError::TooLong(LIMIT)));
        match line {
            Ok(line) => {
                assert_eq!(line.as_bytes(), expected);
                command(&line);
            }
            Err(LineError::NotText) => assert!(std::str::from_utf8(expected).is_err()),
            Err(LineError::TooLong(_)) => {}
        }
    }
    assert!(expected.next().is_none());
}

fn command(line: &str) {
    let (command, cmd_id) = match Command::from_json(line) {
        Ok((command, cmd_id)) => (command, cmd_id.unwrap_or(7)),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let bytes = command.to_vec(cmd_id);
    let container = CommandContainer::parse(&bytes).unwrap();
    check_with_text::<CommandContainer<'_>>(&bytes).unwrap();
    assert_eq!(container.cmd_id, Some(cmd_id));
    assert!(container.kinds().next().is_some());
    let text = json::to_string(&container).unwrap();
    let (again, id) = Command::from_json(&text).unwrap();
    assert_eq!((again.to_vec(cmd_id), id), (bytes, Some(cmd_id)));
}

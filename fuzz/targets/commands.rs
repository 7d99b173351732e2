//! Commands: read, checked, shown, encoded again, and as a command to be sent.

use portreeve::game::{Command, CommandContainer, Message, json};

use crate::message;

pub(crate) fn run(data: &[u8]) {
    let Ok(message) = CommandContainer::parse(data) else {
        return;
    };
    let (bytes, written) = message::hold(&message, data);
    let again = CommandContainer::parse(&bytes).unwrap();
    assert_eq!(again.to_vec(), bytes);
    assert_eq!(json::to_string(&again).ok(), written);
    let command = Command::from_container(&message);
    assert!(command.kinds().eq(message.kinds()));
    let sent = command.to_vec(message.cmd_id());
    let sent = CommandContainer::parse(&sent).unwrap();
    assert_eq!(sent.cmd_id, Some(message.cmd_id()));
    assert!(sent.kinds().eq(message.kinds()));
}

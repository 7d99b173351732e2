//! One line a message.

use std::fmt::Write as _;
use std::io::{self, Write};

use portreeve::game::{DecodeError, MessageType, Response, ServerMessage, check};

use super::input::Item;
use super::terminal::printable;
use super::{Kind, unreadable};

/// The line above the others.
pub(super) fn head(out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{:>10} {:>9}  {:<20} {:>10}  {:<24} PAYLOAD",
        "OFFSET", "SIZE", "TYPE", "CMD_ID", "CODE"
    )
}

/// Makes `line` the line of this message; `false` if the message cannot be read.
pub(super) fn line(item: &Item<'_>, kind: Kind, line: &mut String) -> bool {
    line.clear();
    // Writing to memory does not fail.
    let _ = write!(line, "{:>10} {:>9}  ", item.offset, item.size);
    let read = match &item.message {
        Ok(bytes) => describe(bytes, kind).map_err(|error| error.within(bytes).to_string()),
        Err(_) => Err(unreadable(item).unwrap_or_default().to_owned()),
    };
    let good = read.is_ok();
    line.push_str(&read.unwrap_or_else(|error| format!("error: {}", printable(&error))));
    good
}

fn describe(bytes: &[u8], kind: Kind) -> Result<String, DecodeError> {
    let (message_type, response) = match kind {
        Kind::Response => {
            let response = Response::parse(bytes)?;
            response.check()?;
            (MessageType::Response, Some(response))
        }
        Kind::Server => {
            let message = ServerMessage::parse(bytes)?;
            check(&message)?;
            (message.message_type(), message.response()?)
        }
    };
    let Some(response) = response else {
        return Ok(message_type.name().to_owned());
    };
    let code = match (response.code(), response.raw_code()) {
        (Some(code), _) => code.name().to_owned(),
        (None, Some(number)) => number.to_string(),
        (None, None) => "-".to_owned(),
    };
    let payload = match (response.kind(), response.extensions().next()) {
        (Some(kind), _) => kind.name().to_owned(),
        (None, Some(extension)) => extension.number.to_string(),
        (None, None) => "-".to_owned(),
    };
    Ok(format!(
        "{:<20} {:>10}  {code:<24} {payload}",
        message_type.name(),
        response.cmd_id()
    ))
}

//! One line a message, as a log has it.

use std::fmt::Write as _;
use std::io::{self, Write};

use portreeve::game::command::CommandContainer;
use portreeve::game::event::GameEventContainer;
use portreeve::game::{DecodeError, GameReplay, Message, Response};

use super::content::Content;
use super::summary::{Payload, summarize};
use super::{Item, Kind};

/// The line above the others.
pub(super) fn head(out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{:>10} {:>9}  {:<20} {:>10}  {:<24} CONTENT",
        "OFFSET", "SIZE", "TYPE", "CMD_ID", "CODE"
    )
}

/// Makes `line` the line of this message; `false` if the message cannot be read.
pub(super) fn line(item: &Item<'_>, kind: Kind, line: &mut String) -> bool {
    line.clear();
    // Writing to memory does not fail.
    let _ = write!(line, "{:>10} {:>9}  ", item.offset, item.size);
    let start = line.len();
    match describe_item(item, kind, line) {
        Ok(()) => true,
        Err(error) => {
            line.truncate(start);
            let _ = write!(line, "error: {}", super::terminal::printable(&error));
            false
        }
    }
}

fn describe_item(item: &Item<'_>, kind: Kind, line: &mut String) -> Result<(), String> {
    let bytes = item.message.as_ref().map_err(Clone::clone)?;
    let described = Content::parse(bytes, kind).and_then(|content| {
        content.check()?;
        describe(&content, line)
    });
    described.map_err(|error| error.within(bytes).to_string())
}

fn describe(content: &Content<'_>, line: &mut String) -> Result<(), DecodeError> {
    let cmd_id = content.cmd_id()?;
    let cmd_id = cmd_id.map_or("-".to_owned(), |cmd_id| cmd_id.to_string());
    let code = content.response()?.as_ref().map_or("-".to_owned(), code);
    let _ = write!(
        line,
        "{:<20} {cmd_id:>10}  {code:<24} ",
        content.type_name()
    );
    let start = line.len();
    content.describe(line)?;
    if line.len() == start {
        line.push('-');
    }
    line.truncate(line.trim_end().len());
    Ok(())
}

pub(super) fn answer(response: &Response<'_>, line: &mut String) {
    extension(response.kind().map(|kind| kind.name()), response, line);
}

fn code(response: &Response<'_>) -> String {
    match (response.code(), response.raw_code()) {
        (Some(code), _) => code.name().to_owned(),
        (None, Some(number)) => number.to_string(),
        (None, None) => "-".to_owned(),
    }
}

pub(super) fn commands(
    container: &CommandContainer<'_>,
    line: &mut String,
) -> Result<(), DecodeError> {
    if let Some(room) = container.room_id {
        let _ = write!(line, "room {room}: ");
    }
    if let Some(game) = container.game_id {
        let _ = write!(line, "game {game}: ");
    }
    let start = line.len();
    macro_rules! each {
        ($($list:ident)*) => {$(
            for command in container.$list() {
                separate(line, start);
                let command = command?;
                extension(command.kind().map(|kind| kind.name()), &command, line);
            }
        )*};
    }
    each!(session_command game_command room_command moderator_command admin_command developer_command);
    Ok(())
}

pub(super) fn game_events(
    container: &GameEventContainer<'_>,
    line: &mut String,
) -> Result<(), DecodeError> {
    if let Some(game) = container.game_id {
        let _ = write!(line, "game {game}: ");
    }
    if let Some(context) = container.context()?
        && let Some(kind) = context.kind()
    {
        let _ = write!(line, "({kind}) ");
    }
    if let Some(judge) = container.forced_by_judge {
        let _ = write!(line, "by judge {judge}: ");
    }
    let start = line.len();
    for event in container.event_list() {
        separate(line, start);
        let event = event?;
        if let Some(player) = event.player_id {
            let _ = write!(line, "player {player} ");
        }
        extension(event.kind().map(|kind| kind.name()), &event, line);
    }
    Ok(())
}

pub(super) fn recording(replay: &GameReplay<'_>, line: &mut String) -> Result<(), DecodeError> {
    let mut events = 0;
    for container in replay.event_list() {
        events += container?.event_list.len();
    }
    let _ = write!(
        line,
        "replay {}: {} s, {events} events ",
        replay.replay_id(),
        replay.duration_seconds()
    );
    if let Some(game) = replay.game_info()? {
        summarize(&game, &["creator_info", "host_info"], line);
    }
    Ok(())
}

fn separate(line: &mut String, start: usize) {
    if line.len() > start {
        line.push_str("; ");
    }
}

/// The payload of an envelope: its name and its fields; of what the schema does not have, the number.
pub(super) fn extension<'a, M: Message<'a>>(name: Option<&str>, envelope: &M, line: &mut String) {
    if let Some(name) = name {
        line.push_str(name);
        line.push(' ');
    }
    let Ok(()) = envelope.visit(&mut Payload(line));
    line.truncate(line.trim_end().len());
}

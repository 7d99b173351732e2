//! The content of a message on one line, for people.

use std::fmt::Write as _;

use portreeve::game::command::CommandContainer;
use portreeve::game::event::GameEventContainer;
use portreeve::game::{DecodeError, GameReplay, Message, Response};

use super::summary::{Payload, summarize};

pub(super) fn answer(response: &Response<'_>, line: &mut String) {
    extension(response.kind().map(|kind| kind.name()), response, line);
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

/// Describes the payload of an envelope: its name and fields, and the numbers of unknown fields.
pub(super) fn extension<'a, M: Message<'a>>(name: Option<&str>, envelope: &M, line: &mut String) {
    if let Some(name) = name {
        line.push_str(name);
        line.push(' ');
    }
    let Ok(()) = envelope.visit(&mut Payload(line));
    line.truncate(line.trim_end().len());
}

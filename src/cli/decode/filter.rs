//! Which messages are printed.

use std::collections::{BTreeSet, HashMap};

use clap::Args;
use clap::builder::TypedValueParser;
use portreeve::game::DecodeError;

use super::content::{self, Content, View};
use super::names::player_names;
use crate::config::Suggested;

// The requested messages; everything if it is empty.
#[derive(Args)]
pub(super) struct Filter {
    /// Print only messages of this type, or with this payload, command, event or context, such as room_say
    #[arg(long, value_delimiter = ',', value_parser = known_kind(), hide_possible_values = true)]
    kind: Vec<String>,
    /// Leave these out, such as ping_changed, which is sent every second of a game
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = known_kind(), hide_possible_values = true)]
    not_kind: Vec<String>,
    /// Print only the command with this number, and its response
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    cmd_id: Vec<u64>,
    /// Print only what this player does in a game: a name, or the number in the game
    #[arg(long, value_name = "PLAYER", value_delimiter = ',')]
    player: Vec<String>,
}

/// The names of the players in games, as far as the messages have told.
pub(super) type Players = HashMap<(i32, i32), String>;

// === impl Filter ===

impl Filter {
    /// Whether every message is wanted, including unreadable ones.
    pub(super) fn is_empty(&self) -> bool {
        self.kind.is_empty()
            && self.not_kind.is_empty()
            && self.cmd_id.is_empty()
            && !self.is_of_players()
    }

    pub(super) fn is_of_players(&self) -> bool {
        !self.player.is_empty()
    }

    pub(super) fn wants_player(&self, id: Option<i32>, name: Option<&str>) -> bool {
        let is =
            |wanted: &String| name == Some(wanted) || id.is_some_and(|id| wanted.parse() == Ok(id));
        self.player.is_empty() || self.player.iter().any(is)
    }

    pub(super) fn wants(&self, of: &Content<'_>, names: &mut Players) -> Result<bool, DecodeError> {
        if self.is_of_players() && !self.wants_players_of(of, names)? {
            return Ok(false);
        }
        if !self.cmd_id.is_empty() {
            let cmd_id = of.cmd_id()?;
            if !cmd_id.is_some_and(|cmd_id| self.cmd_id.contains(&cmd_id)) {
                return Ok(false);
            }
        }
        let kind = of.type_name();
        let mut wanted = self.kind.is_empty() || is_among(&self.kind, kind);
        let mut left_out = is_among(&self.not_kind, kind);
        if left_out || wanted && self.not_kind.is_empty() {
            return Ok(!left_out);
        }
        of.names(&mut |name| {
            wanted |= is_among(&self.kind, name);
            left_out |= is_among(&self.not_kind, name);
        })?;
        Ok(wanted && !left_out)
    }

    fn wants_players_of(&self, of: &Content<'_>, names: &mut Players) -> Result<bool, DecodeError> {
        let View::Server(message) = &of.view else {
            return Ok(false);
        };
        let Some(container) = message.game_event_container()? else {
            return Ok(false);
        };
        let game = container.game_id();
        let mut wanted = false;
        for event in container.event_list() {
            let event = event?;
            player_names(&event, |id, name| drop(names.insert((game, id), name)))?;
            let name = names.get(&(game, event.player_id()));
            wanted |= event.player_id.is_some()
                && self.wants_player(event.player_id, name.map(String::as_str));
        }
        Ok(wanted)
    }

    /// Whether an event in this context is wanted; `context` is empty without one.
    pub(super) fn wants_event(&self, event: &str, context: &str) -> bool {
        let is_any = |kinds: &[String]| is_among(kinds, event) || is_among(kinds, context);
        !is_any(&self.not_kind) && (self.kind.is_empty() || is_any(&self.kind))
    }
}

/// Whether a name is among `kinds`, which may be written `room_say`, `ROOM_SAY` or `room-say`.
fn is_among(kinds: &[String], name: &str) -> bool {
    kinds.iter().any(|kind| {
        kind.len() == name.len()
            && kind.bytes().zip(name.bytes()).all(|(asked, name)| {
                asked.eq_ignore_ascii_case(&name) || (asked == b'-' && name == b'_')
            })
    })
}

/// The kinds of the schema, which shells complete. A misspelt one would look as if there were no such messages.
fn known_kind() -> impl TypedValueParser<Value = String> {
    let names: BTreeSet<_> = content::all_names().map(str::to_lowercase).collect();
    Suggested::from_names(&Vec::from_iter(names)).try_map(|text| {
        let is_known = content::all_names().any(|name| is_among(std::slice::from_ref(&text), name));
        is_known.then_some(text).ok_or(
            "unknown type, payload, command, event or context; `--format table` shows those in a file",
        )
    })
}

//! Which messages are printed.

use std::collections::BTreeSet;

use clap::Args;
use clap::builder::TypedValueParser;
use portreeve::game::DecodeError;

use super::content::{self, Content};
use super::names::Players;
use crate::config::Suggested;

// The requested messages; everything if it is empty.
#[derive(Args)]
pub(super) struct Filter {
    /// Print only messages of this type, or with this payload, command, event or context, such as room_say
    #[arg(long, value_delimiter = ',', value_parser = known_kind(), hide_possible_values = true)]
    kind: Vec<&'static str>,
    /// Leave these out, such as ping_changed, which is sent every second of a game
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = known_kind(), hide_possible_values = true)]
    not_kind: Vec<&'static str>,
    /// Print only the command with this number, and its response
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    cmd_id: Vec<u64>,
    /// Print only what this player does in a game: a name, or the number in the game
    #[arg(long, value_name = "PLAYER", value_delimiter = ',')]
    player: Vec<String>,
}

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
        let is_asked = |cmd_id| self.cmd_id.contains(&cmd_id);
        if !self.cmd_id.is_empty() && !of.cmd_id()?.is_some_and(is_asked) {
            return Ok(false);
        }
        let mut kinds = vec![of.type_name()?];
        let is_left_out = self.not_kind.contains(&kinds[0]);
        if !(is_left_out || self.not_kind.is_empty() && self.wants_kinds(&kinds)) {
            content::names(&of.whole, &mut |name| kinds.push(name))?;
        }
        Ok(self.wants_kinds(&kinds))
    }

    fn wants_players_of(&self, of: &Content<'_>, names: &mut Players) -> Result<bool, DecodeError> {
        let message = of.server_message()?.unwrap_or_default();
        let container = message.game_event_container()?.unwrap_or_default();
        let game = container.game_id();
        let mut wanted = false;
        for event in container.event_list() {
            let event = event?;
            names.learn(game, &event)?;
            let name = names.get(game, event.player_id());
            wanted |= event.player_id.is_some() && self.wants_player(event.player_id, name);
        }
        Ok(wanted)
    }

    /// Whether something is wanted that these are the kinds of: a message with its content, or an event in a context.
    pub(super) fn wants_kinds(&self, of: &[&str]) -> bool {
        let is_any = |kinds: &[&str]| of.iter().any(|kind| kinds.contains(kind));
        !is_any(&self.not_kind) && (self.kind.is_empty() || is_any(&self.kind))
    }
}

/// The kinds of the schema, which shells complete; `room_say` may be written `ROOM_SAY` or `room-say`, too. A misspelt one
/// would look as if there were no such messages.
fn known_kind() -> impl TypedValueParser<Value = &'static str> {
    let names: BTreeSet<_> = content::all_names().map(str::to_lowercase).collect();
    Suggested::from_names(&Vec::from_iter(names)).try_map(|text| {
        let written = text.replace('-', "_");
        content::all_names().find(|name| name.eq_ignore_ascii_case(&written)).ok_or(
            "unknown type, payload, command, event or context; `--format table` shows those in a file",
        )
    })
}

//! The names behind the numbers in games.

use std::collections::HashMap;

use portreeve::game::event::{GameEvent, GameEventPayload};
use portreeve::game::info::PlayerProperties;
use portreeve::game::table::{Table, Viewer};
use portreeve::game::{DecodeError, GameReplay, Text};

use crate::cli::terminal::escape;

/// The names of the players in games, as far as events have told, by the numbers of both.
#[derive(Default)]
pub(super) struct Players(HashMap<(i32, i32), String>);

/// The names in a replay: of players from the whole replay, of cards and counters from the table before an event.
pub(super) struct Names {
    players: Players,
    pub(super) table: Table,
}

/// The game of a replay, whose number does not matter.
const GAME: i32 = 0;

// === impl Players ===

impl Players {
    pub(super) fn get(&self, game: i32, player: i32) -> Option<&str> {
        self.0.get(&(game, player)).map(String::as_str)
    }

    pub(super) fn learn(&mut self, game: i32, event: &GameEvent<'_>) -> Result<(), DecodeError> {
        // A number that is absent is 0, or that of the player of whom the event is.
        let mut learn = |absent: i32, properties: Option<PlayerProperties<'_>>| {
            if let Some(properties) = properties
                && let Some(user) = properties.user_info()?
                && let Some(name) = user.name
            {
                let player = (game, properties.player_id.unwrap_or(absent));
                self.0.insert(player, name.to_string_lossy().into_owned());
            }
            Ok(())
        };
        use GameEventPayload as E;
        match event.payload()? {
            Some(E::Join(join)) => learn(0, join.player_properties()?),
            Some(E::PlayerPropertiesChanged(changed)) => {
                learn(event.player_id(), changed.player_properties()?)
            }
            Some(E::GameStateChanged(state)) => {
                state.player_list().try_for_each(|player| learn(0, player?.properties()?))
            }
            _ => Ok(()),
        }
    }
}

// === impl Names ===

impl Names {
    pub(super) fn of(replay: &GameReplay<'_>) -> Result<Self, DecodeError> {
        let mut players = Players::default();
        for container in replay.event_list() {
            for event in container?.event_list() {
                players.learn(GAME, &event?)?;
            }
        }
        let table = Table::new(Viewer::Everything);
        Ok(Self { players, table })
    }

    pub(super) fn player(&self, id: i32) -> String {
        match self.players.get(GAME, id) {
            Some(name) => escape(name).into_owned(),
            None => format!("player {id}"),
        }
    }

    /// The name of a card if it is known, otherwise its number.
    pub(super) fn card(&self, player: i32, id: Option<i32>, name: Option<Text<'_>>) -> String {
        if let Some(name) = name.filter(|name| !name.as_bytes().is_empty()) {
            return printable(name);
        }
        let Some(id) = id.filter(|&id| id >= 0) else {
            return String::new();
        };
        let player = self.table.participant(player);
        let zones = player.into_iter().flat_map(|player| player.zones.values());
        let mut cards = zones.flat_map(|zone| zone.cards());
        let known = cards.find(|card| card.id == id);
        match known.and_then(|card| card.name.as_deref()) {
            Some(name) => escape(name).into_owned(),
            None => format!("card {id}"),
        }
    }

    pub(super) fn counter(&self, player: i32, id: i32) -> String {
        let player = self.table.participant(player);
        match player.and_then(|player| player.counters.get(&id)) {
            Some(counter) if !counter.name.is_empty() => escape(&counter.name).into_owned(),
            _ => id.to_string(),
        }
    }
}

pub(super) fn printable(text: Text<'_>) -> String {
    escape(&text.to_string_lossy()).into_owned()
}

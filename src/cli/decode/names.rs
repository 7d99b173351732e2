//! The names behind the numbers in a replay, as far as its events reveal them.

use std::collections::HashMap;

use portreeve::game::event::{GameEvent, GameEventPayload, MoveCard};
use portreeve::game::info::{Card, Player, PlayerProperties};
use portreeve::game::{DecodeError, Text};

use crate::cli::terminal::escape;

/// The names in a replay: of players from the whole replay, of cards and counters up to the current event.
#[derive(Default)]
pub(super) struct Names<'a> {
    players: HashMap<i32, Text<'a>>,
    /// By player and number; numbers start at 0 for each player. A card keeps its number when it is shuffled into a
    /// deck, and gets a new one when it is turned over or moves to another player.
    cards: HashMap<(i32, i32), Text<'a>>,
    /// By player and number.
    counters: HashMap<(i32, i32), Text<'a>>,
    /// Whether play has begun: at each start the numbers are assigned again.
    started: bool,
}

// === impl Names ===

impl<'a> Names<'a> {
    /// The names of the players alone, of which later events tell too.
    pub(super) fn players_only(self) -> Self {
        Self {
            players: self.players,
            ..Self::default()
        }
    }

    /// Records the players, cards and counters that an event names.
    pub(super) fn learn(&mut self, event: &GameEvent<'a>) -> Result<(), DecodeError> {
        let player = event.player_id();
        match event.payload()? {
            Some(GameEventPayload::Join(join)) => {
                self.learn_player(join.player_properties()?)?;
            }
            Some(GameEventPayload::PlayerPropertiesChanged(changed)) => {
                self.learn_player(changed.player_properties()?)?;
            }
            Some(GameEventPayload::GameStateChanged(state)) => {
                // After a player concedes, the game is shown as ended, and its cards still move.
                if state.game_started() && !self.started {
                    self.cards.clear();
                    self.counters.clear();
                }
                self.started = state.game_started();
                for player in state.player_list() {
                    self.learn_possessions(&player?)?;
                }
            }
            Some(GameEventPayload::DrawCards(drawn)) => self.learn_cards(player, drawn.cards())?,
            Some(GameEventPayload::RevealCards(shown)) => {
                self.learn_cards(player, shown.cards())?;
            }
            Some(GameEventPayload::MoveCard(moved)) => self.learn_move(player, &moved),
            Some(GameEventPayload::CreateToken(token)) => {
                self.learn_card(player, token.card_id, token.card_name);
            }
            Some(GameEventPayload::FlipCard(flipped)) => {
                self.learn_card(player, flipped.card_id, flipped.card_name);
            }
            Some(GameEventPayload::CreateCounter(created)) => {
                if let Some(counter) = created.counter_info()? {
                    learn(&mut self.counters, player, counter.id, counter.name);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The name of a player, or its number.
    pub(super) fn player(&self, id: i32) -> String {
        match self.players.get(&id) {
            Some(name) => printable(*name),
            None => format!("player {id}"),
        }
    }

    /// The name of a card if it is known, otherwise its number.
    pub(super) fn card(&self, player: i32, id: Option<i32>, name: Option<Text<'_>>) -> String {
        let name = name.filter(|name| !name.as_bytes().is_empty());
        let known = id.and_then(|id| self.cards.get(&(player, id)).copied());
        match (name.or(known), id) {
            (Some(name), _) => printable(name),
            (None, Some(id)) if id >= 0 => format!("card {id}"),
            (None, _) => String::new(),
        }
    }

    /// The name of a player's counter, or its number.
    pub(super) fn counter(&self, player: i32, id: i32) -> String {
        match self.counters.get(&(player, id)) {
            Some(name) => printable(*name),
            None => id.to_string(),
        }
    }

    fn learn_player(
        &mut self,
        properties: Option<PlayerProperties<'a>>,
    ) -> Result<(), DecodeError> {
        if let Some(properties) = properties
            && let Some(id) = properties.player_id
            && let Some(user) = properties.user_info()?
            && let Some(name) = user.name
        {
            self.players.insert(id, name);
        }
        Ok(())
    }

    fn learn_possessions(&mut self, player: &Player<'a>) -> Result<(), DecodeError> {
        let properties = player.properties()?;
        self.learn_player(properties)?;
        let Some(id) = properties.and_then(|properties| properties.player_id) else {
            return Ok(());
        };
        for zone in player.zone_list() {
            self.learn_cards(id, zone?.card_list())?;
        }
        for counter in player.counter_list() {
            let counter = counter?;
            learn(&mut self.counters, id, counter.id, counter.name);
        }
        Ok(())
    }

    fn learn_cards(
        &mut self,
        player: i32,
        cards: impl Iterator<Item = Result<Card<'a>, DecodeError>>,
    ) -> Result<(), DecodeError> {
        for card in cards {
            let card = card?;
            self.learn_card(player, card.id, card.name);
        }
        Ok(())
    }

    /// A card that moves keeps its name, even if the event omits it: face down, or into a deck.
    fn learn_move(&mut self, player: i32, moved: &MoveCard<'a>) {
        let side = |id: Option<i32>| id.filter(|&id| id >= 0).unwrap_or(player);
        let from = (side(moved.start_player_id), moved.card_id.unwrap_or(-1));
        let to = (side(moved.target_player_id), moved.new_card_id);
        let told = moved.card_name.filter(|name| !name.as_bytes().is_empty());
        let known = told.or_else(|| self.cards.get(&from).copied());
        self.learn_card(to.0, to.1, known);
    }

    /// A negative number stands for a card that is not shown.
    fn learn_card(&mut self, player: i32, id: Option<i32>, name: Option<Text<'a>>) {
        learn(&mut self.cards, player, id.filter(|&id| id >= 0), name);
    }
}

/// Records the name of a player's card or counter, unless it is empty.
fn learn<'a>(
    names: &mut HashMap<(i32, i32), Text<'a>>,
    player: i32,
    id: Option<i32>,
    name: Option<Text<'a>>,
) {
    if let (Some(id), Some(name)) = (id, name)
        && !name.as_bytes().is_empty()
    {
        names.insert((player, id), name);
    }
}

/// The text on a line.
pub(super) fn printable(text: Text<'_>) -> String {
    escape(&text.to_string_lossy()).into_owned()
}

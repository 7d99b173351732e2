//! Playing: decks, counters, turns, the start and the end.

use super::World;
use crate::game::runtime::message::Message;
use crate::game::runtime::nested::Nested;
use crate::game::runtime::repeated::Repeated;
use crate::game::schema::ResponseCode::*;
use crate::game::schema::command::{DeckSelect, GameCommandPayload};
use crate::game::schema::{context, event, info, payload};
use crate::game::testing::cards::{DECK, EventViews};
use crate::game::testing::decks::cards_of;
use crate::game::testing::message::{Failure, Reply, game_context, game_event};

impl World {
    pub(super) fn play(
        &mut self,
        id: u32,
        number: i32,
        command: &GameCommandPayload<'_>,
    ) -> Result<Reply, Failure> {
        use GameCommandPayload as C;
        let game = self.games.get_mut(&id).ok_or(RespNotInRoom)?;
        let player = game.table.participant(number).ok_or(RespNotInRoom)?;
        if player.spectator {
            return Err(RespFunctionNotAllowed.into());
        }
        match command {
            C::DeckSelect(select) => return self.choose_deck(id, number, select),
            C::ReadyStart(ready) => return self.get_ready(id, number, ready.ready()),
            C::RollDie(roll) => {
                let values = vec![1; roll.count().clamp(1, 100) as usize];
                let rolled = event::RollDie {
                    sides: Some(roll.sides()),
                    value: Some(1),
                    values: Repeated::from(&values),
                    ..event::RollDie::default()
                };
                self.send_to_game(id, &[game_event(Some(number), &rolled)], None);
                return Ok(RespOk.into());
            }
            _ if !game.table.started() => return Err(RespGameNotStarted.into()),
            _ if player.conceded => return Err(RespContextError.into()),
            _ => {}
        }
        let context = match command {
            C::MoveCard(_) => Some(game_context(&context::MoveCard::default())),
            _ => None,
        };
        let views = match command {
            C::DrawCards(draw) => vec![game.draw(number, draw.number())],
            C::MoveCard(moved) => game.move_cards(number, moved)?,
            C::Shuffle(_) => vec![EventViews::same(game_event(
                Some(number),
                &event::Shuffle {
                    zone_name: Some(DECK.into()),
                    start: Some(0),
                    end: Some(-1),
                    ..event::Shuffle::default()
                },
            ))],
            C::SetCardAttr(set) => {
                let zone = set.zone()?;
                if let Some(card) = set.card_id.filter(|&card| card >= 0) {
                    game.card(number, zone, card).ok_or(RespNameNotFound)?;
                }
                vec![EventViews::same(game_event(
                    Some(number),
                    &event::SetCardAttr {
                        zone_name: Some(zone.into()),
                        card_id: set.card_id.filter(|&card| card >= 0),
                        attribute: set.attribute,
                        attr_value: set.attr_value,
                        ..event::SetCardAttr::default()
                    },
                ))]
            }
            C::SetCounter(set) => {
                let value = Some(set.value());
                vec![game.set_counter(number, set.counter_id(), |_| value)?]
            }
            C::IncCounter(add) => vec![game.set_counter(number, add.counter_id(), |value| {
                value.checked_add(add.delta())
            })?],
            C::NextTurn(_) => {
                self.next_turn(id);
                return Ok(RespOk.into());
            }
            C::SetActivePhase(set) => {
                if game.table.active_player() != Some(number) {
                    return Err(RespContextError.into());
                }
                let phase = i32::try_from(set.phase()).unwrap_or(0);
                self.send_to_game(id, &[phase_event(phase)], None);
                return Ok(RespOk.into());
            }
            C::Concede(_) => {
                self.concede(id, number);
                return Ok(RespOk.into());
            }
            _ => return Err(RespFunctionNotAllowed.into()),
        };
        self.send_views(id, number, &views, context.as_deref());
        Ok(RespOk.into())
    }

    fn choose_deck(
        &mut self,
        id: u32,
        number: i32,
        select: &DeckSelect<'_>,
    ) -> Result<Reply, Failure> {
        let game = self.games.get_mut(&id).ok_or(RespNotInRoom)?;
        if game.table.started() || select.deck_id.is_some() {
            return Err(RespContextError.into());
        }
        let deck = select.deck()?;
        let cards = cards_of(deck);
        // Not the real hash, but a text that differs between most decks.
        let hash = format!("{:08x}", cards.len());
        game.decks.chosen.insert(number, cards);
        let properties = info::PlayerProperties {
            sideboard_locked: Some(true),
            deck_hash: Some(hash.as_str().into()),
            ..info::PlayerProperties::default()
        };
        let context = context::DeckSelect {
            deck_hash: Some(hash.as_str().into()),
            sideboard_size: Some(0),
            ..context::DeckSelect::default()
        };
        self.send_properties(id, number, &properties, Some(&game_context(&context)));
        let answer = payload::DeckDownload {
            deck: select.deck,
            ..payload::DeckDownload::default()
        };
        Ok(Reply::with(RespOk, &answer))
    }

    fn get_ready(&mut self, id: u32, number: i32, ready: bool) -> Result<Reply, Failure> {
        let game = self.games.get_mut(&id).ok_or(RespNotInRoom)?;
        if game.table.started() || !game.decks.chosen.contains_key(&number) {
            return Err(RespContextError.into());
        }
        let properties = info::PlayerProperties {
            ready_start: Some(ready),
            ..info::PlayerProperties::default()
        };
        let context = game_context(&context::ReadyStart::default());
        self.send_properties(id, number, &properties, Some(&context));
        let Some(game) = self.games.get_mut(&id) else {
            return Ok(RespOk.into());
        };
        let table = &game.table;
        let all_here = table.players().count() >= game.max_players as usize;
        if all_here && table.players().all(|player| player.ready) {
            let state = game.begin();
            self.send_state(id, &state);
            self.next_turn(id);
            self.list_game(id);
        }
        Ok(RespOk.into())
    }

    /// Passes the turn to the next player who has not conceded.
    fn next_turn(&mut self, id: u32) {
        let Some(game) = self.games.get(&id) else {
            return;
        };
        let playing = || game.table.players().filter(|player| !player.conceded);
        let now = game.table.active_player().unwrap_or(-1);
        let next = playing()
            .find(|player| player.id > now)
            .or(playing().next());
        let active = event::SetActivePlayer {
            active_player_id: next.map(|player| player.id),
            ..event::SetActivePlayer::default()
        };
        self.send_to_game(id, &[game_event(None, &active)], None);
        self.send_to_game(id, &[phase_event(0)], None);
    }

    fn concede(&mut self, id: u32, number: i32) {
        let properties = info::PlayerProperties {
            conceded: Some(true),
            ..info::PlayerProperties::default()
        };
        let Some(game) = self.games.get(&id) else {
            return;
        };
        let others = game.table.players();
        let others = others.filter(|player| player.id != number && !player.conceded);
        // As with a real server, the end comes before the event that the player conceded.
        if others.count() <= 1 {
            let state = game.state_of_all(false);
            self.send_state(id, &state);
            self.list_game(id);
        } else if game.table.active_player() == Some(number) {
            self.next_turn(id);
        }
        let context = game_context(&context::Concede::default());
        self.send_properties(id, number, &properties, Some(&context));
    }

    pub(super) fn send_properties(
        &mut self,
        id: u32,
        number: i32,
        properties: &info::PlayerProperties<'_>,
        context: Option<&[u8]>,
    ) {
        let bytes = properties.to_vec();
        let changed = event::PlayerPropertiesChanged {
            player_properties: Nested::from_bytes(&bytes),
            ..event::PlayerPropertiesChanged::default()
        };
        self.send_to_game(id, &[game_event(Some(number), &changed)], context);
    }
}

fn phase_event(phase: i32) -> Vec<u8> {
    let phase = event::SetActivePhase {
        phase: Some(phase),
        ..event::SetActivePhase::default()
    };
    game_event(None, &phase)
}

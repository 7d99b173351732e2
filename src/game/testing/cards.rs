//! The cards of a game, and how they move.

use super::game::Game;
use super::message::{Failure, game_event};
use crate::game::runtime::message::Message;
use crate::game::runtime::nested::Nested;
use crate::game::runtime::repeated::Repeated;
use crate::game::schema::ResponseCode::*;
use crate::game::schema::command::{CardToMove, MoveCard};
use crate::game::schema::event;
use crate::game::schema::info::{self, ZoneType};
use crate::game::table::{Card, CardPlace};

pub(super) const DECK: &str = "deck";
const HAND: &str = "hand";
const TABLE: &str = "table";

/// The zones of a player.
const ZONES: [(&str, ZoneType); 7] = [
    (DECK, ZoneType::HiddenZone),
    ("grave", ZoneType::PublicZone),
    (HAND, ZoneType::PrivateZone),
    ("rfg", ZoneType::PublicZone),
    ("sb", ZoneType::HiddenZone),
    ("stack", ZoneType::PublicZone),
    (TABLE, ZoneType::PublicZone),
];

/// The counters that a player begins with.
const COUNTERS: [(&str, i32); 8] = [
    ("life", 20),
    ("w", 0),
    ("u", 0),
    ("b", 0),
    ("r", 0),
    ("g", 0),
    ("x", 0),
    ("storm", 0),
];

/// The number of columns that a pile takes on the table.
const PILE: usize = 3;

/// An event as its player sees it, and as the others do.
pub(super) struct EventViews {
    pub(super) player: Vec<u8>,
    pub(super) others: Vec<u8>,
}

impl EventViews {
    pub(super) fn same(event: Vec<u8>) -> Self {
        Self {
            player: event.clone(),
            others: event,
        }
    }
}

impl Game {
    /// Lays out the decks, and returns the complete state.
    pub(super) fn begin(&mut self) -> Vec<u8> {
        self.decks.lay_out();
        self.state_of_all(true)
    }

    /// The complete state at the start or the end of play.
    pub(super) fn state_of_all(&self, started: bool) -> Vec<u8> {
        let colors = info::Color {
            r: Some(255),
            g: Some(255),
            b: Some(255),
            ..info::Color::default()
        };
        let players: Vec<Vec<u8>> = self
            .table
            .participants()
            .map(|player| {
                let plays = started && !player.spectator;
                let cards = self.decks.len(player.id);
                let zones = ZONES
                    .iter()
                    .filter(|_| plays)
                    .map(|&(name, kind)| info::Zone {
                        name: Some(name.into()),
                        r#type: Some(kind),
                        with_coords: Some(name == TABLE),
                        card_count: Some(if name == DECK { cards as i32 } else { 0 }),
                        ..info::Zone::default()
                    });
                let zones: Vec<_> = zones.collect();
                let counters = (0..).zip(COUNTERS).filter(|_| plays);
                let counters = counters.map(|(id, (name, count))| info::Counter {
                    id: Some(id),
                    name: Some(name.into()),
                    counter_color: Nested::from(&colors),
                    radius: Some(20),
                    count: Some(count),
                    ..info::Counter::default()
                });
                let counters: Vec<_> = counters.collect();
                let properties = info::PlayerProperties {
                    player_id: Some(player.id),
                    spectator: Some(player.spectator),
                    judge: Some(player.judge),
                    ping_seconds: Some(player.ping_seconds),
                    sideboard_locked: Some(player.sideboard_locked),
                    deck_hash: player.deck_hash.as_deref().map(Into::into),
                    ..info::PlayerProperties::default()
                };
                info::Player {
                    properties: Nested::from(&properties),
                    zone_list: Repeated::from(&zones),
                    counter_list: Repeated::from(&counters),
                    ..info::Player::default()
                }
                .to_vec()
            })
            .collect();
        let players: Vec<_> = players
            .iter()
            .filter_map(|player| info::Player::parse(player).ok())
            .collect();
        let state = event::GameStateChanged {
            player_list: Repeated::from(&players),
            game_started: Some(started),
            ..event::GameStateChanged::default()
        };
        game_event(None, &state)
    }

    pub(super) fn card(&self, player: i32, zone: &str, card: i32) -> Option<&Card> {
        let zone = zone.into();
        self.table.card(&CardPlace { player, zone, card })
    }

    pub(super) fn draw(&mut self, number: i32, count: u32) -> EventViews {
        let deck = self.decks.of(number);
        let drawn: Vec<_> = deck.drain(..deck.len().min(count as usize)).collect();
        let cards: Vec<_> = drawn
            .iter()
            .map(|(id, name)| info::Card {
                id: Some(*id),
                name: Some(name.as_str().into()),
                ..info::Card::default()
            })
            .collect();
        let others = event::DrawCards {
            number: Some(drawn.len() as i32),
            ..event::DrawCards::default()
        };
        let player = event::DrawCards {
            cards: Repeated::from(&cards),
            ..others
        };
        EventViews {
            player: game_event(Some(number), &player),
            others: game_event(Some(number), &others),
        }
    }

    pub(super) fn set_counter(
        &self,
        number: i32,
        counter: i32,
        value: impl Fn(i32) -> Option<i32>,
    ) -> Result<EventViews, Failure> {
        let player = self.table.participant(number).ok_or(RespNotInRoom)?;
        let known = player.counters.get(&counter).ok_or(RespNameNotFound)?;
        Ok(EventViews::same(game_event(
            Some(number),
            &event::SetCounter {
                counter_id: Some(counter),
                value: Some(value(known.value).ok_or(RespContextError)?),
                ..event::SetCounter::default()
            },
        )))
    }

    /// Moves cards of a player from one zone to another, or within it.
    pub(super) fn move_cards(
        &mut self,
        number: i32,
        moved: &MoveCard<'_>,
    ) -> Result<Vec<EventViews>, Failure> {
        let own = |player: Option<i32>| player.is_none_or(|player| player == number);
        if !own(moved.start_player_id) || !own(moved.target_player_id) {
            return Err(RespFunctionNotAllowed.into());
        }
        let (start, target) = (moved.start_zone()?, moved.target_zone()?);
        let kind = |zone: &str| ZONES.iter().find(|(name, _)| *name == zone);
        let (Some(&(_, start_kind)), Some(&(_, target_kind))) = (kind(start), kind(target)) else {
            return Err(RespNameNotFound.into());
        };
        let cards = moved.cards_to_move()?.unwrap_or_default();
        let mut views = Vec::new();
        for (index, card) in cards.card().enumerate() {
            let card: CardToMove<'_> = card?;
            let (id, name, position) = self.take(number, start, card.card_id())?;
            let face_down = card.face_down() && target_kind == ZoneType::PublicZone;
            let new_id = if face_down && start != target {
                self.decks.new_card(number)
            } else {
                id
            };
            let length = self.table_len(number, target);
            let x = match usize::try_from(moved.x()) {
                Ok(x) => x + index,
                // On the table it starts a new pile.
                Err(_) if target == TABLE => length * PILE,
                Err(_) => length,
            };
            if target == DECK {
                let deck = self.decks.of(number);
                deck.insert(x.min(deck.len()), (id, name.clone()));
            }
            let others = event::MoveCard {
                start_player_id: Some(number),
                start_zone: Some(start.into()),
                target_player_id: Some(number),
                target_zone: (start != target).then_some(target.into()),
                y: Some(if target == TABLE { moved.y().max(0) } else { 0 }),
                face_down: Some(face_down),
                ..event::MoveCard::default()
            };
            let hidden = start_kind == ZoneType::HiddenZone;
            let into_deck = target_kind == ZoneType::HiddenZone;
            let name_of_player = (!face_down && !into_deck).then_some(name.as_str().into());
            let player = event::MoveCard {
                card_id: Some(if hidden && into_deck { -1 } else { id }),
                new_card_id: Some(if hidden && into_deck { -1 } else { new_id }),
                card_name: name_of_player,
                position: Some(if hidden { position } else { -1 }),
                x: Some(x as i32),
                ..others
            };
            let open = start_kind == ZoneType::PublicZone || target_kind == ZoneType::PublicZone;
            let was_open = start_kind == ZoneType::PublicZone
                && self
                    .card(number, start, id)
                    .is_none_or(|card| !card.face_down);
            let is_open = target_kind == ZoneType::PublicZone && !face_down;
            let others = event::MoveCard {
                card_id: open.then_some(id),
                new_card_id: open.then_some(new_id),
                card_name: (was_open || is_open).then_some(name.as_str().into()),
                position: hidden.then_some(position),
                x: (target_kind != ZoneType::PrivateZone).then_some(x as i32),
                ..others
            };
            views.push(EventViews {
                player: game_event(Some(number), &player),
                others: game_event(Some(number), &others),
            });
        }
        if views.is_empty() {
            return Err(RespContextError.into());
        }
        Ok(views)
    }

    /// The number, name and position of a card. A card of the deck is removed from it.
    fn take(&mut self, number: i32, zone: &str, card: i32) -> Result<(i32, String, i32), Failure> {
        if zone == DECK {
            let deck = self.decks.of(number);
            let index = usize::try_from(card).unwrap_or(usize::MAX);
            if index >= deck.len() {
                return Err(RespNameNotFound.into());
            }
            let (id, name) = deck.remove(index);
            return Ok((id, name, card));
        }
        let found = self.card(number, zone, card).ok_or(RespNameNotFound)?;
        let name = found.name.as_deref().unwrap_or_default().to_owned();
        Ok((card, name, -1))
    }

    fn table_len(&self, number: i32, zone: &str) -> usize {
        let player = self.table.participant(number);
        let zone = player.and_then(|player| player.zones.get(zone));
        zone.map_or(0, |zone| zone.len())
    }
}

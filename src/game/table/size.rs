//! The estimated size of a table.

use super::{Card, Player, Shown, Table, TableError, Zone};
use crate::game::runtime::message::Message;
use crate::game::schema::event::{GameEvent, GameEventPayload, SetCardAttr};
use crate::game::schema::info;

/// The size of the largest item that an event can add, without its texts: a player, with its node of the
/// tree.
const THING: usize = 1024;

/// The number of bytes that may be added before the table has to be measured again.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    limit: usize,
    /// The bytes that were free at the last measurement, less what may have been added since.
    free: usize,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, free: limit }
    }
}

impl Table {
    /// The approximate size of the table in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.participants().map(player).sum::<usize>()
    }

    /// Reserves room for everything that an event can add. The table is measured only if that may exceed the
    /// room that is left, since the size of the events bounds what they added.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] if there is no room.
    pub(super) fn reserve(
        &mut self,
        event: &GameEvent<'_>,
        payload: &GameEventPayload<'_>,
        deck_list: usize,
    ) -> Result<(), TableError> {
        let limit = self.budget.limit;
        let added = match (things(payload), payload) {
            (0, GameEventPayload::SetCardAttr(set)) => self.texts(event.player_id(), set),
            (0, _) => 0,
            (things, _) => things
                .saturating_mul(THING)
                .saturating_add(event.encoded_len()),
        };
        let needed = added.saturating_add(deck_list);
        if self.budget.free < needed {
            // A complete state replaces the previous one.
            let taken = match payload {
                GameEventPayload::GameStateChanged(_) => 0,
                _ => self.memory(),
            };
            self.budget.free = limit.saturating_sub(taken);
        }
        self.budget.free = match self.budget.free.checked_sub(needed) {
            Some(free) => free,
            None => return Err(TableError::TooLarge { limit }),
        };
        Ok(())
    }

    /// The size of a text that is set on one card, or on all cards of a zone.
    fn texts(&self, player: i32, set: &SetCardAttr<'_>) -> usize {
        let text = set.attr_value.map_or(0, |text| text.as_bytes().len());
        let zones = self.participants.get(&player).map(|player| &player.zones);
        let zone = set.zone_name().unwrap_or_default();
        let cards = match set.card_id {
            Some(_) => 1,
            None => zones
                .and_then(|zones| zones.get(zone))
                .map_or(0, |zone| zone.cards().len()),
        };
        text.saturating_mul(cards)
    }
}

/// The number of players, zones, cards, counters and arrows that an event can add.
fn things(event: &GameEventPayload<'_>) -> usize {
    use GameEventPayload as E;
    let of_card = |card: info::Card<'_>| 1 + card.counter_list.len();
    match event {
        E::GameStateChanged(state) => {
            let players = state.player_list().filter_map(Result::ok);
            let of_player = players.map(|player| {
                let zones = player.zone_list().filter_map(Result::ok);
                let cards = zones.map(|zone| {
                    let cards = zone.card_list().filter_map(Result::ok);
                    1 + cards.map(of_card).sum::<usize>()
                });
                1 + cards.sum::<usize>() + player.counter_list.len() + player.arrow_list.len()
            });
            of_player.sum()
        }
        E::DrawCards(drawn) => drawn.cards().filter_map(Result::ok).map(of_card).sum(),
        E::RevealCards(shown) => shown.cards().filter_map(Result::ok).map(of_card).sum(),
        E::Join(_)
        | E::PlayerPropertiesChanged(_)
        | E::CreateArrow(_)
        | E::CreateCounter(_)
        | E::CreateToken(_)
        | E::MoveCard(_)
        | E::AttachCard(_)
        | E::FlipCard(_)
        | E::SetCardCounter(_) => 1,
        _ => 0,
    }
}

fn player(player: &Player) -> usize {
    let text = |text: &Option<Box<str>>| text.as_ref().map_or(0, |text| text.len());
    let zones = player
        .zones
        .iter()
        .map(|(name, known)| name.len() + zone(known));
    let counters = player
        .counters
        .values()
        .map(|counter| 64 + size_of_val(counter) + counter.name.len());
    let arrows = player.arrows.values().map(|arrow| 128 + size_of_val(arrow));
    64 + size_of_val(player)
        + player.name.len()
        + text(&player.deck_hash)
        + text(&player.deck_list)
        + player.playmat.as_ref().map_or(0, |playmat| {
            size_of_val(&**playmat) + playmat.card_name.len() + playmat.card_provider_id.len()
        })
        + zones.sum::<usize>()
        + counters.sum::<usize>()
        + arrows.sum::<usize>()
        + 64 * player.unseen.0.len()
        + cards(player.unseen.0.values())
}

fn zone(zone: &Zone) -> usize {
    let known = zone.cards().iter().chain(zone.top_card.as_deref());
    64 + size_of_val(zone) + cards(known)
}

fn cards<'c>(cards: impl Iterator<Item = &'c Card>) -> usize {
    let sizes = cards.map(|card| {
        let text = |text: &Option<Box<str>>| text.as_ref().map_or(0, |text| text.len());
        let shown = match &card.shown {
            Shown::To(players) => 4 * players.capacity(),
            _ => 0,
        };
        // An entry of a small tree takes more than its two numbers.
        size_of_val(card)
            + text(&card.name)
            + text(&card.provider_id)
            + card.color.len()
            + card.pt.len()
            + card.annotation.len()
            + 100 * card.counters.len()
            + card
                .attached_to
                .as_ref()
                .map_or(0, |place| 64 + place.zone.len())
            + shown
    });
    sizes.sum()
}

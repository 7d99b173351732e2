//! The estimated size of a table.

use super::{Card, Player, Shown, Table, TableError};
use crate::game::runtime::message::Message;
use crate::game::runtime::repeated::Iter;
use crate::game::schema::event::{GameEvent, GameEventPayload, SetCardAttr};
use crate::game::schema::info;

/// The size of the largest item that an event can add, without its texts: a player, with its node of the tree.
const ITEM: usize = 1024;

impl Table {
    /// The approximate size of the table in bytes.
    pub fn memory(&self) -> usize {
        #[cfg(test)]
        tests::MEASURED.set(tests::MEASURED.get() + 1);
        size_of::<Self>() + self.participants().map(size_of_player).sum::<usize>()
    }

    /// Reserves room for everything that an event can add. The table is measured only if that may exceed the
    /// room that is left, since the size of the events bounds what they added; and only once much was asked for
    /// since the last time, so that a full table is not measured for each event.
    pub(super) fn reserve(
        &mut self,
        event: &GameEvent<'_>,
        payload: &GameEventPayload<'_>,
        deck_list: usize,
    ) -> Result<(), TableError> {
        let added = match (count_items(payload), payload) {
            (0, GameEventPayload::SetCardAttr(set)) => {
                self.size_of_attribute(event.player_id(), set)
            }
            (0, _) => 0,
            (items, _) => event.encoded_len().saturating_add(items.saturating_mul(ITEM)),
        };
        let needed = added.saturating_add(deck_list);
        // A complete state replaces the previous one.
        let replaces = matches!(payload, GameEventPayload::GameStateChanged(_));
        self.asked = self.asked.saturating_add(needed);
        if self.free < needed && (replaces || self.asked > self.limit / 8) {
            let taken = if replaces { 0 } else { self.memory() };
            self.free = self.limit.saturating_sub(taken);
            self.asked = 0;
        }
        let remaining = self.free.checked_sub(needed);
        self.free = remaining.ok_or(TableError::TooLarge { limit: self.limit })?;
        Ok(())
    }

    /// The size of a text that is set on one card, or on all cards of a zone.
    fn size_of_attribute(&self, player: i32, set: &SetCardAttr<'_>) -> usize {
        let text = set.attr_value.map_or(0, |text| text.as_bytes().len());
        let zones = self.participants.get(&player).map(|player| &player.zones);
        let zone = set.zone_name().unwrap_or_default();
        let zone = zones.and_then(|zones| zones.get(zone));
        let cards = match set.card_id {
            Some(_) => 1,
            None => zone.map_or(0, |zone| zone.cards().len()),
        };
        text.saturating_mul(cards)
    }
}

/// The number of players, zones, cards, counters and arrows that an event can add.
fn count_items(event: &GameEventPayload<'_>) -> usize {
    use GameEventPayload as E;
    fn in_cards<'a>(cards: Iter<'a, info::Card<'a>>) -> usize {
        cards.filter_map(Result::ok).map(|card| 1 + card.counter_list.len()).sum()
    }
    match event {
        E::GameStateChanged(state) => {
            let in_player = state.player_list().filter_map(Result::ok).map(|player| {
                let zones = player.zone_list().filter_map(Result::ok);
                let in_zones = zones.map(|zone| 1 + in_cards(zone.card_list()));
                1 + in_zones.sum::<usize>() + player.counter_list.len() + player.arrow_list.len()
            });
            in_player.sum()
        }
        E::DrawCards(drawn) => in_cards(drawn.cards()),
        E::RevealCards(shown) => in_cards(shown.cards()),
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

fn size_of_player(player: &Player) -> usize {
    let zones = player.zones.iter();
    let zones = zones.map(|(name, zone)| {
        let known = zone.cards().iter().chain(zone.top_card.as_deref());
        64 + size_of_val(zone) + name.len() + size_of_cards(known)
    });
    let counters = player.counters.values();
    let counters = counters.map(|counter| 64 + size_of_val(counter) + counter.name.len());
    let arrows = player.arrows.values().map(|arrow| 128 + size_of_val(arrow));
    let playmat = player.playmat.as_deref();
    let playmat = playmat.map_or(0, |playmat| {
        size_of_val(playmat) + playmat.card_name.len() + playmat.card_provider_id.len()
    });
    64 + size_of_val(player)
        + player.name.len()
        + size_of_text(&player.deck_hash)
        + size_of_text(&player.deck_list)
        + playmat
        + zones.sum::<usize>()
        + counters.sum::<usize>()
        + arrows.sum::<usize>()
        + 64 * player.unseen.0.len()
        + size_of_cards(player.unseen.0.values())
}

fn size_of_cards<'c>(cards: impl Iterator<Item = &'c Card>) -> usize {
    let sizes = cards.map(|card| {
        let place = card.attached_to.as_deref();
        let shown = match &card.shown {
            Shown::To(players) => 4 * players.capacity(),
            _ => 0,
        };
        // An entry of a small tree takes more than its two numbers.
        size_of_val(card)
            + size_of_text(&card.name)
            + size_of_text(&card.provider_id)
            + card.color.len()
            + card.pt.len()
            + card.annotation.len()
            + 100 * card.counters.len()
            + place.map_or(0, |place| 64 + place.zone.len())
            + shown
    });
    sizes.sum()
}

fn size_of_text(text: &Option<Box<str>>) -> usize {
    text.as_ref().map_or(0, |text| text.len())
}

#[cfg(test)]
#[path = "../../../tests/unit/table_size.rs"]
mod tests;

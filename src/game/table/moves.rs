//! Cards that move between zones.

use super::card::place;
use super::{Applied, ArrowEnd, Card, CardPlace, Shown, Table, Zone};
use crate::game::runtime::error::DecodeError;
use crate::game::schema::event::{DestroyCard, DrawCards, MoveCard, RevealCards};
use crate::game::schema::info::ZoneType;

const DECK: &str = "deck";
const HAND: &str = "hand";
const STACK: &str = "stack";

impl Table {
    pub(super) fn move_card(&mut self, event: &MoveCard<'_>) -> Applied {
        let start = place(event.start_player_id(), event.start_zone(), event.card_id())?;
        let target_player = event.target_player_id();
        let target_zone: Box<str> = match event.target_zone()? {
            "" => start.zone.clone(),
            zone => zone.into(),
        };
        let is_there = |player: i32, zone: &str| {
            let player = self.participants.get(&player);
            player.is_some_and(|player| player.zones.contains_key(zone))
        };
        if !is_there(start.player, &start.zone) || !is_there(target_player, &target_zone) {
            return Ok(());
        }
        // What cannot be read leaves the card where it is.
        Card::default().learn(event.card_name, event.new_card_provider_id)?;
        let Some(mut card) = self.pick_up(&start, event.position()) else {
            return Ok(());
        };
        card.learn(event.card_name, event.new_card_provider_id)?;
        if let Some(id) = event.new_card_id.filter(|&id| id >= 0) {
            card.id = id;
        }
        card.face_down = event.face_down();
        if start.zone != target_zone {
            card.attached_to = None;
        }
        if start.zone != target_zone || start.player != target_player {
            card.shown = Shown::ToNobody;
            self.remove_arrows(&start);
        }
        let id = card.id;
        let Some(player) = self.participants.get_mut(&target_player) else {
            return Ok(());
        };
        let Some(zone) = player.zones.get_mut(&target_zone) else {
            return Ok(());
        };
        if !zone.with_coords {
            card.reset(&*target_zone == STACK);
        }
        if event.x() == 0 {
            zone.top_card = None;
        }
        // Its position in a private zone is sent only to those who see into it.
        if event.x.is_none() && zone.kind == ZoneType::PrivateZone {
            zone.lose_sight();
        }
        if !zone.is_seen() {
            player.unseen.put_away(&card);
        }
        zone.insert(card, event.x(), event.y());
        if start.player != target_player && start.zone == target_zone {
            self.follow(&start, target_player, id);
        }
        Ok(())
    }

    fn pick_up(&mut self, start: &CardPlace, position: i32) -> Option<Card> {
        let player = self.participants.get_mut(&start.player)?;
        let zone = player.zones.get_mut(&start.zone)?;
        if let Some(card) = zone.take(start.card) {
            return Some(card);
        }
        if zone.is_empty() || zone.kind == ZoneType::PublicZone && zone.is_seen() {
            return None;
        }
        if position == 0 {
            zone.top_card = None;
        }
        // Out of sight; or another player took it from the viewer's hand, and the server does not say which.
        zone.remove_unseen(1);
        Some(player.unseen.take(start.card))
    }

    /// Also of a card that was transformed: the server creates another one, then destroys it.
    pub(super) fn destroy_card(&mut self, player: i32, event: &DestroyCard<'_>) -> Applied {
        let zone = event.zone_name()?;
        let card = event.card_id();
        let Some(owner) = self.participants.get_mut(&player) else {
            return Ok(());
        };
        if let Some(found) = owner.zones.get_mut(zone)
            && found.take(card).is_none()
            && !found.is_seen()
        {
            owner.unseen.take(card);
            found.remove_unseen(1);
        }
        let zone = zone.into();
        self.remove_arrows(&CardPlace { player, zone, card });
        Ok(())
    }

    /// Removes the arrows from and to a card that has left this place. Servers before 3.1.0 do not report that.
    fn remove_arrows(&mut self, place: &CardPlace) {
        for player in self.participants.values_mut() {
            player.arrows.retain(|_, arrow| {
                let ends_there = matches!(&arrow.target, ArrowEnd::Card(target) if target == place);
                arrow.start != *place && !ends_there
            });
        }
    }

    /// Keeps cards attached to a card that moves to another player.
    fn follow(&mut self, start: &CardPlace, player: i32, card: i32) {
        for owner in self.participants.values_mut() {
            for attached in owner.zones.values_mut().flat_map(Zone::cards_mut) {
                if let Some(place) = &mut attached.attached_to
                    && **place == *start
                {
                    (place.player, place.card) = (player, card);
                }
            }
        }
    }

    pub(super) fn draw_cards(&mut self, player: i32, event: &DrawCards<'_>) -> Applied {
        let drawn = event.cards().map(|card| Card::read(&card?));
        let drawn = drawn.collect::<Result<Vec<_>, DecodeError>>()?;
        // The number may be negative: a server repeats the one in the command, and nothing is drawn.
        let number = u32::try_from(event.number()).unwrap_or(0);
        let Some(player) = self.participants.get_mut(&player) else {
            return Ok(());
        };
        if let Some(deck) = player.zones.get_mut(DECK) {
            if number > 0 {
                deck.top_card = None;
            }
            deck.remove_unseen(number);
        }
        let Some(hand) = player.zones.get_mut(HAND) else {
            return Ok(());
        };
        if drawn.is_empty() || !hand.is_seen() {
            if number > 0 {
                hand.add_unseen(number);
            }
            return Ok(());
        }
        for read in drawn {
            let mut card = player.unseen.take(read.id);
            (card.name, card.provider_id) = (read.name, read.provider_id);
            (card.x, card.y) = (0, 0);
            hand.push(card);
        }
        Ok(())
    }

    pub(super) fn reveal_cards(&mut self, player: i32, event: &RevealCards<'_>) -> Applied {
        let to = (event.other_player_id() >= 0).then(|| event.other_player_id());
        if to.is_some_and(|to| !self.participants.contains_key(&to)) {
            return Ok(());
        }
        let Some(owner) = self.participants.get_mut(&player) else {
            return Ok(());
        };
        let Some(zone) = owner.zones.get_mut(event.zone_name()?) else {
            return Ok(());
        };
        let mut revealed = event.cards();
        if zone.kind != ZoneType::HiddenZone {
            if revealed.clone().next().is_none() {
                // Whoever reveals their own cards is told only which, or how many if it is all of them.
                let number = event.number_of_cards.and_then(|number| usize::try_from(number).ok());
                if event.card_id().next().is_none() && number == Some(zone.len()) {
                    zone.cards_mut().iter_mut().for_each(|card| card.shown.add(to));
                }
                for id in event.card_id() {
                    zone.card_mut(id).into_iter().for_each(|card| card.shown.add(to));
                }
            }
            for card in revealed {
                let read = Card::read(&card?)?;
                if let Some(card) = zone.card_mut(read.id) {
                    card.shown.add(to);
                    card.name = read.name.or(card.name.take());
                    card.provider_id = read.provider_id.or(card.provider_id.take());
                } else if !zone.is_seen() {
                    // Its properties are not sent again when it moves to where the viewer sees it.
                    owner.unseen.put_away(&read);
                }
            }
            return Ok(());
        }
        // Only the top card, as the properties of the zone reveal it: to everybody, or to its player.
        let first = event.card_id().eq([0]);
        if let (true, Some(card), None) = (first, revealed.next(), revealed.next()) {
            let mut card = Card::read(&card?)?;
            // A command that reveals it always says whether it may be changed, a property never.
            let is_property =
                event.grant_write_access.is_none() && event.number_of_cards == Some(1);
            let is_looked_at = is_property && zone.always_look_at_top_card;
            card.shown.add(if is_looked_at { Some(player) } else { to });
            zone.top_card = Some(Box::new(card));
        }
        Ok(())
    }
}

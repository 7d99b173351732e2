//! Applying events to a table.

use std::collections::BTreeSet;

use super::card::{non_empty, place};
use super::{
    Applied, Arrow, ArrowEnd, Card, CardPlace, Counter, Player, Table, TableError, Viewer, Zone,
};
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::text::Text;
use crate::game::schema::context::DeckSelect;
use crate::game::schema::event::{
    self, GameEvent, GameEventContainer, GameEventPayload, GameStateChanged,
};
use crate::game::schema::info::{self, CardAttribute};

/// The text that means true for a boolean attribute of a card; any other means false, even `true`.
const TRUE: &str = "1";

/// The deck in the context of a container, which is given once to each player of its events.
struct Chosen<'a> {
    deck_list: Result<Option<&'a str>, DecodeError>,
    given: BTreeSet<i32>,
}

// === impl Chosen ===

impl<'a> Chosen<'a> {
    fn read(container: &GameEventContainer<'a>) -> Self {
        let context = container.context().map(Option::unwrap_or_default);
        let chosen = context.and_then(|context| context.get::<DeckSelect<'a>>());
        let text = chosen.map(|chosen| chosen.and_then(|chosen| chosen.deck_list));
        let deck_list = text.and_then(|text| text.map(Text::to_str).transpose());
        Self { deck_list, given: BTreeSet::new() }
    }
}

// === impl Table ===

impl Table {
    /// Applies events in order. They must all be of one game: the game's number in the container is not checked.
    ///
    /// # Errors
    /// [`TableError`] of the first event that cannot be read or would exceed the limit; the others are still applied.
    pub fn apply(&mut self, container: &GameEventContainer<'_>) -> Result<(), TableError> {
        let (mut result, mut chosen) = (Ok(()), Chosen::read(container));
        for event in container.event_list() {
            let event = event.map_err(TableError::from);
            result = result.and(event.and_then(|event| self.apply_with(&mut chosen, &event)));
        }
        result
    }

    /// Applies one event of a container, whose context is read each time; [`apply`](Self::apply) reads it once.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn apply_event(
        &mut self,
        container: &GameEventContainer<'_>,
        event: &GameEvent<'_>,
    ) -> Result<(), TableError> {
        self.apply_with(&mut Chosen::read(container), event)
    }

    fn apply_with(
        &mut self,
        chosen: &mut Chosen<'_>,
        event: &GameEvent<'_>,
    ) -> Result<(), TableError> {
        let Some(payload) = event.payload()? else {
            return Ok(());
        };
        let player = event.player_id();
        let deck_list = chosen
            .deck_list?
            .filter(|_| self.participants.contains_key(&player) && !chosen.given.contains(&player));
        self.reserve(event, &payload, deck_list.map_or(0, str::len))?;
        if let Some(deck_list) = deck_list
            && let Some(player) = self.participants.get_mut(&player)
        {
            player.deck_list = Some(deck_list.into());
            chosen.given.insert(player.id);
        }
        Ok(self.apply_payload(player, &payload)?)
    }

    fn apply_payload(&mut self, player: i32, payload: &GameEventPayload<'_>) -> Applied {
        use GameEventPayload as E;
        match payload {
            _ if !self.has_all_of(player, payload)? => {}
            E::Join(event) => self.join(event)?,
            E::Leave(_) => {
                self.participants.remove(&player);
                self.contend(player, false);
            }
            E::GameHostChanged(_) => self.host = Some(player),
            E::GameClosed(_) | E::Kicked(_) => self.over = true,
            E::GameStateChanged(event) => self.replace(event)?,
            E::PlayerPropertiesChanged(event) => {
                if let Some(properties) = event.player_properties()? {
                    self.change_properties(player, &properties)?;
                }
            }
            E::SetActivePlayer(event) => self.active_player = some(event.active_player_id),
            E::SetActivePhase(event) => self.active_phase = some(event.phase),
            E::ReverseTurn(event) => self.reversed = event.reversed(),
            E::MoveCard(event) => self.move_card(event)?,
            E::DrawCards(event) => self.draw_cards(player, event)?,
            E::RevealCards(event) => self.reveal_cards(player, event)?,
            E::DestroyCard(event) => self.destroy_card(player, event)?,
            _ => {
                if let Some(player) = self.participants.get_mut(&player) {
                    player.apply(payload)?;
                }
            }
        }
        Ok(())
    }

    /// Whether what an event refers to exists, besides what it changes, as far as the viewer can tell.
    fn has_all_of(&self, by: i32, payload: &GameEventPayload<'_>) -> Result<bool, DecodeError> {
        use GameEventPayload as E;
        let is_here = |player: i32| self.participants.contains_key(&player);
        let is_unseen = |zone: &Zone| !zone.is_seen() && !zone.is_empty();
        let has = |at: &CardPlace| self.card(at).is_some() || self.zone(at).is_some_and(is_unseen);
        Ok(match payload {
            E::GameHostChanged(_) => is_here(by),
            E::SetActivePlayer(event) => some(event.active_player_id).is_none_or(is_here),
            E::AttachCard(event) => match event.target_player_id {
                Some(player) => has(&place(player, event.target_zone(), event.target_card_id())?),
                None => true,
            },
            E::CreateArrow(event) => {
                let arrow = Arrow::read(&event.arrow_info()?.unwrap_or_default())?;
                has(&arrow.start)
                    && match &arrow.target {
                        ArrowEnd::Card(card) => has(card),
                        ArrowEnd::Player(player) => is_here(*player),
                    }
            }
            _ => true,
        })
    }

    /// Takes note of who is still in the play. Once there is a winner, nothing changes that, not even leaving.
    fn contend(&mut self, player: i32, remains: bool) {
        if self.winner().is_none()
            && let Some(contender) = self.contenders.get_mut(&player)
        {
            *contender = remains;
        }
    }

    fn join(&mut self, event: &event::Join<'_>) -> Applied {
        if let Some(properties) = event.player_properties()? {
            let mut player = Player { id: properties.player_id(), ..Player::default() };
            player.update(&properties)?;
            self.participants.insert(player.id, player);
        }
        Ok(())
    }

    fn change_properties(
        &mut self,
        player: i32,
        properties: &info::PlayerProperties<'_>,
    ) -> Applied {
        let started = self.started;
        let Some(player) = self.participants.get_mut(&player) else {
            return Ok(());
        };
        player.update(properties)?;
        if properties.conceded == Some(true) {
            player.clear();
            // Conceding has ended the play. The new state, in which nobody has conceded, came before this event.
            player.conceded = started;
        }
        let id = player.id;
        if let Some(conceded) = properties.conceded {
            self.contend(id, !conceded);
        }
        Ok(())
    }

    /// Replaces the state with a complete one, but keeps what that omits.
    fn replace(&mut self, state: &GameStateChanged<'_>) -> Applied {
        // A state that is sent to everybody during play always names the first player and phase. The state for a
        // participant who joins, which alone includes the users, has the correct ones.
        let mut for_newcomer = false;
        let mut players = Vec::new();
        for player in state.player_list() {
            let player = player?;
            let Some(properties) = player.properties()? else {
                continue;
            };
            for_newcomer |= properties.user_info.is_present();
            let read = read_player(&player, &properties, self.viewer)?;
            players.push((read, properties.user_info.is_present()));
        }
        // Everything could be read.
        let goes_on = self.started && state.game_started();
        let mut before = std::mem::take(&mut self.participants);
        for (mut read, is_named) in players {
            let known = before.remove(&read.id).unwrap_or_default();
            if !is_named {
                read.name = known.name;
            }
            read.deck_list = read.deck_list.or(known.deck_list);
            if goes_on {
                read.unseen = known.unseen;
            }
            self.participants.insert(read.id, read);
        }
        if !self.started && state.game_started() {
            let players = self.players().map(|it| (it.id, !it.conceded));
            self.contenders = players.collect();
        }
        if !goes_on || for_newcomer {
            self.active_player = some(state.active_player_id);
            self.active_phase = some(state.active_phase);
        }
        self.started = state.game_started();
        Ok(())
    }
}

/// The number of a player or a phase; a negative one is none.
fn some(number: Option<i32>) -> Option<i32> {
    number.filter(|&number| number >= 0)
}

fn read_player(
    read: &info::Player<'_>,
    properties: &info::PlayerProperties<'_>,
    viewer: Viewer,
) -> Result<Player, DecodeError> {
    let mut player = Player { id: properties.player_id(), ..Player::default() };
    player.update(properties)?;
    if read.deck_list.is_some() {
        player.deck_list = Some(read.deck_list()?.into());
    }
    for zone in read.zone_list() {
        let zone = zone?;
        let seen = viewer.sees_into(zone.r#type(), player.id);
        let mut filled = Zone::new(zone.r#type(), zone.with_coords(), seen);
        filled.always_reveal_top_card = zone.always_reveal_top_card();
        filled.always_look_at_top_card = zone.always_look_at_top_card();
        for card in zone.card_list() {
            filled.push(Card::read(&card?)?);
        }
        // If a visible zone lacks some of its cards, only their number is known.
        let count = u32::try_from(zone.card_count()).unwrap_or(0);
        if filled.len() != count as usize {
            filled.remove_unseen(u32::MAX);
            filled.add_unseen(count);
        }
        player.zones.insert(zone.name()?.into(), filled);
    }
    for counter in read.counter_list() {
        let counter = counter?;
        let read = Counter::read(&counter)?;
        player.counters.insert(counter.id(), read);
    }
    for arrow in read.arrow_list() {
        let arrow = arrow?;
        player.arrows.insert(arrow.id(), Arrow::read(&arrow)?);
    }
    Ok(player)
}

// === impl Player ===

impl Player {
    fn apply(&mut self, payload: &GameEventPayload<'_>) -> Applied {
        use GameEventPayload as E;
        match payload {
            E::CreateArrow(event) => {
                if let Some(arrow) = event.arrow_info()? {
                    self.arrows.insert(arrow.id(), Arrow::read(&arrow)?);
                }
            }
            E::DeleteArrow(event) => {
                self.arrows.remove(&event.arrow_id());
            }
            E::CreateCounter(event) => {
                if let Some(counter) = event.counter_info()? {
                    self.counters.insert(counter.id(), Counter::read(&counter)?);
                }
            }
            E::SetCounter(event) => {
                if let Some(counter) = self.counters.get_mut(&event.counter_id()) {
                    counter.value = event.value();
                }
            }
            E::DelCounter(event) => {
                self.counters.remove(&event.counter_id());
            }
            E::Shuffle(event) => {
                // After a mulligan the zone is not named.
                let zone = event.zone_name()?;
                if let Some(zone) = self.zones.get_mut(if zone.is_empty() { "deck" } else { zone })
                {
                    zone.top_card = None;
                }
            }
            E::ChangeZoneProperties(event) => {
                if let Some(zone) = self.zones.get_mut(event.zone_name()?) {
                    let update = |to: &mut bool, new: Option<bool>| *to = new.unwrap_or(*to);
                    update(&mut zone.always_reveal_top_card, event.always_reveal_top_card);
                    update(&mut zone.always_look_at_top_card, event.always_look_at_top_card);
                }
            }
            E::FlipCard(event) => {
                if let Some(card) = self.card_mut(event.zone_name()?, event.card_id()) {
                    card.learn(event.card_name, event.card_provider_id)?;
                    card.face_down = event.face_down();
                }
            }
            E::AttachCard(event) => {
                let (zone, card) = (event.target_zone(), event.target_card_id());
                let target = event.target_player_id.map(|player| place(player, zone, card));
                let target = target.transpose()?.map(Box::new);
                if let Some(card) = self.card_mut(event.start_zone()?, event.card_id()) {
                    // A card that is detached is moved by a separate event.
                    if target.is_some() {
                        card.x = -1;
                    }
                    card.attached_to = target;
                }
            }
            E::CreateToken(event) => {
                if let Some(zone) = self.zones.get_mut(event.zone_name()?) {
                    let token = Card {
                        id: event.card_id(),
                        name: non_empty(event.card_name)?,
                        provider_id: non_empty(event.card_provider_id)?,
                        face_down: event.face_down(),
                        destroy_on_zone_change: event.destroy_on_zone_change(),
                        color: event.color()?.into(),
                        pt: event.pt()?.into(),
                        annotation: event.annotation()?.into(),
                        ..Card::default()
                    };
                    if !zone.is_seen() {
                        self.unseen.put_away(&token);
                    }
                    if event.x() == 0 {
                        zone.top_card = None;
                    }
                    zone.insert(token, event.x(), event.y());
                }
            }
            E::SetCardAttr(event) => {
                if let Some(zone) = self.zones.get_mut(event.zone_name()?) {
                    let value = event.attr_value()?;
                    let set = |card: &mut Card, all| card.set(event.attribute(), value, all);
                    match event.card_id {
                        Some(id) => zone.card_mut(id).into_iter().for_each(|it| set(it, false)),
                        None => zone.cards_mut().iter_mut().for_each(|it| set(it, true)),
                    }
                }
            }
            E::SetCardCounter(event) => {
                if let Some(card) = self.card_mut(event.zone_name()?, event.card_id()) {
                    match event.counter_value() {
                        0 => card.counters.remove(&event.counter_id()),
                        value => card.counters.insert(event.counter_id(), value),
                    };
                }
            }
            // Chat, dice, looking at a zone, and unknown events do not change the table.
            _ => {}
        }
        Ok(())
    }

    fn card_mut(&mut self, zone: &str, id: i32) -> Option<&mut Card> {
        self.zones.get_mut(zone)?.card_mut(id)
    }
}

// === impl Card ===

impl Card {
    /// `all`: whether the attribute is set on all cards of the zone.
    fn set(&mut self, attribute: CardAttribute, value: &str, all: bool) {
        let is_true = value == TRUE;
        match attribute {
            CardAttribute::Tapped if all && !is_true && self.doesnt_untap => {}
            CardAttribute::Tapped => self.tapped = is_true,
            CardAttribute::Attacking => self.attacking = is_true,
            CardAttribute::FaceDown => self.face_down = is_true,
            CardAttribute::Color => self.color = value.into(),
            CardAttribute::PowerToughness => self.pt = value.into(),
            CardAttribute::Annotation => self.annotation = value.into(),
            CardAttribute::DoesntUntap => self.doesnt_untap = is_true,
        }
    }
}

//! Encoding a table as a server sends it to a participant who joins.

use super::{Arrow, ArrowEnd, Card, CardPlace, Color, Counter, Player, Table, Viewer, Zone};
use crate::game::runtime::encode::append_field;
use crate::game::runtime::message::Message;
use crate::game::runtime::nested::Nested;
use crate::game::schema::event::GameStateChanged;
use crate::game::schema::info;

/// The fields that are messages of their own, in the order of the schema.
const PLAYER_LIST: u32 = 1;
const ZONE_LIST: u32 = 3;
const COUNTER_LIST: u32 = 4;
const ARROW_LIST: u32 = 5;
const CARD_LIST: u32 = 5;
const CARD_COUNTER_LIST: u32 = 13;

impl Table {
    /// The bytes of the [`GameStateChanged`] that a server would send to `viewer` for this table, as far as
    /// the viewer of this table knows it. It omits the names of face-down cards.
    ///
    /// ```
    /// use portreeve::game::Message;
    /// use portreeve::game::event::GameStateChanged;
    /// use portreeve::game::table::{Table, Viewer};
    ///
    /// let table = Table::new(Viewer::Everything);
    /// let bytes = table.to_state(Viewer::Spectator);
    /// assert!(!GameStateChanged::parse(&bytes)?.game_started());
    /// # Ok::<(), portreeve::game::DecodeError>(())
    /// ```
    pub fn to_state(&self, viewer: Viewer) -> Vec<u8> {
        let mut out = GameStateChanged {
            game_started: Some(self.started),
            active_player_id: Some(self.active_player.unwrap_or(-1)),
            active_phase: Some(self.active_phase.unwrap_or(-1)),
            seconds_elapsed: Some(self.seconds),
            ..GameStateChanged::default()
        }
        .to_vec();
        for player in self.participants() {
            append_field(PLAYER_LIST, &player.to_bytes(viewer), &mut out);
        }
        out
    }
}

impl Player {
    fn to_bytes(&self, viewer: Viewer) -> Vec<u8> {
        let user = info::User {
            name: Some((&*self.name).into()),
            ..info::User::default()
        };
        let playmat = self.playmat.as_ref().map(|playmat| info::Playmat {
            card_name: Some((&*playmat.card_name).into()),
            card_provider_id: Some((&*playmat.card_provider_id).into()),
            margin_pct_l: Some(playmat.margin_left),
            margin_pct_r: Some(playmat.margin_right),
            vertical_offset: Some(playmat.vertical_offset),
            zoom: Some(playmat.zoom),
            ..info::Playmat::default()
        });
        let plays = !self.spectator;
        let properties = info::PlayerProperties {
            player_id: Some(self.id),
            user_info: Nested::from(&user),
            spectator: Some(self.spectator),
            conceded: plays.then_some(self.conceded),
            ready_start: plays.then_some(self.ready),
            deck_hash: self.deck_hash.as_deref().map(Into::into),
            ping_seconds: Some(self.ping_seconds),
            sideboard_locked: plays.then_some(self.sideboard_locked),
            judge: Some(self.judge),
            playmat_params: Nested::from(playmat.as_ref()),
            ..info::PlayerProperties::default()
        };
        let mut out = info::Player {
            properties: Nested::from(&properties),
            deck_list: self.deck_list.as_deref().map(Into::into),
            ..info::Player::default()
        }
        .to_vec();
        for (name, zone) in &self.zones {
            let seen = viewer.sees_into(zone.kind, self.id);
            append_field(ZONE_LIST, &zone.to_bytes(name, seen), &mut out);
        }
        for (&id, counter) in &self.counters {
            append_field(COUNTER_LIST, &counter.to_bytes(id), &mut out);
        }
        for (&id, arrow) in &self.arrows {
            append_field(ARROW_LIST, &arrow.to_bytes(id), &mut out);
        }
        out
    }
}

impl Zone {
    fn to_bytes(&self, name: &str, seen: bool) -> Vec<u8> {
        let mut out = info::Zone {
            name: Some(name.into()),
            r#type: Some(self.kind),
            with_coords: Some(self.with_coords),
            card_count: i32::try_from(self.len()).ok(),
            always_reveal_top_card: Some(self.always_reveal_top_card),
            always_look_at_top_card: Some(self.always_look_at_top_card),
            ..info::Zone::default()
        }
        .to_vec();
        for card in self.cards().iter().filter(|_| seen) {
            append_field(CARD_LIST, &card.to_bytes(), &mut out);
        }
        out
    }
}

impl Card {
    fn to_bytes(&self) -> Vec<u8> {
        let some = |text: &str| !text.is_empty();
        let name = self.name.as_deref().filter(|_| !self.face_down);
        let place = self.attached_to.as_deref();
        let mut out = info::Card {
            id: Some(self.id),
            name: Some(name.unwrap_or_default().into()),
            x: Some(self.x),
            y: Some(self.y),
            face_down: self.face_down.then_some(true),
            tapped: Some(self.tapped),
            attacking: self.attacking.then_some(true),
            color: some(&self.color).then(|| (&*self.color).into()),
            pt: some(&self.pt).then(|| (&*self.pt).into()),
            annotation: some(&self.annotation).then(|| (&*self.annotation).into()),
            destroy_on_zone_change: self.destroy_on_zone_change.then_some(true),
            doesnt_untap: self.doesnt_untap.then_some(true),
            attach_player_id: place.map(|place| place.player),
            attach_zone: place.map(|place| (&*place.zone).into()),
            attach_card_id: place.map(|place| place.card),
            provider_id: Some(self.provider_id.as_deref().unwrap_or_default().into()),
            ..info::Card::default()
        }
        .to_vec();
        for (&id, &value) in &self.counters {
            let counter = info::CardCounter {
                id: Some(id),
                value: Some(value),
                ..info::CardCounter::default()
            };
            append_field(CARD_COUNTER_LIST, &counter.to_vec(), &mut out);
        }
        out
    }
}

impl Counter {
    fn to_bytes(&self, id: i32) -> Vec<u8> {
        let color = self.color.to_info();
        info::Counter {
            id: Some(id),
            name: Some((&*self.name).into()),
            counter_color: Nested::from(&color),
            radius: Some(self.radius),
            count: Some(self.value),
            ..info::Counter::default()
        }
        .to_vec()
    }
}

impl Arrow {
    fn to_bytes(&self, id: i32) -> Vec<u8> {
        let color = self.color.to_info();
        let (target_player_id, card) = match &self.target {
            ArrowEnd::Card(place) => (place.player, Some(place)),
            ArrowEnd::Player(player) => (*player, None),
        };
        info::Arrow {
            id: Some(id),
            start_player_id: Some(self.start.player),
            start_zone: Some((&*self.start.zone).into()),
            start_card_id: Some(self.start.card),
            target_player_id: Some(target_player_id),
            target_zone: card.map(|place: &CardPlace| (&*place.zone).into()),
            target_card_id: card.map(|place| place.card),
            arrow_color: Nested::from(&color),
            ..info::Arrow::default()
        }
        .to_vec()
    }
}

impl Color {
    fn to_info(self) -> info::Color<'static> {
        info::Color {
            r: Some(self.r),
            g: Some(self.g),
            b: Some(self.b),
            a: Some(self.a),
            ..info::Color::default()
        }
    }
}

use std::collections::BTreeMap;

use super::card::{Unseen, place};
use super::{Applied, CardPlace, Zone};
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::nested::Nested;
use crate::game::schema::info;

/// A player, or a spectator.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Player {
    /// The number in this game.
    pub id: i32,
    /// Name of the user; empty if it is unknown.
    pub name: Box<str>,
    /// Whether this is a spectator.
    pub spectator: bool,
    /// Whether it is a judge.
    pub judge: bool,
    /// Whether it has conceded.
    pub conceded: bool,
    /// Whether it is ready to begin.
    pub ready: bool,
    /// Whether its sideboard is locked.
    pub sideboard_locked: bool,
    /// Seconds since the server last heard from it; -1 if it is disconnected.
    pub ping_seconds: i32,
    /// Hash of its deck, once it has chosen one.
    pub deck_hash: Option<Box<str>>,
    /// Its deck as a file, if it is known to the viewer.
    pub deck_list: Option<Box<str>>,
    /// Its playmat.
    pub playmat: Option<Box<Playmat>>,
    /// Its zones by their names. Empty before play starts and after it has ended.
    pub zones: BTreeMap<Box<str>, Zone>,
    /// Its counters by their numbers; 0 is its life total.
    pub counters: BTreeMap<i32, Counter>,
    /// The arrows that it drew, by their numbers.
    pub arrows: BTreeMap<i32, Arrow>,
    pub(super) unseen: Unseen,
}

/// A counter of a player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counter {
    /// Its name, such as `life`.
    pub name: Box<str>,
    /// Its colour.
    pub color: Color,
    /// The radius at which it is displayed.
    pub radius: i32,
    /// Its value.
    pub value: i32,
}

/// An arrow from a card to a card or a player.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrow {
    /// Where it begins.
    pub start: CardPlace,
    /// Where it ends.
    pub target: ArrowEnd,
    /// Its colour.
    pub color: Color,
}

/// Where an arrow ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrowEnd {
    /// At a card.
    Card(CardPlace),
    /// At the player with this number.
    Player(i32),
}

/// A colour as sent by the server; the components are 0 to 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Color {
    pub r: u32,
    pub g: u32,
    pub b: u32,
    pub a: u32,
}

/// A playmat: the picture of a card, and which part of it is shown.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Playmat {
    /// The card.
    pub card_name: Box<str>,
    /// Its printing.
    pub card_provider_id: Box<str>,
    /// How much is cropped on the left, as a fraction of the width.
    pub margin_left: f64,
    /// How much is cropped on the right, as a fraction of the width.
    pub margin_right: f64,
    /// Where the visible part begins, as a fraction of the height.
    pub vertical_offset: f64,
    /// Its magnification.
    pub zoom: f64,
}

// === impl Player ===

impl Player {
    pub(super) fn update(&mut self, properties: &info::PlayerProperties<'_>) -> Applied {
        // What cannot be read changes nothing.
        let user = properties.user_info()?;
        let name = user.as_ref().map(|user| user.name()).transpose()?;
        let deck_hash = properties.deck_hash()?;
        if let Some(playmat) = properties.playmat_params()? {
            self.playmat = Some(Box::new(Playmat {
                card_name: playmat.card_name()?.into(),
                card_provider_id: playmat.card_provider_id()?.into(),
                margin_left: playmat.margin_pct_l(),
                margin_right: playmat.margin_pct_r(),
                vertical_offset: playmat.vertical_offset(),
                zoom: playmat.zoom(),
            }));
        }
        if let Some(name) = name {
            self.name = name.into();
        }
        let update = |to: &mut bool, new: Option<bool>| *to = new.unwrap_or(*to);
        update(&mut self.spectator, properties.spectator);
        update(&mut self.judge, properties.judge);
        update(&mut self.conceded, properties.conceded);
        update(&mut self.ready, properties.ready_start);
        update(&mut self.sideboard_locked, properties.sideboard_locked);
        self.ping_seconds = properties.ping_seconds.unwrap_or(self.ping_seconds);
        if properties.deck_hash.is_some() {
            self.deck_hash = Some(deck_hash.into());
        }
        Ok(())
    }

    /// Removes what a server removes of a player who concedes, and of all players at the end of play.
    pub(super) fn clear(&mut self) {
        self.zones.clear();
        self.counters.clear();
        self.arrows.clear();
        self.unseen = Unseen::default();
    }
}

// === impl Counter ===

impl Counter {
    pub(super) fn read(counter: &info::Counter<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            name: counter.name()?.into(),
            color: Color::read(&counter.counter_color)?,
            radius: counter.radius(),
            value: counter.count(),
        })
    }
}

// === impl Arrow ===

impl Arrow {
    pub(super) fn read(arrow: &info::Arrow<'_>) -> Result<Self, DecodeError> {
        let target = arrow.target_player_id();
        Ok(Self {
            start: place(arrow.start_player_id(), arrow.start_zone(), arrow.start_card_id())?,
            target: if arrow.target_zone.is_some() {
                ArrowEnd::Card(place(target, arrow.target_zone(), arrow.target_card_id())?)
            } else {
                ArrowEnd::Player(target)
            },
            color: Color::read(&arrow.arrow_color)?,
        })
    }
}

// === impl Color ===

impl Color {
    fn read(color: &Nested<'_, info::Color<'_>>) -> Result<Self, DecodeError> {
        let color = color.get()?.unwrap_or_default();
        Ok(Self { r: color.r(), g: color.g(), b: color.b(), a: color.a() })
    }
}

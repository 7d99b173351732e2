use std::collections::BTreeMap;

use super::Applied;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::text::Text;
use crate::game::schema::info;

/// A card, as far as the viewer of the table knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Card {
    /// Its number, unique for its player. It changes when the card is turned face down on its way to another
    /// zone, and when it moves to another player.
    pub id: i32,
    /// Its name; `None` if the viewer has never seen it.
    pub name: Option<Box<str>>,
    /// The printing of the card; `None` if it is unknown to the viewer.
    pub provider_id: Option<Box<str>>,
    /// Column on the table, three per pile; -1 if it is attached. 0 in other zones.
    pub x: i32,
    /// Row on the table, 0 to 2. 0 in other zones.
    pub y: i32,
    /// Whether it lies face down.
    pub face_down: bool,
    /// Whether it is tapped.
    pub tapped: bool,
    /// Whether it is attacking.
    pub attacking: bool,
    /// Whether it ceases to exist when it leaves the table, like a token.
    pub destroy_on_zone_change: bool,
    /// Whether it stays tapped when its player untaps everything.
    pub doesnt_untap: bool,
    /// Its colour; may be empty.
    pub color: Box<str>,
    /// Power and toughness; may be empty.
    pub pt: Box<str>,
    /// The note on it; may be empty.
    pub annotation: Box<str>,
    /// Its counters by their numbers; no value is 0.
    pub counters: BTreeMap<i32, i32>,
    /// The card that it is attached to.
    pub attached_to: Option<Box<CardPlace>>,
    /// Who has been shown it in a zone that others cannot see into.
    pub shown: Shown,
}

/// Where a card is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CardPlace {
    /// Number of the player.
    pub player: i32,
    /// Name of the zone: `table`, `hand`, `grave` and so on.
    pub zone: Box<str>,
    /// Number of the card.
    pub card: i32,
}

/// The properties of cards that have moved out of sight: a server does not send them again when they return.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unseen(pub(super) BTreeMap<i32, Card>);

/// Who has been shown a card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Nobody.
    #[default]
    ToNobody,
    /// The players with these numbers.
    To(Vec<i32>),
    /// Everybody.
    ToAll,
}

// === impl Card ===

impl Card {
    pub(super) fn read(card: &info::Card<'_>) -> Result<Self, DecodeError> {
        let counters = card.counter_list().flatten().map(|it| (it.id(), it.value()));
        let (player, zone) = (card.attach_player_id(), card.attach_zone());
        let attached_to = card.attach_card_id.map(|id| place(player, zone, id)).transpose()?;
        Ok(Self {
            id: card.id(),
            name: non_empty(card.name)?,
            provider_id: non_empty(card.provider_id)?,
            x: card.x.unwrap_or_default(),
            y: card.y.unwrap_or_default(),
            face_down: card.face_down(),
            tapped: card.tapped(),
            attacking: card.attacking(),
            destroy_on_zone_change: card.destroy_on_zone_change(),
            doesnt_untap: card.doesnt_untap(),
            color: card.color()?.into(),
            pt: card.pt()?.into(),
            annotation: card.annotation()?.into(),
            counters: counters.filter(|(_, value)| *value != 0).collect(),
            attached_to: attached_to.map(Box::new),
            shown: Shown::ToNobody,
        })
    }

    /// Resets the properties that a server drops when a card leaves the table; on the stack it keeps its note.
    pub(super) fn reset(&mut self, to_stack: bool) {
        self.counters.clear();
        self.tapped = false;
        self.attacking = false;
        self.doesnt_untap = false;
        self.pt = Box::default();
        if !to_stack {
            self.annotation = Box::default();
        }
    }

    pub(super) fn learn(
        &mut self,
        name: Option<Text<'_>>,
        provider_id: Option<Text<'_>>,
    ) -> Applied {
        let (name, printing) = (non_empty(name)?, non_empty(provider_id)?);
        self.name = name.or(self.name.take());
        if provider_id.is_some() {
            self.provider_id = printing;
        }
        Ok(())
    }
}

/// Where a card is, in a zone whose name may be unreadable.
pub(super) fn place(
    player: i32,
    zone: Result<&str, DecodeError>,
    card: i32,
) -> Result<CardPlace, DecodeError> {
    zone.map(|zone| CardPlace { player, zone: zone.into(), card })
}

/// The text, if any; a server sends an empty one for what the viewer may not know.
pub(super) fn non_empty(text: Option<Text<'_>>) -> Result<Option<Box<str>>, DecodeError> {
    let text = text.map(Text::to_str).transpose()?;
    Ok(text.filter(|text| !text.is_empty()).map(Into::into))
}

// === impl Unseen ===

impl Unseen {
    /// Remembers a card if it has properties besides its name, of a zone into which the viewer does not see.
    pub(super) fn put_away(&mut self, card: &Card) {
        let plain = card.color.is_empty()
            && card.pt.is_empty()
            && card.annotation.is_empty()
            && !card.destroy_on_zone_change;
        if !plain && card.id >= 0 {
            self.0.insert(card.id, card.clone());
        }
    }

    pub(super) fn take(&mut self, id: i32) -> Card {
        self.0.remove(&id).unwrap_or(Card { id, ..Card::default() })
    }
}

// === impl Shown ===

impl Shown {
    /// Whether this participant has been shown the card.
    pub fn to(&self, participant: i32) -> bool {
        match self {
            Self::ToNobody => false,
            Self::To(players) => players.contains(&participant),
            Self::ToAll => true,
        }
    }

    pub(super) fn add(&mut self, participant: Option<i32>) {
        match (&mut *self, participant) {
            (_, None) => *self = Self::ToAll,
            (Self::ToNobody, Some(player)) => *self = Self::To(vec![player]),
            (Self::To(players), Some(player)) if !players.contains(&player) => players.push(player),
            _ => {}
        }
    }
}

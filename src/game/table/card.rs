use std::collections::BTreeMap;

use crate::game::runtime::error::TextError;
use crate::game::runtime::text::Text;
use crate::game::schema::info;

/// A card, as far as the table's viewer knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Card {
    /// Its number, which is its player's; it gets another one when it is turned face down on its way to
    /// another zone, and when it goes to another player.
    pub id: i32,
    /// Its name; `None` if the viewer never saw it.
    pub name: Option<Box<str>>,
    /// Which printing of the card it is; `None` if the viewer was not told.
    pub provider_id: Option<Box<str>>,
    /// Column on the table, three to a pile; -1 if it is attached. 0 elsewhere.
    pub x: i32,
    /// Row on the table, 0 to 2. 0 elsewhere.
    pub y: i32,
    /// Whether it lies face down.
    pub face_down: bool,
    /// Whether it is tapped.
    pub tapped: bool,
    /// Whether it attacks.
    pub attacking: bool,
    /// Whether it is gone when it leaves the table, as a token is.
    pub destroy_on_zone_change: bool,
    /// Whether it stays tapped when its player untaps everything.
    pub doesnt_untap: bool,
    /// Its colour; may be empty.
    pub color: Box<str>,
    /// Power and toughness; may be empty.
    pub pt: Box<str>,
    /// The note on it; may be empty.
    pub annotation: Box<str>,
    /// Its counters, by their number; none is 0.
    pub counters: BTreeMap<i32, i32>,
    /// The card that it is attached to.
    pub attached_to: Option<Box<CardPlace>>,
    /// Who was shown it where others cannot see it.
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

/// What a player's cards had that are where the viewer does not see them: a server keeps it, and does not
/// tell it again when they come back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unseen(pub(super) BTreeMap<i32, Card>);

/// Who was shown a card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Nobody.
    #[default]
    ToNobody,
    /// The players of these numbers.
    To(Vec<i32>),
    /// Everybody.
    ToAll,
}

// === impl Card ===

impl Card {
    /// A card of a whole state, or one that is drawn or revealed.
    pub(super) fn read(card: &info::Card<'_>) -> Result<Self, TextError> {
        let counters = card.counter_list().filter_map(Result::ok);
        let attached_to = match card.attach_card_id {
            Some(id) => Some(Box::new(CardPlace {
                player: card.attach_player_id(),
                zone: card.attach_zone()?.into(),
                card: id,
            })),
            None => None,
        };
        Ok(Self {
            id: card.id(),
            name: known(card.name)?,
            provider_id: known(card.provider_id)?,
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
            counters: counters
                .map(|counter| (counter.id(), counter.value()))
                .collect(),
            attached_to,
            shown: Shown::ToNobody,
        })
    }

    /// What a server forgets of a card that leaves the table; on the stack it keeps its note.
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

    /// Takes over a name and a printing as far as they are told.
    pub(super) fn learn(
        &mut self,
        name: Option<Text<'_>>,
        provider_id: Option<Text<'_>>,
    ) -> Result<(), TextError> {
        if let Some(name) = known(name)? {
            self.name = Some(name);
        }
        if provider_id.is_some() {
            self.provider_id = known(provider_id)?;
        }
        Ok(())
    }
}

/// An empty name is none that the viewer may know.
pub(super) fn known(text: Option<Text<'_>>) -> Result<Option<Box<str>>, TextError> {
    let text = text.map(Text::to_str).transpose()?;
    Ok(text.filter(|text| !text.is_empty()).map(Into::into))
}

// === impl Unseen ===

impl Unseen {
    /// Remembers a card that has more to it than its name.
    pub(super) fn put_away(&mut self, card: &Card) {
        let plain = card.color.is_empty()
            && card.pt.is_empty()
            && card.annotation.is_empty()
            && !card.destroy_on_zone_change;
        if !plain && card.id >= 0 {
            self.0.insert(card.id, card.clone());
        }
    }

    /// The card of this number, as far as it is known.
    pub(super) fn take(&mut self, id: i32) -> Card {
        let known = self.0.remove(&id);
        known.unwrap_or(Card {
            id,
            ..Card::default()
        })
    }
}

// === impl Shown ===

impl Shown {
    /// Whether this participant is among them.
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

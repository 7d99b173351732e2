use super::Card;
use crate::game::schema::info::ZoneType;

/// A zone of a player, such as the hand, as far as the viewer of the table sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Zone {
    /// Who sees the cards in it.
    pub kind: ZoneType,
    /// Whether its cards have columns and rows.
    pub with_coords: bool,
    /// Whether its top card is always shown to everybody.
    pub always_reveal_top_card: bool,
    /// Whether its player always sees its top card.
    pub always_look_at_top_card: bool,
    /// The top card of a hidden zone, if it has been shown and is still there.
    pub top_card: Option<Box<Card>>,
    contents: Contents,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Contents {
    Cards(Vec<Card>),
    /// Only their number is known.
    Unseen(u32),
}

impl Zone {
    pub(super) fn new(kind: ZoneType, with_coords: bool, seen: bool) -> Self {
        Self {
            kind,
            with_coords,
            always_reveal_top_card: false,
            always_look_at_top_card: false,
            top_card: None,
            contents: if seen { Contents::Cards(Vec::new()) } else { Contents::Unseen(0) },
        }
    }

    /// The number of cards in it.
    pub fn len(&self) -> usize {
        match &self.contents {
            Contents::Cards(cards) => cards.len(),
            Contents::Unseen(count) => *count as usize,
        }
    }

    /// Whether it has no cards.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cards in it, the top one first; empty if the viewer does not [see into it](Self::is_seen).
    pub fn cards(&self) -> &[Card] {
        match &self.contents {
            Contents::Cards(cards) => cards,
            Contents::Unseen(_) => &[],
        }
    }

    /// Whether the viewer sees which cards are in it, not only how many.
    pub fn is_seen(&self) -> bool {
        matches!(self.contents, Contents::Cards(_))
    }

    pub(super) fn cards_mut(&mut self) -> &mut [Card] {
        match &mut self.contents {
            Contents::Cards(cards) => cards,
            Contents::Unseen(_) => &mut [],
        }
    }

    pub(super) fn card_mut(&mut self, id: i32) -> Option<&mut Card> {
        self.cards_mut().iter_mut().find(|card| card.id == id)
    }

    /// Keeps only the number of cards, as the viewer no longer knows which they are.
    pub(super) fn lose_sight(&mut self) {
        self.contents = Contents::Unseen(self.count());
    }

    fn count(&self) -> u32 {
        u32::try_from(self.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn add_unseen(&mut self, number: u32) {
        self.contents = Contents::Unseen(self.count().saturating_add(number));
    }

    pub(super) fn remove_unseen(&mut self, number: u32) {
        self.contents = Contents::Unseen(self.count().saturating_sub(number));
    }

    pub(super) fn take(&mut self, id: i32) -> Option<Card> {
        let Contents::Cards(cards) = &mut self.contents else {
            return None;
        };
        let index = cards.iter().position(|card| card.id == id)?;
        Some(cards.remove(index))
    }

    /// Inserts a card as a server does: on the table at the end of the list, elsewhere at position `x` if it exists.
    pub(super) fn insert(&mut self, mut card: Card, x: i32, y: i32) {
        let Contents::Cards(cards) = &mut self.contents else {
            return self.add_unseen(1);
        };
        if self.with_coords {
            (card.x, card.y) = (x, y);
            cards.push(card);
            return;
        }
        (card.x, card.y) = (0, 0);
        match usize::try_from(x) {
            Ok(position) if position < cards.len() => cards.insert(position, card),
            _ => cards.push(card),
        }
    }

    /// Appends a card of a complete state.
    pub(super) fn push(&mut self, card: Card) {
        if let Contents::Cards(cards) = &mut self.contents {
            cards.push(card);
        }
    }
}

//! Decks: the names of their cards, and the cards that have not been drawn yet.

use std::collections::BTreeMap;

/// The decks of a game's players.
#[derive(Debug, Default)]
pub(super) struct Decks {
    /// The names of the cards in the deck that each player chose.
    pub(super) chosen: BTreeMap<i32, Vec<String>>,
    /// The cards left in each deck, the top one first.
    cards: BTreeMap<i32, Vec<(i32, String)>>,
    /// The number of each player's next card.
    next_card: BTreeMap<i32, i32>,
}

// === impl Decks ===

impl Decks {
    /// The number of the next card of a player.
    pub(super) fn new_card(&mut self, player: i32) -> i32 {
        let next = self.next_card.entry(player).or_default();
        *next += 1;
        *next - 1
    }

    /// Lays out the decks that were chosen.
    pub(super) fn lay_out(&mut self) {
        self.next_card.clear();
        self.cards.clear();
        for (player, names) in self.chosen.clone() {
            let cards = names.into_iter().map(|name| (self.new_card(player), name));
            let cards = cards.collect();
            self.cards.insert(player, cards);
        }
    }

    /// The cards left in a player's deck, the top one first.
    pub(super) fn of(&mut self, player: i32) -> &mut Vec<(i32, String)> {
        self.cards.entry(player).or_default()
    }

    /// The number of cards left in a player's deck.
    pub(super) fn len(&self, player: i32) -> usize {
        self.cards.get(&player).map_or(0, Vec::len)
    }
}

/// The cards of a deck, from XML as the official client stores it, or from lines such as `4 Forest`.
pub(super) fn cards_of(deck: &str) -> Vec<String> {
    /// The most cards of a deck.
    const MOST: usize = 1_000;
    let mut cards = Vec::new();
    let main = deck.split("name=\"side\"").next().unwrap_or_default();
    let xml = main.split("<card ").skip(1).filter_map(|card| {
        let attribute = |name: &str| Some(card.split_once(name)?.1.split('"').next()?.to_owned());
        Some((attribute("number=\"")?, attribute("name=\"")?))
    });
    let lines = deck.lines().filter_map(|line| {
        let (number, name) = line.trim().split_once(' ')?;
        Some((number.to_owned(), name.trim().to_owned()))
    });
    let named: Vec<_> = if deck.contains('<') {
        xml.collect()
    } else {
        lines.collect()
    };
    for (number, name) in named {
        let count = number.parse().unwrap_or(0_usize).min(MOST - cards.len());
        cards.extend(std::iter::repeat_n(name, count));
    }
    cards
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decks_are_read() {
        let xml = r#"<cockatrice_deck version="1"><zone name="main"><card number="2" name="Forest"/>
            <card number="1" name="Bear"/></zone><zone name="side"><card number="3" name="Side"/></zone></cockatrice_deck>"#;
        assert_eq!(cards_of(xml), ["Forest", "Forest", "Bear"]);
        assert_eq!(cards_of("2 Forest\n1 Bear\n"), ["Forest", "Forest", "Bear"]);
        assert_eq!(cards_of("99999999 Forest").len(), 1_000);
        assert!(cards_of("<card number=\"x").is_empty());
        assert!(cards_of("").is_empty());
    }
}

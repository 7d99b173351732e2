//! Places that accounts share.

use std::collections::HashMap;

/// A number of places. Whoever has fewer than are free may take one more: an account alone may have half of them, three
/// have a quarter each, and however many there are, some are left for whoever comes.
#[derive(Clone, Debug)]
pub struct Shares {
    places: usize,
    in_use: usize,
    taken: HashMap<Box<str>, usize>,
}

impl Shares {
    /// So many places.
    pub fn new(places: usize) -> Self {
        Self {
            places,
            in_use: 0,
            taken: HashMap::new(),
        }
    }

    /// How many are free.
    pub fn free(&self) -> usize {
        self.places.saturating_sub(self.in_use)
    }

    /// Whether `account` may take one more.
    pub fn has_room(&self, account: &str) -> bool {
        self.taken.get(account).copied().unwrap_or_default() < self.free()
    }

    /// The accounts that may take no more, as far as they have any.
    pub fn full(&self) -> impl Iterator<Item = &str> {
        let free = self.free();
        let full = self.taken.iter().filter(move |(_, taken)| **taken >= free);
        full.map(|(account, _)| &**account)
    }

    /// Gives `account` one of them, whether it may have it or not.
    pub fn take(&mut self, account: &str) {
        self.in_use += 1;
        match self.taken.get_mut(account) {
            Some(taken) => *taken += 1,
            None => _ = self.taken.insert(account.into(), 1),
        }
    }

    /// Takes back one that `account` has.
    pub fn give_back(&mut self, account: &str) {
        let Some(taken) = self.taken.get_mut(account) else {
            return;
        };
        *taken -= 1;
        if *taken == 0 {
            self.taken.remove(account);
        }
        self.in_use -= 1;
    }
}

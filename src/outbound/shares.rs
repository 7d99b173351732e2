//! Places that accounts share.

use std::collections::HashMap;

/// A number of places. Half of them are for everybody: whoever has fewer than are free of these may take one more, so an
/// account alone may have half of them, and three have a quarter each. Of the other half each account may have a
/// few, so that some are left for whoever comes after others have taken the first half.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    places: usize,
    in_use: usize,
    taken: HashMap<Box<str>, usize>,
}

impl Shares {
    /// So many places.
    pub fn new(places: usize) -> Self {
        Self { places, in_use: 0, taken: HashMap::new() }
    }

    /// How many are free.
    pub fn free(&self) -> usize {
        self.places.saturating_sub(self.in_use)
    }

    /// Whether `account` may take one more.
    pub fn has_room(&self, account: &str) -> bool {
        let taken = self.taken.get(account).copied().unwrap_or_default();
        let few = (self.places / 256).max(1);
        taken < self.free().saturating_sub(self.places / 2) || taken < few.min(self.free())
    }

    /// The accounts that may take no more, as far as they have any.
    pub fn full(&self) -> impl Iterator<Item = &str> {
        self.taken.keys().map(|account| &**account).filter(|account| !self.has_room(account))
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

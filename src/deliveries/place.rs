//! Places for attempts, which accounts share.

use std::sync::Arc;

use parking_lot::Mutex;

use super::queue::Places;
use super::{Sender, Shares, Target};

/// Attempts in flight at once, and those of them at targets whose attempts fail: if they hang, however many they are, the
/// others have the rest.
pub(super) const MAX_IN_FLIGHT: usize = 1024;
const MAX_FAILING: usize = MAX_IN_FLIGHT / 2;

/// The place of an attempt: it counts for the account until the attempt has ended, whatever became of the target.
pub(crate) struct Place {
    places: Arc<Mutex<Places>>,
    target: Arc<Target>,
}

pub(super) fn all() -> Arc<Mutex<Places>> {
    Arc::new(Mutex::new(Places {
        all: Shares::new(MAX_IN_FLIGHT),
        failing: Shares::new(MAX_FAILING),
    }))
}

// === impl Sender ===

impl Sender {
    /// The places as they are taken now.
    pub(super) fn places(&self) -> Places {
        self.places.lock().clone()
    }

    /// Takes a place for an attempt at `target`, whether there is room or not.
    pub(super) fn take_place(&self, target: Arc<Target>) -> Place {
        self.places.lock().take(&target);
        Place { places: self.places.clone(), target }
    }

    /// The same if there is room.
    pub(crate) fn try_place(&self, target: Arc<Target>) -> Option<Place> {
        let mut places = self.places.lock();
        places.has_room(&target).then(|| {
            places.take(&target);
            Place { places: self.places.clone(), target }
        })
    }
}

// === impl Place ===

impl Drop for Place {
    fn drop(&mut self) {
        self.places.lock().give_back(&self.target);
    }
}

#[cfg(test)]
#[path = "../../tests/unit/place.rs"]
mod tests;

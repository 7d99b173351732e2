//! The places for logins that the groupware server may refuse (docs/ARCHITECTURE.md, "Refused
//! logins").
//!
//! The server counts refused logins by address, and the gateway is one address for all of its
//! users. So there is a fixed number of places. A call with a password that did not work a moment
//! ago occupies one while it is in flight, and a refusal keeps it for [`WINDOW`]: there are never
//! more refusals within that time than places.
//!
//! This is the table alone, without clock, waiting or storage: each method says what is true at the
//! instant it is given.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::vault::LoginPurpose;

/// The time over which the groupware server counts.
pub(super) const WINDOW: Duration = Duration::from_secs(30 * 60);

/// Places of one user. A stored password that worked within the last hour, or one that the server
/// has just handed out, may have one more: users whose password works are served. What somebody
/// brings by HTTP Basic in the user's name is counted apart, so that it takes nothing from the user.
const OF_ONE_USER: usize = 2;

/// Places that are occupied, and by what.
pub(super) struct Places {
    budget: usize,
    occupied: Vec<Place>,
}

/// A login to find a place for.
#[derive(Clone, Debug)]
pub(super) struct Login {
    pub(super) user_id: Arc<str>,
    pub(super) purpose: LoginPurpose,
    /// Whether the server forgets its refusal at the next success of the user.
    pub(super) forgivable: bool,
}

/// Which limits hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shares {
    /// All of them.
    All,
    /// That of each user alone: the server counts no refused logins of this address.
    OfUser,
}

struct Place {
    id: u64,
    login: Login,
    state: State,
    /// Whether the store has it: then it ends here when it ends there.
    stored: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    InFlight,
    /// In flight, by another gateway on the same store.
    Elsewhere,
    RefusedUntil(Instant),
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// A login in flight may still give its place back.
    ForNow,
    /// Refused logins occupy what there is. Before `until` there is no place.
    Until {
        until: Instant,
        /// Whether the user's own refusals are the reason.
        by_own: bool,
    },
}

// === impl Full ===

impl Full {
    /// The time before which there is no place; `None` comes before all others.
    fn end(&self) -> Option<Instant> {
        match self {
            Self::ForNow => None,
            Self::Until { until, .. } => Some(*until),
        }
    }
}

// === impl Places ===

impl Places {
    /// As many as `budget`, at least one.
    pub(super) fn new(budget: usize) -> Self {
        Self {
            budget: budget.max(1),
            occupied: Vec::new(),
        }
    }

    /// How many places are free, occupied by logins in flight, and by refused ones.
    pub(super) fn counts(&mut self, now: Instant) -> (usize, usize, usize) {
        self.forget_old(now);
        let in_flight = self.occupied.iter();
        let in_flight = in_flight.filter(|it| !it.is_refused()).count();
        let free = self.budget.saturating_sub(self.occupied.len());
        (free, in_flight, self.occupied.len() - in_flight)
    }

    /// Reserves a place for a login that is about to be tried, under the number `id`.
    ///
    /// | purpose | its share |
    /// |---|---|
    /// | new, basic | a third of the places together; all of them but one for basic |
    /// | first use, retry | a third together; one for retries |
    /// | recent | all |
    /// | granted | all, and one beyond them: the server made the password itself a moment ago |
    pub(super) fn reserve(
        &mut self,
        id: u64,
        login: Login,
        shares: Shares,
        now: Instant,
    ) -> Result<(), Full> {
        use LoginPurpose::{Basic, FirstUse, Granted, New, Retry};

        self.forget_old(now);
        let third = (self.budget / 3).max(1);
        let by_basic = login.purpose == Basic;
        let own = |place: &Place| {
            let is_of_user = place.login.user_id == login.user_id;
            is_of_user && (place.login.purpose == Basic) == by_basic
        };
        let of_user = match login.purpose {
            New | Basic | FirstUse | Retry => OF_ONE_USER,
            _ => OF_ONE_USER + 1,
        };
        let is_brought = |it: &Place| matches!(it.login.purpose, New | Basic);
        let is_of_stored = |it: &Place| matches!(it.login.purpose, FirstUse | Retry);
        let none = usize::MAX;
        let (brought, basic, of_stored, retries) = match login.purpose {
            New => (third, none, none, none),
            Basic => (third, (third - 1).max(1), none, none),
            FirstUse => (none, none, third, none),
            Retry => (none, none, third, 1),
            _ => (none, none, none, none),
        };
        let all = self.budget + usize::from(login.purpose == Granted);
        let (brought, basic, of_stored, retries, all) = match shares {
            Shares::All => (brought, basic, of_stored, retries, all),
            Shares::OfUser => (none, none, none, none, none),
        };
        let limits = [
            self.check(is_brought, brought, false),
            self.check(|it| it.login.purpose == Basic, basic, false),
            self.check(is_of_stored, of_stored, false),
            self.check(|it| it.login.purpose == Retry, retries, false),
            self.check(|_| true, all, false),
            self.check(own, of_user, true),
        ];
        // The limit that holds longest says how long to wait; of equal ones the user's own.
        if let Some(full) = limits
            .into_iter()
            .filter_map(Result::err)
            .max_by_key(Full::end)
        {
            return Err(full);
        }
        self.occupied.push(Place {
            id,
            login,
            state: State::InFlight,
            stored: false,
        });
        Ok(())
    }

    /// As [`Self::reserve`], with the place `id` that was [kept](Self::keep), which stays kept if it
    /// cannot be used.
    pub(super) fn reuse(
        &mut self,
        id: u64,
        login: Login,
        shares: Shares,
        now: Instant,
    ) -> Result<(), Full> {
        self.occupied.retain(|place| place.id != id);
        let reserved = self.reserve(id, login, shares, now);
        if reserved.is_err() {
            self.keep(id);
        }
        reserved
    }

    /// Keeps the place `id` for a later login of whomever.
    pub(super) fn keep(&mut self, id: u64) {
        self.occupied.retain(|place| place.id != id);
        self.occupied.push(Place {
            id,
            login: Login {
                user_id: "".into(),
                purpose: LoginPurpose::Recent,
                forgivable: false,
            },
            state: State::InFlight,
            stored: false,
        });
    }

    /// Takes over what the store has: the logins in flight of all gateways, and the refused ones.
    pub(super) fn replace_others(
        &mut self,
        in_flight: Vec<(u64, Login)>,
        refused: Vec<(u64, Login, Instant)>,
    ) {
        self.occupied.retain(|place| match place.state {
            State::InFlight => true,
            State::Elsewhere => false,
            State::RefusedUntil(_) => {
                !place.stored || refused.iter().any(|(id, ..)| *id == place.id)
            }
        });
        for (id, login) in in_flight {
            if self.occupied.iter().all(|place| place.id != id) {
                self.occupied.push(Place {
                    id,
                    login,
                    state: State::Elsewhere,
                    stored: true,
                });
            }
        }
        for (id, login, until) in refused {
            self.add_refused(id, login, until);
            self.stored(id);
        }
    }

    /// The store has the refused login `id` now.
    pub(super) fn stored(&mut self, id: u64) {
        if let Some(place) = self.occupied.iter_mut().find(|place| place.id == id) {
            place.stored = true;
        }
    }

    /// The login that holds the place `id` was refused; what is to be remembered of it.
    pub(super) fn refused(&mut self, id: u64, now: Instant) -> Option<Login> {
        let place = self.occupied.iter_mut().find(|place| place.id == id)?;
        place.state = State::RefusedUntil(now + WINDOW);
        Some(place.login.clone())
    }

    /// Adds a login that was refused without a place, or is known to have been: `until` is when
    /// the server no longer counts it.
    pub(super) fn add_refused(&mut self, id: u64, login: Login, until: Instant) {
        if self.occupied.iter().all(|place| place.id != id) {
            self.occupied.push(Place {
                id,
                login,
                state: State::RefusedUntil(until),
                stored: false,
            });
        }
    }

    /// Gives back the place `id`, unless its login was refused: then the answer is `false`.
    pub(super) fn release(&mut self, id: u64) -> bool {
        let before = self.occupied.len();
        self.occupied
            .retain(|place| place.id != id || place.state != State::InFlight);
        self.occupied.len() < before
    }

    /// A login of `user_id` that began at `began` worked. So the server has forgotten the forgivable
    /// ones of the user that it had refused by then; their numbers. It may have refused later ones
    /// after that success.
    pub(super) fn forgive(&mut self, user_id: &str, began: Instant) -> Vec<u64> {
        let forgiven = |place: &mut Place| match place.state {
            State::InFlight | State::Elsewhere => false,
            State::RefusedUntil(until) => {
                let is_own = place.login.forgivable && *place.login.user_id == *user_id;
                is_own && until < began + WINDOW
            }
        };
        let forgiven = self.occupied.extract_if(.., forgiven);
        forgiven.map(|place| place.id).collect()
    }

    fn forget_old(&mut self, now: Instant) {
        self.occupied.retain(|place| match place.state {
            State::InFlight | State::Elsewhere => true,
            State::RefusedUntil(until) => until > now,
        });
    }

    /// Whether fewer than `limit` of the places that `alike` counts are occupied.
    fn check(
        &self,
        alike: impl Fn(&Place) -> bool,
        limit: usize,
        by_own: bool,
    ) -> Result<(), Full> {
        let alike = self.occupied.iter().filter(|place| alike(place));
        let (mut count, mut refused) = (0, Vec::new());
        for place in alike {
            count += 1;
            if let State::RefusedUntil(until) = place.state {
                refused.push(until);
            }
        }
        if count < limit {
            return Ok(());
        }
        if refused.len() < limit {
            return Err(Full::ForNow);
        }
        refused.sort_unstable();
        Err(Full::Until {
            until: refused[refused.len() - limit],
            by_own,
        })
    }
}

// === impl Place ===

impl Place {
    fn is_refused(&self) -> bool {
        matches!(self.state, State::RefusedUntil(_))
    }
}

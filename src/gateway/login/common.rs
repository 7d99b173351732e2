//! Places where several gateways share a store: each is claimed there before its login is tried.
//!
//! The table of places is the same as ever, and holds what others have in flight as well. A decision by it
//! becomes a claim, which the store accepts only if the table was up to date; else it is read anew. So
//! the bound holds for all gateways together, and a claim costs one statement.
//!
//! Even that would be too much for each call with a password that worked within the hour. So a place that
//! such a call gives back is kept for the next one, up to [`KEPT_FOR`], unless another gateway asks for it.

use std::sync::{Arc, Mutex, MutexGuard as SyncMutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::MutexGuard;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

use super::permit::{NoPlace, Permit};
use super::places::{Full, Login, Shares, WINDOW};
use super::{Inner, Logins};
use crate::gateway::Error;
use crate::vault::{
    ClaimedPlace, CommonPlaces, LoginPurpose, PlacesNews, Store, StoreError, VaultError,
};

/// How old the table may be for a decision that is then claimed.
const REREAD: Duration = Duration::from_secs(1);

/// How old it may be for turning somebody away, or keeping somebody waiting.
const REREAD_IF_FULL: Duration = Duration::from_millis(100);

/// So long after its claim a place is kept for another call. The store gives up on it after a minute:
/// what is left of that is more than a call of the groupware server takes, unless its timeout is raised.
const KEPT_FOR: Duration = Duration::from_secs(20);

/// So long no place is kept after another gateway asked for one.
const WANTED_FOR: Duration = Duration::from_secs(1);

/// How often places are looked for that were kept long enough.
const INTERVAL: Duration = Duration::from_secs(5);

/// The places of the store, and those that are kept.
pub(super) struct Common {
    places: Arc<dyn CommonPlaces>,
    most_kept: usize,
    kept: Mutex<Kept>,
    released: UnboundedSender<u64>,
    /// Taken by the task that tells the store.
    to_release: Mutex<Option<UnboundedReceiver<u64>>>,
}

/// What is known of the places of all gateways, and since when. It is locked while it changes here or in
/// the store, so that nothing which is forgiven comes back.
#[derive(Default)]
pub(super) struct View {
    pub(super) read_at: Option<Instant>,
    version: Option<u64>,
    /// When the store last failed.
    failed_at: Option<Instant>,
}

#[derive(Default)]
struct Kept {
    places: Vec<(u64, Instant)>,
    wanted_at: Option<Instant>,
}

// === impl Common ===

impl Common {
    /// The common ones of `store`, if it has any; a gateway keeps a third of `budget` at most.
    pub(super) fn of(store: &impl Store, budget: usize) -> Option<Self> {
        let (released, to_release) = unbounded_channel();
        Some(Self {
            places: store.common_places()?,
            most_kept: (budget / 3).max(1),
            kept: Mutex::default(),
            released,
            to_release: Mutex::new(Some(to_release)),
        })
    }

    /// Gives a place back that was claimed at `claimed`; whether it is kept for another call instead.
    pub(super) fn give_back(&self, id: u64, claimed: Instant, keeps: bool) -> bool {
        let mut kept = self.kept();
        let is_kept = keeps
            && claimed.elapsed() < KEPT_FOR
            && kept.wanted_at.is_none_or(|at| at.elapsed() >= WANTED_FOR)
            && kept.places.len() < self.most_kept;
        match is_kept {
            true => kept.places.push((id, claimed)),
            false => self.release(id),
        }
        is_kept
    }

    /// A place that was kept, with the time of its claim.
    pub(super) fn take_kept(&self) -> Option<(u64, Instant)> {
        let mut kept = self.kept();
        loop {
            let (id, claimed) = kept.places.pop()?;
            if claimed.elapsed() < KEPT_FOR {
                return Some((id, claimed));
            }
            self.release(id);
        }
    }

    /// Gives back what was kept too long, or all; their numbers.
    pub(super) fn release_kept(&self, all: bool) -> Vec<u64> {
        let mut kept = self.kept();
        let ended = kept
            .places
            .extract_if(.., |(_, claimed)| all || claimed.elapsed() >= KEPT_FOR);
        let ended: Vec<_> = ended.map(|(id, _)| id).collect();
        for id in &ended {
            self.release(*id);
        }
        ended
    }

    fn release(&self, id: u64) {
        // Without the task nobody is there any more; then the store gives up on it.
        _ = self.released.send(id);
    }

    fn kept(&self) -> SyncMutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Logins ===

impl<St: Store> Logins<St> {
    /// Acquires a permit for `login` among all gateways on the store, and waits for one as long as
    /// logins in flight may still give one back.
    pub(super) async fn acquire_in_common(
        &self,
        common: &Common,
        login: &Login,
        shares: Shares,
        since: Instant,
    ) -> Result<Result<Permit, NoPlace>, Error> {
        self.keep_in_touch(common);
        let permits = &self.inner.permits;
        if login.purpose == LoginPurpose::Recent
            && let Some(permit) = permits.reuse(login, shares)
        {
            return Ok(Ok(permit));
        }
        loop {
            // Created before the places are looked at, so that no change after it is missed.
            let changed = permits.changed();
            let mut view = self.view(since).await?;
            if view.is_older_than(REREAD) {
                self.read_places(common, &mut view).await?;
            }
            let full = match permits.reserve(login, shares) {
                Ok(mut permit) => {
                    let version = view.version.unwrap_or_default();
                    view.version = None;
                    permit.claim();
                    let place = ClaimedPlace {
                        id: permit.id(),
                        user_id: login.user_id.clone(),
                        purpose: login.purpose,
                        forgivable: login.forgivable,
                    };
                    let claimed = common.places.claim(place, version).await;
                    if view.note(claimed)? {
                        view.version = Some(version + 1);
                        permit.confirm(login.purpose == LoginPurpose::Recent);
                        return Ok(Ok(permit));
                    }
                    permit.unclaim();
                    continue;
                }
                Err(full) => full,
            };
            if view.is_older_than(REREAD_IF_FULL) {
                view.version = None;
                continue;
            }
            drop(view);
            match full {
                Full::ForNow => {
                    permits.release_kept(true);
                    common.places.want().await.map_err(VaultError::from)?;
                    // News may be missed.
                    _ = tokio::time::timeout(REREAD_IF_FULL, changed).await;
                }
                Full::Until { until, by_own } => {
                    return Ok(Err(NoPlace::new(until, by_own, login.purpose)));
                }
            }
        }
    }

    /// What is known of the places, for a request that has waited since `since`. If the store has failed
    /// in the meantime, it is not asked again: of many in a row each would wait for a failure of its own.
    pub(super) async fn view(&self, since: Instant) -> Result<MutexGuard<'_, View>, Error> {
        let view = self.inner.view.lock().await;
        match view.failed_at {
            Some(at) if at >= since => {
                let reason = "it failed for another request while this one waited";
                let error = StoreError::new("cannot reach the places for logins", reason);
                Err(VaultError::from(error).into())
            }
            _ => Ok(view),
        }
    }

    /// Takes over what is occupied, by all gateways.
    async fn read_places(&self, common: &Common, view: &mut View) -> Result<(), Error> {
        let (now, read_at) = (SystemTime::now(), Instant::now());
        let occupied = common.places.occupied(now - WINDOW).await;
        let occupied = view.note(occupied)?;
        let in_flight = occupied.in_flight.into_iter().map(|place| {
            let login = Login {
                user_id: place.user_id,
                purpose: place.purpose,
                forgivable: place.forgivable,
            };
            (place.id, login)
        });
        let refused = occupied.refused.into_iter().map(|it| {
            // A clock that was set back must not lock anybody out for longer.
            let age = now.duration_since(it.refused_at).unwrap_or_default();
            let login = Login {
                user_id: it.user_id,
                purpose: it.purpose,
                forgivable: it.forgivable,
            };
            (it.id, login, read_at + WINDOW.saturating_sub(age))
        });
        let permits = &self.inner.permits;
        permits.replace_others(in_flight.collect(), refused.collect());
        view.read_at = Some(read_at);
        view.version = Some(occupied.version);
        Ok(())
    }

    /// Gives back, in the store, the places that are kept for later calls: there are none to come.
    pub(in crate::gateway) async fn close(&self) {
        let permits = &self.inner.permits;
        let kept = permits.release_kept(true);
        if let (Some(common), false) = (permits.common(), kept.is_empty())
            && let Err(error) = common.places.release(kept).await
        {
            tracing::warn!(%error, "places for logins come free later: they could not be given back");
        }
    }

    /// Starts the task that tells the store which places are given back, and hears what other gateways
    /// do, unless it runs.
    fn keep_in_touch(&self, common: &Common) {
        let receiver = common.to_release.lock();
        let receiver = receiver.unwrap_or_else(PoisonError::into_inner).take();
        if let Some(released) = receiver {
            let (places, inner) = (common.places.clone(), Arc::downgrade(&self.inner));
            tokio::spawn(keep_in_touch(places, released, inner));
        }
    }
}

async fn keep_in_touch<St: Store>(
    places: Arc<dyn CommonPlaces>,
    mut released: UnboundedReceiver<u64>,
    inner: std::sync::Weak<Inner<St>>,
) {
    let mut news = places.news();
    let mut interval = tokio::time::interval(INTERVAL);
    loop {
        let news = tokio::select! {
            id = released.recv() => {
                let Some(id) = id else {
                    return;
                };
                let mut ids = vec![id];
                while let Ok(id) = released.try_recv() {
                    ids.push(id);
                }
                if let Err(error) = places.release(ids).await {
                    tracing::warn!(%error, "places for logins come free later: they could not be given back");
                }
                continue;
            }
            news = news.recv() => news,
            _ = interval.tick() => {
                let Some(inner) = inner.upgrade() else {
                    return;
                };
                inner.permits.release_kept(false);
                continue;
            }
        };
        let Some(inner) = inner.upgrade() else {
            return;
        };
        match news {
            Ok(PlacesNews::Wanted) => {
                if let Some(common) = inner.permits.common() {
                    common.kept().wanted_at = Some(Instant::now());
                }
                inner.permits.release_kept(true);
            }
            // Perhaps many passwords were revoked at once.
            Ok(PlacesNews::Refused) => inner.proofs.distrust(),
            Ok(PlacesNews::Freed) | Err(RecvError::Lagged(_)) => inner.permits.notify(),
            Err(RecvError::Closed) => return,
        }
    }
}

// === impl View ===

impl View {
    /// `done`, of the store, is noted if it is a failure.
    pub(super) fn note<T>(&mut self, done: Result<T, StoreError>) -> Result<T, Error> {
        done.map_err(|error| {
            self.failed_at = Some(Instant::now());
            VaultError::from(error).into()
        })
    }

    fn is_older_than(&self, age: Duration) -> bool {
        self.version.is_none() || self.read_at.is_none_or(|at| at.elapsed() >= age)
    }
}

//! Places for logins that may be refused, where several gateways share a store.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::broadcast;

use super::{LoginPurpose, RefusedLogin, StoreError};

/// What a store's answer about places comes in.
pub type PlacesFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// The places of all gateways on one store (docs/ARCHITECTURE.md, "Refused logins"): which logins are in
/// flight anywhere, and which were refused.
///
/// A gateway reads what is occupied, decides by it, and claims: the claim holds only if nobody else
/// claimed since the reading. So all gateways together keep the bound that each of them knows.
pub trait CommonPlaces: fmt::Debug + Send + Sync + 'static {
    /// What is occupied at this instant: the logins in flight, and those refused at `since` or later.
    fn occupied(&self, since: SystemTime) -> PlacesFuture<'_, OccupiedPlaces>;

    /// Claims a place, if nothing was claimed and no login refused since `version` was read; else
    /// `false`, and nothing changes. A place that is not released, since its gateway is gone, comes
    /// free after a minute.
    fn claim(&self, place: ClaimedPlace, version: u64) -> PlacesFuture<'_, bool>;

    /// Gives places back. Those that a refused login took over
    /// ([`Store::put_refused_login`](super::Store::put_refused_login)) stay as they are.
    fn release(&self, ids: Vec<u64>) -> PlacesFuture<'_, ()>;

    /// Asks the other gateways for the places that they keep for later.
    fn want(&self) -> PlacesFuture<'_, ()>;

    /// What happens to places from now on, by whichever gateway; some of it may be missed.
    fn news(&self) -> broadcast::Receiver<PlacesNews>;
}

/// A place that is claimed for a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedPlace {
    /// A random number of 63 bits; that of the [`RefusedLogin`] that it may become.
    pub id: u64,
    /// The account id of the caller on whose behalf it is tried.
    pub user_id: Arc<str>,
    /// Why it is tried.
    pub purpose: LoginPurpose,
    /// See [`RefusedLogin::forgivable`].
    pub forgivable: bool,
}

/// Everything that is occupied at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OccupiedPlaces {
    /// Changes with each claim and each refused login.
    pub version: u64,
    /// Those in flight, of this gateway and of others.
    pub in_flight: Vec<ClaimedPlace>,
    /// Those that were refused.
    pub refused: Vec<RefusedLogin>,
}

/// What happened to places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacesNews {
    /// Some came free.
    Freed,
    /// A gateway finds none, and others may keep some for later.
    Wanted,
    /// A login was refused.
    Refused,
}

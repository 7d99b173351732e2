//! A preset at one address: which of its webhooks are registered there.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{PresetAtServer, PresetWebhook, Registration};
use crate::groupware::EventFilter;

/// Whether the webhooks of a preset are registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// None of them.
    Disabled,
    /// Some of them.
    Partly,
    /// All of them.
    Enabled,
}

/// A preset at one address.
#[derive(Debug, Serialize)]
pub(super) struct Placed<'p> {
    uri: String,
    state: State,
    webhooks: Vec<PlacedWebhook<'p>>,
    /// Registrations with the filter of an earlier version, or with that for another version of the server,
    /// in ascending order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outdated: Vec<i64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PlacedWebhook<'p> {
    event: &'p str,
    event_filter: Option<&'p EventFilter>,
    /// The ids of its registrations, in ascending order.
    ids: Vec<i64>,
}

// === impl PresetAtServer ===

impl PresetAtServer {
    /// The preset at `uri`. Registrations whose deliveries are authenticated differently than those made
    /// now do not count.
    pub(super) fn at<'r, 'l: 'r>(
        &self,
        uri: &str,
        listed: impl IntoIterator<Item = &'r Registration<'l>>,
        authenticated: bool,
    ) -> Placed<'_> {
        let listed: Vec<_> = listed.into_iter().collect();
        let counts = |webhook: &PresetWebhook, registration: &Registration<'_>| {
            registration.uri == uri
                && registration.is_authenticated() == authenticated
                && webhook.is(registration)
        };
        let placed = |webhook| {
            let ids = ids(listed.iter().copied(), |registration| {
                counts(webhook, registration)
            });
            PlacedWebhook::new(webhook, ids)
        };
        let webhooks = self.webhooks().iter().map(placed).collect();
        let mut placed = Placed {
            uri: uri.to_owned(),
            state: State::Disabled,
            webhooks,
            outdated: ids(listed.iter().copied(), |registration| {
                registration.uri == uri && self.is_outdated(registration)
            }),
        };
        placed.find_state();
        placed
    }

    /// The preset at each address where at least one of its webhooks is registered.
    pub(super) fn everywhere(
        &self,
        listed: &[Registration<'_>],
        authenticated: bool,
    ) -> Vec<Placed<'_>> {
        let is_ours = |registration: &&Registration<'_>| {
            let is_current = registration.is_authenticated() == authenticated
                && self
                    .webhooks()
                    .iter()
                    .any(|webhook| webhook.is(registration));
            is_current || self.is_outdated(registration)
        };
        let mut by_address = BTreeMap::<&str, Vec<&Registration<'_>>>::new();
        for registration in listed.iter().filter(is_ours) {
            by_address
                .entry(&registration.uri)
                .or_default()
                .push(registration);
        }
        let placed = by_address.into_iter();
        placed
            .map(|(uri, ours)| self.at(uri, ours, authenticated))
            .collect()
    }

    /// The ids of all registrations of the preset's webhooks at `uri`, however their deliveries are
    /// authenticated.
    pub(super) fn registered_at(&self, uri: &str, listed: &[Registration<'_>]) -> Vec<i64> {
        ids(listed, |registration| {
            registration.uri == uri
                && (self.webhooks().iter().any(|it| it.is(registration))
                    || self.is_outdated(registration))
        })
    }

    fn is_outdated(&self, registration: &Registration<'_>) -> bool {
        self.outdated.iter().any(|webhook| webhook.is(registration))
    }
}

/// The ids of the `wanted` registrations, in ascending order.
fn ids<'r, 'l: 'r>(
    listed: impl IntoIterator<Item = &'r Registration<'l>>,
    wanted: impl Fn(&Registration<'_>) -> bool,
) -> Vec<i64> {
    let wanted = listed
        .into_iter()
        .filter(|registration| wanted(registration));
    let mut ids: Vec<_> = wanted.map(|registration| registration.id).collect();
    ids.sort_unstable();
    ids
}

// === impl Placed ===

impl Placed<'_> {
    pub(super) fn state(&self) -> State {
        self.state
    }

    pub(super) fn outdated(&self) -> &[i64] {
        &self.outdated
    }

    /// The indices of the webhooks that are not registered.
    pub(super) fn missing(&self) -> Vec<usize> {
        let webhooks = self.webhooks.iter().enumerate();
        let missing = webhooks.filter(|(_, webhook)| webhook.ids.is_empty());
        missing.map(|(at, _)| at).collect()
    }

    /// Whether the webhook at index `at` has an older registration than `id`.
    pub(super) fn has_older(&self, at: usize, id: i64) -> bool {
        self.webhooks[at]
            .ids
            .first()
            .is_some_and(|first| *first < id)
    }

    /// Adds a registration of the webhook at index `at`.
    pub(super) fn add(&mut self, at: usize, id: i64) {
        self.webhooks[at].ids.push(id);
        self.find_state();
    }

    /// Removes registrations.
    pub(super) fn remove(&mut self, ids: &[i64]) {
        for webhook in &mut self.webhooks {
            webhook.ids.retain(|id| !ids.contains(id));
        }
        self.outdated.retain(|id| !ids.contains(id));
        self.find_state();
    }

    fn find_state(&mut self) {
        let registered = self.webhooks.iter().filter(|it| !it.ids.is_empty());
        self.state = match (registered.count(), self.outdated.is_empty()) {
            (0, true) => State::Disabled,
            (count, true) if count == self.webhooks.len() => State::Enabled,
            _ => State::Partly,
        };
    }
}

// === impl PlacedWebhook ===

impl<'p> PlacedWebhook<'p> {
    fn new(webhook: &'p PresetWebhook, ids: Vec<i64>) -> Self {
        Self {
            event: webhook.event(),
            event_filter: webhook.filter(),
            ids,
        }
    }
}

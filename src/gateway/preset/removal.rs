//! Deletes registrations, and verifies it: after a failed call the list shows what was done.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::calls::{Calls, until};
use super::{PresetWebhook, Registration};
use crate::gateway::Error;
use crate::gateway::error::{Ids, Leftover};
use crate::groupware::GroupwareError;

/// The pauses before the first attempts, for a server that fails only briefly.
const PAUSES: [Duration; 4] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_millis(1500),
];

/// The pause before each further attempt, for a server that restarts.
const LONG_PAUSE: Duration = Duration::from_secs(2);

/// How long attempts continue after the request was answered.
const AFTERWARDS: Duration = Duration::from_secs(600);

/// Registrations to be deleted.
#[derive(Debug, Default)]
pub(in crate::gateway) struct Removal {
    ids: Vec<i64>,
    lost: Option<Lost>,
    /// The first error.
    first: Option<Error>,
    /// Whether further calls are pointless, since the login must not be tried again.
    is_over: bool,
}

/// A registration that a failed call may have made, so that its id is not known.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) webhook: PresetWebhook,
    pub(super) uri: String,
    /// The ids of the registrations that existed before, or are known to be ours.
    pub(super) known: HashSet<i64>,
    /// Whether it may still appear.
    pub(super) may_come: bool,
}

// === impl Removal ===

impl Removal {
    pub(super) fn of(ids: Vec<i64>, lost: Option<Lost>) -> Self {
        Self {
            ids,
            lost,
            ..Self::default()
        }
    }

    /// Tries until all are deleted, or until `end`. A lost registration is looked for a few times.
    pub(super) async fn carry_on(&mut self, calls: &Calls, end: Instant) {
        let pauses = PAUSES.into_iter().chain(std::iter::repeat(LONG_PAUSE));
        for (tries, pause) in pauses.enumerate() {
            let is_worth_it = self.goes_on() || (tries < PAUSES.len() && !self.is_done());
            if !is_worth_it || Instant::now() + pause >= end {
                break;
            }
            tokio::time::sleep(pause).await;
            self.try_once(calls, end).await;
        }
        self.ids.sort_unstable();
    }

    /// Continues after the request was answered, and logs how it ends.
    pub(in crate::gateway) async fn carry_on_afterwards(mut self, calls: Calls) {
        let ids = Ids(&self.ids).to_string();
        tracing::warn!(
            ids,
            "webhooks of a preset may still be registered; going on to delete them"
        );
        self.carry_on(&calls, Instant::now() + AFTERWARDS).await;
        match (self.left().is_nothing(), &self.first) {
            (true, _) => tracing::info!(ids, "the webhooks of a preset are deleted"),
            (false, cause) => {
                let error = cause.as_ref().map(tracing::field::display);
                let ids = Ids(&self.ids).to_string();
                tracing::error!(
                    ids,
                    error,
                    "webhooks of a preset may still be registered: delete them"
                );
            }
        }
    }

    /// What is left, for an answer. The removal is put into `rest` if it should continue.
    pub(super) fn ended(self, rest: &mut Option<Self>) -> Leftover {
        let goes_on = self.goes_on();
        let left = self.left();
        if goes_on {
            *rest = Some(self);
        }
        Leftover { goes_on, ..left }
    }

    /// What may be left.
    fn left(&self) -> Leftover {
        Leftover {
            ids: self.ids.clone(),
            unknown: self.lost.is_some(),
            goes_on: false,
        }
    }

    pub(super) fn first_error(&mut self) -> Option<Error> {
        self.first.take()
    }

    /// Whether known registrations are left that another attempt may delete.
    fn goes_on(&self) -> bool {
        !self.is_over && !self.ids.is_empty()
    }

    /// Whether nothing is left, or nothing more can be done.
    fn is_done(&self) -> bool {
        self.is_over || self.left().is_nothing()
    }

    async fn try_once(&mut self, calls: &Calls, end: Instant) {
        let mut failed = Vec::new();
        for id in std::mem::take(&mut self.ids) {
            if self.is_over {
                failed.push(id);
            } else if let Err(error) = until(end, calls.delete(id)).await {
                self.met(error);
                failed.push(id);
            }
        }
        self.ids = failed;
        if self.is_done() {
            return;
        }
        let listed = until(end, calls.list()).await;
        let looked_up = listed.and_then(|listing| {
            self.look_up(&listing.registrations()?, calls.user_id());
            Ok(())
        });
        if let Err(error) = looked_up {
            self.met(error);
        }
    }

    fn met(&mut self, error: Error) {
        self.is_over |= ends_calls(&error);
        self.first.get_or_insert(error);
    }

    /// Removes the ids that are not `listed`, and adds that of the lost registration if it is found.
    fn look_up(&mut self, listed: &[Registration<'_>], user_id: &str) {
        let is_listed = |id: &i64| listed.iter().any(|registration| registration.id == *id);
        self.ids.retain(is_listed);
        let Some(wanted) = &self.lost else { return };
        let mut found = listed.iter().filter(|registration| {
            !wanted.known.contains(&registration.id)
                && registration.uri == wanted.uri
                && registration.user_id.as_deref() == Some(user_id)
                && wanted.webhook.is(registration)
        });
        match (found.next(), found.next()) {
            (Some(registration), None) => {
                self.ids.push(registration.id);
                self.lost = None;
            }
            (None, _) if !wanted.may_come => self.lost = None,
            // It may still appear; or another gateway made one for the same account at the same time, and
            // the two cannot be told apart.
            _ => {}
        }
    }
}

/// Whether later calls would fail as well, since the login must not be tried again.
fn ends_calls(error: &Error) -> bool {
    matches!(
        error,
        Error::NotProvisioned
            | Error::Suspended
            | Error::TooManyRefused(_)
            | Error::NotConfigured
            | Error::Groupware(
                GroupwareError::Refused
                    | GroupwareError::Anonymous
                    | GroupwareError::OneTimePassword
            )
    )
}

//! Making, showing, changing and removing targets (docs/API.md, section 12.2).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::StatusCode;
use serde::Serialize;
use serde_json::value::{RawValue, Value, to_raw_value};

use super::cursor::{of_position, parse_position};
use super::{DeliveryRequest, shown_gaps};
use crate::audit::Action;
use crate::deliveries::queue::MAX_PAGE;
use crate::deliveries::{
    Destination, DestinationError, Maker, PreviousSecret, Scope, Suspension, Target, TargetId,
    TargetSettings, TargetState,
};
use crate::gateway::Error;
use crate::gateway::endpoint::answer::{self, Answer, done, rfc3339};
use crate::gateway::input::{ANYBODY, TargetInput, filter_warnings, invalid_uri};
use crate::groupware::WebhookSecret;

/// How long a replaced secret still signs.
const OVERLAP: Duration = Duration::from_secs(24 * 3600);
/// How many of these sign, the last ones.
const MAX_PREVIOUS: usize = 8;
/// How often a change is tried that crosses with others: as many as a caller may have under way by default.
const TRIES: usize = 64;

/// Warnings.
const NO_HEADERS: &str = "The headers were removed: whoever adopts a target, or moves it to another origin, must not learn them so";
const STAYS_SUSPENDED: &str = "The target stays suspended until the cause of that ends, or somebody adopts it with \"adopt\": true";

#[derive(Serialize)]
struct Shown<'a> {
    id: String,
    user: &'a str,
    uri: &'a str,
    events: Option<&'a [String]>,
    #[serde(rename = "eventFilter")]
    filter: Option<&'a RawValue>,
    /// The names only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headers: Vec<&'a str>,
    state: &'static str,
    suspended: Option<&'static str>,
    made_by: &'a str,
    /// What the provider calls them, for administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    made_by_issuer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    made_by_subject: Option<&'a str>,
    created_at: String,
    failing_since: Option<String>,
    pending: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    missed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gaps: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_secret_until: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Page {
    targets: Vec<Box<RawValue>>,
    cursor: Option<String>,
}

impl DeliveryRequest {
    pub(super) async fn targets(
        &self,
        user: Option<&str>,
        cursor: Option<&str>,
    ) -> Result<Answer, Error> {
        let scope = match user.filter(|user| *user != self.user.user_id()) {
            None => self.own(),
            Some(user) => {
                let attempt = self.services.auditor(&self.context);
                let attempt = attempt.attempt(Action::ReadTarget).user(user);
                Error::audit(&attempt, self.check_administrator().await)?;
                match user {
                    ANYBODY => Scope::All,
                    user => Scope::Account(user),
                }
            }
        };
        let list = format!("targets of {}", scope.account().unwrap_or(ANYBODY));
        let after = parse_position(cursor, &list)?.map(TargetId);
        let targets = self.deliveries.queue().targets(scope, after, MAX_PAGE).await?;
        let mut listed = Vec::with_capacity(targets.len());
        for target in &targets {
            let settings = self.deliveries.open_target(target).await?;
            let shown = to_raw_value(&self.shown(scope, target, &settings, None));
            listed.push(shown.map_err(|error| Error::Other(error.into()))?);
            // A page takes some milliseconds.
            tokio::task::yield_now().await;
        }
        let last = targets.last().filter(|_| targets.len() == MAX_PAGE);
        Ok(answer::to_json(&Page {
            cursor: last.map(|target| of_position(target.id.0, &list)),
            targets: listed,
        }))
    }

    pub(super) async fn create(&self, uri: Destination, new: TargetInput) -> Result<Answer, Error> {
        let mut settings = TargetSettings::new(uri.to_string(), new_secret()?.expose());
        settings.person = self.person();
        new.apply(&mut settings);
        let mut warnings = filter_warnings(&settings, &self.services.event_classes)?;
        let own = self.user.user_id();
        let account = match new.user.as_deref().filter(|user| *user != own) {
            None => Some(own),
            Some(user) => {
                self.attempt.as_ref().inspect(|it| it.found_user(user));
                self.check_administrator().await?;
                (user != ANYBODY).then_some(user)
            }
        };
        self.check_uri(&uri).await?;
        let _turn = self.turn().await;
        warnings.extend(self.arrival_warnings(account, &settings.events).await);
        let maker = self.user.as_maker(account != Some(own));
        let target = self.deliveries.add_target(account, &settings, maker).await?;
        self.made(&target);
        let secret = Some(&**settings.secret);
        let mut answer = answer::to_json(&Shown {
            warnings,
            ..self.shown(self.own(), &target, &settings, secret)
        });
        *answer.status_mut() = StatusCode::CREATED;
        Ok(answer)
    }

    pub(super) async fn show(&self, id: &str) -> Result<Answer, Error> {
        let (scope, target) = self.find(id).await?;
        let settings = self.deliveries.open_target(&target).await?;
        let gaps = self.deliveries.queue().gaps(0, target.created_at).await?;
        Ok(answer::to_json(&Shown {
            gaps: Some(shown_gaps(&gaps)),
            ..self.shown(scope, &target, &settings, None)
        }))
    }

    pub(super) async fn change(&self, id: &str, change: TargetInput) -> Result<Answer, Error> {
        if let Some(uri) = &change.uri {
            self.check_uri(uri).await?;
        }
        let _turn = self.turn().await;
        let (mut checked, mut of_filter, mut found) = (None, Vec::new(), Vec::new());
        let is_of_events = change.filter.is_some() || change.events.is_some();
        let (mut changes_maker, mut has_missed) = (false, None);
        let changed = self.replace(id, |target, settings, caller| {
            found.clear();
            change.apply(settings);
            // Whoever says where events go answers for that, not who made it.
            let is_own = !caller.as_administrator && caller.is_person(&target.maker);
            let adopts = change.adopt.is_some() || change.uri.is_some() && !is_own;
            let is_maker = caller.is_person(&target.maker) && target.suspended.is_none();
            changes_maker = adopts && !is_maker;
            let mut is_elsewhere = false;
            if let Some(uri) = &change.uri {
                let before = std::mem::replace(&mut settings.uri, uri.to_string());
                is_elsewhere = !uri.is_at(&before);
            }
            // Whoever may change a target must not learn them so.
            let keeps = change.headers.is_some() || !is_elsewhere && !changes_maker;
            if !keeps && !settings.headers.is_empty() {
                settings.headers.clear();
                found.push(NO_HEADERS.to_owned());
            }
            // The filter has to fit the classes, whichever of the two is new. A repetition checks only what differs.
            let both = Some((settings.filter.clone(), settings.events.clone()));
            if is_of_events && checked != both {
                of_filter = filter_warnings(settings, &self.services.event_classes)?;
                checked = both;
            }
            has_missed = missed(target);
            match change.paused {
                Some(true) => target.state = TargetState::Paused,
                Some(false) => target.state = TargetState::Active,
                None => {}
            }
            Ok(adopts)
        });
        let (scope, target, settings) = changed.await?;
        if changes_maker && change.adopt.is_none() {
            self.record(Action::AdoptTarget, &target);
        }
        found.extend(of_filter);
        if is_of_events {
            let account = target.account.as_deref();
            found.extend(self.arrival_warnings(account, &settings.events).await);
        }
        if change.paused == Some(false) && target.suspended.is_some() {
            found.push(STAYS_SUSPENDED.to_owned());
        }
        Ok(answer::to_json(&Shown {
            warnings: found,
            missed: has_missed,
            ..self.shown(scope, &target, &settings, None)
        }))
    }

    pub(super) async fn remove(&self, id: &str) -> Result<Answer, Error> {
        let (scope, target) = self.find(id).await?;
        let removed = self.deliveries.queue().remove_target(scope, target.id).await?;
        removed.then(|| done("Target removed")).ok_or(Error::UnknownTarget)
    }

    pub(super) async fn replace_secret(&self, id: &str, keeps: bool) -> Result<Answer, Error> {
        let new = new_secret()?;
        let until = SystemTime::now() + OVERLAP;
        let seconds = until.duration_since(UNIX_EPOCH).unwrap_or_default();
        let changed = self.replace(id, |_, settings, _| {
            let secret = std::mem::replace(&mut settings.secret, new.expose());
            let now = seconds.saturating_sub(OVERLAP).as_secs();
            settings.previous.retain(|previous| now < previous.until);
            settings.previous.truncate(MAX_PREVIOUS - 1);
            let until = seconds.as_secs();
            match keeps {
                true => settings.previous.insert(0, PreviousSecret { secret, until }),
                // They have leaked.
                false => settings.previous.clear(),
            }
            Ok(false)
        });
        let (scope, target, settings) = changed.await?;
        Ok(answer::to_json(&Shown {
            previous_secret_until: keeps.then(|| rfc3339(until)),
            ..self.shown(scope, &target, &settings, Some(&settings.secret))
        }))
    }

    /// The target after `change`, which is made again if somebody else changed it at the same time; it says whether the
    /// target is the caller's from now on.
    async fn replace(
        &self,
        id: &str,
        mut change: impl FnMut(&mut Target, &mut TargetSettings, &Maker) -> Result<bool, Error>,
    ) -> Result<(Scope<'_>, Target, TargetSettings), Error> {
        let deliveries = &self.deliveries;
        for _ in 0..TRIES {
            let (scope, mut target) = self.find(id).await?;
            let mut settings = deliveries.open_target(&target).await?;
            let before = target.state;
            let caller = self.user.as_maker(scope == Scope::All);
            let adopts = change(&mut target, &mut settings, &caller)?;
            if before != target.state && target.state == TargetState::Active {
                target.failing_since = None;
            }
            if adopts {
                target.maker = caller;
                target.suspended = None;
                settings.person = self.person();
            }
            let maker = adopts.then_some(&target.maker);
            if deliveries.change_target(scope, &target, &settings, maker).await? {
                self.made(&target);
                return Ok((scope, target, settings));
            }
        }
        Err(Error::Other("the target is changed all the time".into()))
    }

    fn person(&self) -> Option<(String, String)> {
        self.user.person().map(|(issuer, subject)| (issuer.to_owned(), subject.to_owned()))
    }

    fn made(&self, target: &Target) {
        if let Some(makers) = &self.services.makers {
            makers.made(&target.maker);
        }
        if let Some(attempt) = &self.attempt {
            attempt.found_target(target.id, target.account.as_deref());
        }
    }

    async fn check_uri(&self, uri: &Destination) -> Result<(), Error> {
        let sender = self.services.sender.as_ref().ok_or(Error::UnknownPath)?;
        let checked = sender.check(self.user.user_id(), uri).await;
        checked.map_err(|error| match error {
            DestinationError::Busy => Error::Overloaded,
            error => invalid_uri(error).into(),
        })
    }

    /// `scope` is that in which the caller sees it.
    fn shown<'a>(
        &self,
        scope: Scope<'_>,
        target: &'a Target,
        settings: &'a TargetSettings,
        secret: Option<&'a str>,
    ) -> Shown<'a> {
        let filter = settings.filter.as_deref();
        let person = settings.person.as_ref().filter(|_| scope != self.own());
        Shown {
            id: target.id.to_string(),
            user: target.account.as_deref().unwrap_or(ANYBODY),
            uri: &settings.uri,
            events: Some(settings.events.as_slice()).filter(|events| !events.is_empty()),
            filter: filter.and_then(|filter| serde_json::from_str(filter).ok()),
            headers: settings.headers.iter().map(|it| &*it.name).collect(),
            state: target.shown_state(),
            suspended: target.suspended.map(Suspension::as_str),
            made_by: &target.maker.account,
            made_by_issuer: person.map(|it| &*it.0),
            made_by_subject: person.map(|it| &*it.1),
            created_at: rfc3339(target.created_at),
            failing_since: target.failing_since.map(rfc3339),
            pending: target.waiting,
            missed: missed(target),
            gaps: None,
            secret,
            previous_secret_until: None,
            warnings: Vec::new(),
        }
    }
}

/// The events that a disabled target would have got.
fn missed(target: &Target) -> Option<u64> {
    (target.state == TargetState::Disabled).then_some(target.missed)
}

fn new_secret() -> Result<WebhookSecret, Error> {
    WebhookSecret::generate().map_err(|error| Error::Other(error.into()))
}

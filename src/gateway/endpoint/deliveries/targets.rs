//! Making, showing, changing and removing targets (docs/API.md, section 12.2).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::StatusCode;
use serde::Serialize;
use serde_json::value::RawValue;

use super::DeliveryRequest;
use super::cursor::Cursor;
use crate::deliveries::queue::MAX_PAGE;
use crate::deliveries::{
    Destination, PreviousSecret, Scope, Target, TargetId, TargetSettings, TargetState,
};
use crate::gateway::Error;
use crate::gateway::endpoint::answer::{self, Answer, done, rfc3339};
use crate::gateway::input::{ANYBODY, DeliveryInputError, NewTarget, TargetChange, warnings};
use crate::groupware::WebhookSecret;

/// How long a replaced secret still signs.
const OVERLAP: Duration = Duration::from_secs(24 * 3600);
/// How many of these sign, the last ones.
const MAX_PREVIOUS: usize = 8;
/// How often a change is tried that crosses with others, one of which succeeds each time: as many as a caller may have
/// under way by default.
const TRIES: usize = 64;

/// A target as it is shown.
#[derive(Serialize)]
struct Shown<'a> {
    id: String,
    user: &'a str,
    uri: &'a str,
    events: Option<&'a [String]>,
    #[serde(rename = "eventFilter")]
    filter: Option<&'a RawValue>,
    state: &'static str,
    created_at: String,
    failing_since: Option<String>,
    pending: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_secret_until: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Page<'a> {
    targets: Vec<Shown<'a>>,
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
                self.check_administrator().await?;
                match user {
                    ANYBODY => Scope::All,
                    user => Scope::Account(user),
                }
            }
        };
        let list = format!("targets of {}", scope.account().unwrap_or(ANYBODY));
        let after = cursor.map(|text| Cursor::parse(text, &list).ok_or(DeliveryInputError::Cursor));
        let after = after.transpose()?.map(|Cursor(id)| TargetId(id));
        let queue = self.deliveries.queue();
        let targets = queue.targets(scope, after, MAX_PAGE).await?;
        let mut settings = Vec::with_capacity(targets.len());
        for target in &targets {
            settings.push(self.deliveries.open_target(target).await?);
        }
        let last = targets.last().filter(|_| targets.len() == MAX_PAGE);
        let listed = targets.iter().zip(&settings);
        let listed = listed.map(|(target, settings)| shown(target, settings, None));
        Ok(answer::to_json(&Page {
            cursor: last.map(|target| Cursor(target.id.0).to_text(&list)),
            targets: listed.collect(),
        }))
    }

    pub(super) async fn create(&self, new: NewTarget) -> Result<Answer, Error> {
        let names = new.events.as_deref().unwrap_or_default();
        let warnings = warnings(new.filter.as_deref(), names, &self.services.event_classes)?;
        let own = self.user.user_id();
        let account = match new.user.as_deref().filter(|user| *user != own) {
            None => Some(own),
            Some(user) => {
                self.check_administrator().await?;
                (user != ANYBODY).then_some(user)
            }
        };
        self.check_uri(&new.uri).await?;
        let secret = new_secret()?;
        let settings = TargetSettings {
            uri: new.uri.to_string(),
            events: new.events.unwrap_or_default(),
            filter: new.filter,
            secret: secret.expose(),
            previous: Vec::new(),
        };
        let target = self.deliveries.add_target(account, &settings).await?;
        let secret = Some(&**settings.secret);
        let mut answer = answer::to_json(&Shown {
            warnings,
            ..shown(&target, &settings, secret)
        });
        *answer.status_mut() = StatusCode::CREATED;
        Ok(answer)
    }

    pub(super) async fn show(&self, id: &str) -> Result<Answer, Error> {
        let (_, target) = self.find(id).await?;
        let settings = self.deliveries.open_target(&target).await?;
        Ok(answer::to_json(&shown(&target, &settings, None)))
    }

    pub(super) async fn change(&self, id: &str, change: TargetChange) -> Result<Answer, Error> {
        if let Some(uri) = &change.uri {
            self.check_uri(uri).await?;
        }
        let (mut checked, mut found) = (None, Vec::new());
        let changed = self.replace(id, |target, settings| {
            if let Some(uri) = &change.uri {
                settings.uri = uri.to_string();
            }
            if let Some(events) = &change.events {
                settings.events = events.clone().unwrap_or_default();
            }
            if let Some(filter) = &change.filter {
                settings.filter = filter.clone();
            }
            // The filter has to fit the classes, whichever of the two is new. A repetition checks only what differs.
            let both = Some((settings.filter.clone(), settings.events.clone()));
            if (change.filter.is_some() || change.events.is_some()) && checked != both {
                let filter = settings.filter.as_deref();
                found = warnings(filter, &settings.events, &self.services.event_classes)?;
                checked = both;
            }
            match change.paused {
                Some(true) => target.state = TargetState::Paused,
                Some(false) => target.state = TargetState::Active,
                None => {}
            }
            Ok(())
        });
        let (target, settings) = changed.await?;
        Ok(answer::to_json(&Shown {
            warnings: found,
            ..shown(&target, &settings, None)
        }))
    }

    pub(super) async fn remove(&self, id: &str) -> Result<Answer, Error> {
        let (scope, target) = self.find(id).await?;
        let queue = self.deliveries.queue();
        match queue.remove_target(scope, target.id).await? {
            true => Ok(done("Target removed")),
            false => Err(Error::UnknownTarget),
        }
    }

    pub(super) async fn replace_secret(&self, id: &str) -> Result<Answer, Error> {
        let new = new_secret()?;
        let until = SystemTime::now() + OVERLAP;
        let seconds = until.duration_since(UNIX_EPOCH).unwrap_or_default();
        let changed = self.replace(id, |_, settings| {
            let secret = std::mem::replace(&mut settings.secret, new.expose());
            let now = seconds.saturating_sub(OVERLAP).as_secs();
            settings.previous.retain(|previous| now < previous.until);
            settings.previous.truncate(MAX_PREVIOUS - 1);
            let until = seconds.as_secs();
            settings
                .previous
                .insert(0, PreviousSecret { secret, until });
            Ok(())
        });
        let (target, settings) = changed.await?;
        Ok(answer::to_json(&Shown {
            previous_secret_until: Some(rfc3339(until)),
            ..shown(&target, &settings, Some(&settings.secret))
        }))
    }

    /// The target after `change`, which is made again if somebody else changed it at the same time.
    async fn replace(
        &self,
        id: &str,
        mut change: impl FnMut(&mut Target, &mut TargetSettings) -> Result<(), Error>,
    ) -> Result<(Target, TargetSettings), Error> {
        let deliveries = &self.deliveries;
        for _ in 0..TRIES {
            let (scope, mut target) = self.find(id).await?;
            let mut settings = deliveries.open_target(&target).await?;
            if target.state == TargetState::Disabled {
                // Whatever is changed.
                target.failing_since = None;
            }
            change(&mut target, &mut settings)?;
            if deliveries.change_target(scope, &target, &settings).await? {
                return Ok((target, settings));
            }
        }
        Err(Error::Other("the target is changed all the time".into()))
    }

    async fn check_uri(&self, uri: &Destination) -> Result<(), Error> {
        let sender = self.services.sender.as_ref().ok_or(Error::UnknownPath)?;
        let checked = sender.check(uri).await;
        checked.map_err(|error| DeliveryInputError::Uri(error).into())
    }
}

fn new_secret() -> Result<WebhookSecret, Error> {
    WebhookSecret::generate().map_err(|error| Error::Other(error.into()))
}

fn shown<'a>(
    target: &'a Target,
    settings: &'a TargetSettings,
    secret: Option<&'a str>,
) -> Shown<'a> {
    let filter = settings.filter.as_deref();
    Shown {
        id: target.id.to_string(),
        user: target.account.as_deref().unwrap_or(ANYBODY),
        uri: &settings.uri,
        events: Some(settings.events.as_slice()).filter(|events| !events.is_empty()),
        filter: filter.and_then(|filter| serde_json::from_str(filter).ok()),
        state: target.state.as_str(),
        created_at: rfc3339(target.created_at),
        failing_since: target.failing_since.map(rfc3339),
        pending: target.waiting,
        secret,
        previous_secret_until: None,
        warnings: Vec::new(),
    }
}

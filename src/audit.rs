//! Who changed or saw what is kept here (docs/OPERATIONS.md, "The audit log").
//!
//! Each attempt to change or to be shown a credential, a binding, the keys or a token ends in exactly
//! one [`Record`]. It is a log line with the target `portreeve::audit`, and an [`AuditObserver`] is told
//! of it. No record holds a password, a token or a key.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

/// The most bytes of a name that came from outside; an account id has no more.
const LONGEST: usize = 255;

/// What was attempted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum Action {
    /// An app password was brought, to be stored.
    #[serde(rename = "credential.store")]
    StoreCredential,
    /// The groupware server handed an app password out in a login flow, to be stored.
    #[serde(rename = "credential.grant")]
    GrantCredential,
    /// A stored app password was to be forgotten.
    #[serde(rename = "credential.remove")]
    RemoveCredential,
    /// A stored app password was to be destroyed at the groupware server and forgotten.
    #[serde(rename = "credential.revoke")]
    RevokeCredential,
    /// Somebody else's credential was to be shown, without the password.
    #[serde(rename = "credential.read")]
    ReadCredential,
    /// Somebody else's app password was to be shown.
    #[serde(rename = "credential.reveal")]
    RevealCredential,
    /// A person was to be bound to an account; by a login flow, its app password was stored, too.
    #[serde(rename = "binding.bind")]
    Bind,
    /// A binding was to end.
    #[serde(rename = "binding.unbind")]
    Unbind,
    /// Everything was to be sealed with the first key.
    #[serde(rename = "keys.rotate")]
    RotateKeys,
    /// A static token was to be made.
    #[serde(rename = "token.new")]
    NewToken,
    /// A static token was to be revoked.
    #[serde(rename = "token.revoke")]
    RevokeToken,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Outcome {
    /// It was done.
    Done,
    /// It was not done, since it may not be, or since what was brought does not fit.
    Refused,
    /// It was not done, or not to its end: something failed, or nobody waited for it any longer.
    Failed,
}

/// Who made an attempt, and how they are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Actor {
    /// The account that a bearer token names.
    Token {
        /// The account id.
        caller: Box<str>,
    },
    /// The account that HTTP Basic names. Only if the attempt was done is it known to be theirs.
    AppPassword {
        /// The account id, as it was brought.
        caller: Box<str>,
    },
    /// The person that a bearer token names, who has no account yet: the one of the record.
    Person,
    /// A command of the binary.
    Command {
        /// The user of the operating system that runs it.
        uid: u32,
    },
}

/// One attempt and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// What was attempted.
    pub action: Action,
    /// How it ended.
    pub outcome: Outcome,
    /// Who attempted it.
    #[serde(flatten)]
    pub actor: Actor,
    /// The account that it is about, if it is about one that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<Box<str>>,
    /// Who vouches for the person that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<Box<str>>,
    /// The person that it is about, as the issuer calls them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<Box<str>>,
    /// The id of the static token that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_id: Option<Box<str>>,
    /// The id of the request (docs/API.md, section 1.3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<Box<str>>,
    /// Why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Box<str>>,
}

/// Is told of each record, after it was logged.
pub trait AuditObserver: fmt::Debug + Send + Sync {
    /// Must not wait: the answer to a request does.
    fn recorded(&self, record: &Record);
}

/// Who may make attempts, and where they are recorded.
#[derive(Clone, Debug)]
pub struct Auditor {
    actor: Actor,
    request_id: Option<Box<str>>,
    observer: Option<Arc<dyn AuditObserver>>,
}

/// Something that is being attempted. Clones are the same attempt.
///
/// The first outcome that is told counts. If none was told when the last clone is dropped, it failed:
/// it was cut off, and may have been done in part.
#[derive(Clone, Debug)]
pub struct Attempt(Arc<Open>);

/// An attempt that has not ended, or has.
#[derive(Debug)]
struct Open {
    record: Mutex<Option<Record>>,
    observer: Option<Arc<dyn AuditObserver>>,
}

// === impl Action ===

impl Action {
    /// The name in the log and in files; it does not change.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::StoreCredential => "credential.store",
            Self::GrantCredential => "credential.grant",
            Self::RemoveCredential => "credential.remove",
            Self::RevokeCredential => "credential.revoke",
            Self::ReadCredential => "credential.read",
            Self::RevealCredential => "credential.reveal",
            Self::Bind => "binding.bind",
            Self::Unbind => "binding.unbind",
            Self::RotateKeys => "keys.rotate",
            Self::NewToken => "token.new",
            Self::RevokeToken => "token.revoke",
        }
    }
}

// === impl Outcome ===

impl Outcome {
    /// The name in the log and in files; it does not change.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

// === impl Actor ===

impl Actor {
    /// How they are known: the name in the log and in files, which does not change.
    pub fn known_by(&self) -> &'static str {
        match self {
            Self::Token { .. } => "token",
            Self::AppPassword { .. } => "app_password",
            Self::Person => "person",
            Self::Command { .. } => "command",
        }
    }

    /// The account, if they have one.
    pub fn caller(&self) -> Option<&str> {
        match self {
            Self::Token { caller } | Self::AppPassword { caller } => Some(caller),
            Self::Person | Self::Command { .. } => None,
        }
    }
}

// === impl Record ===

impl Record {
    fn log(&self) {
        let uid = match self.actor {
            Actor::Command { uid } => Some(uid),
            _ => None,
        };
        // Complete in itself: the spans around it are those of requests.
        tracing::info!(
            target: "portreeve::audit",
            parent: None,
            action = self.action.as_str(),
            outcome = self.outcome.as_str(),
            by = self.actor.known_by(),
            caller = self.actor.caller(),
            uid,
            user = self.user.as_deref(),
            issuer = self.issuer.as_deref(),
            subject = self.subject.as_deref(),
            token_id = self.token_id.as_deref(),
            request_id = self.request_id.as_deref(),
            reason = self.reason.as_deref(),
            "audit: {} {}",
            self.action.as_str(),
            self.outcome.as_str(),
        );
    }
}

// === impl Auditor ===

impl Auditor {
    /// Records what `actor` attempts, in the log alone.
    pub fn new(actor: Actor) -> Self {
        Self {
            actor,
            request_id: None,
            observer: None,
        }
    }

    /// The request by which they attempt it.
    #[must_use]
    pub fn request_id(mut self, id: Option<&str>) -> Self {
        self.request_id = id.map(Into::into);
        self
    }

    /// Also tells `observer`.
    #[must_use]
    pub fn observer(mut self, observer: Option<Arc<dyn AuditObserver>>) -> Self {
        self.observer = observer;
        self
    }

    /// Begins an attempt.
    pub fn attempt(&self, action: Action) -> Attempt {
        let record = Record {
            action,
            outcome: Outcome::Failed,
            actor: self.actor.clone(),
            user: None,
            issuer: None,
            subject: None,
            token_id: None,
            request_id: self.request_id.clone(),
            reason: None,
        };
        Attempt(Arc::new(Open {
            record: Mutex::new(Some(record)),
            observer: self.observer.clone(),
        }))
    }
}

// === impl Attempt ===

impl Attempt {
    /// It is about the account `user_id`.
    #[must_use]
    pub fn user(self, user_id: &str) -> Self {
        self.found_user(user_id);
        self
    }

    /// It is about the person whom `issuer` calls `subject`.
    #[must_use]
    pub fn person(self, issuer: &str, subject: &str) -> Self {
        self.found_person(issuer, subject);
        self
    }

    /// It turns out to be about the account `user_id`.
    pub fn found_user(&self, user_id: &str) {
        self.0.change(|record| record.user = Some(cut(user_id)));
    }

    /// It turns out to be about the person whom `issuer` calls `subject`.
    pub fn found_person(&self, issuer: &str, subject: &str) {
        self.0.change(|record| {
            record.issuer = Some(issuer.into());
            record.subject = Some(subject.into());
        });
    }

    /// It turns out to be about the static token with this id.
    pub fn found_token_id(&self, id: &str) {
        self.0.change(|record| record.token_id = Some(cut(id)));
    }

    /// It was done.
    pub fn done(&self) {
        self.0.end(Outcome::Done, None);
    }

    /// It was refused, for this reason.
    pub fn refused(&self, reason: impl fmt::Display) {
        self.0.end(Outcome::Refused, Some(&reason));
    }

    /// It failed, for this reason.
    pub fn failed(&self, reason: impl fmt::Display) {
        self.0.end(Outcome::Failed, Some(&reason));
    }

    /// It was none: nothing was tried.
    pub fn leave_out(&self) {
        drop(self.0.take());
    }
}

// === impl Open ===

impl Open {
    fn change(&self, change: impl FnOnce(&mut Record)) {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        record.as_mut().map(change);
    }

    fn take(&self) -> Option<Record> {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        record.take()
    }

    fn end(&self, outcome: Outcome, reason: Option<&dyn fmt::Display>) {
        let Some(mut record) = self.take() else {
            return;
        };
        record.outcome = outcome;
        record.reason = reason.map(|reason| reason.to_string().into());
        record.log();
        if let Some(observer) = &self.observer {
            observer.recorded(&record);
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.end(Outcome::Failed, Some(&"it was cut off"));
    }
}

/// As much of a name as a line may hold.
fn cut(name: &str) -> Box<str> {
    name[..name.floor_char_boundary(LONGEST)].into()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, Default)]
    struct Kept(Mutex<Vec<Record>>);

    impl AuditObserver for Kept {
        fn recorded(&self, record: &Record) {
            self.0.lock().unwrap().push(record.clone());
        }
    }

    fn auditor() -> (Auditor, Arc<Kept>) {
        let kept = Arc::new(Kept::default());
        let actor = Actor::Token {
            caller: "alice".into(),
        };
        let auditor = Auditor::new(actor).observer(Some(kept.clone()));
        (auditor, kept)
    }

    #[test]
    fn an_attempt_ends_once_whoever_tells_of_it() {
        let (auditor, kept) = auditor();
        let attempt = auditor.attempt(Action::RemoveCredential).user("alice");
        let clone = attempt.clone();
        drop(attempt);
        assert!(kept.0.lock().unwrap().is_empty());
        clone.done();
        clone.refused("too late");
        drop(clone);
        let records = kept.0.lock().unwrap();
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].outcome, Outcome::Done);
        assert_eq!(records[0].reason, None);
    }

    #[test]
    fn an_attempt_that_is_cut_off_has_failed_and_one_that_was_none_is_left_out() {
        let (auditor, kept) = auditor();
        drop(auditor.attempt(Action::StoreCredential));
        auditor.attempt(Action::StoreCredential).leave_out();
        let records = kept.0.lock().unwrap();
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].outcome, Outcome::Failed);
    }

    #[test]
    fn a_record_is_one_flat_object_and_names_from_outside_are_bounded() {
        let (auditor, kept) = auditor();
        let attempt = auditor.request_id(Some("r-1")).attempt(Action::Bind);
        let attempt = attempt.user(&"ü".repeat(1000)).person("https://i", "s\n1");
        attempt.refused("taken");
        let record = serde_json::to_value(&kept.0.lock().unwrap()[0]).unwrap();
        let expected: Value = json!({
            "action": "binding.bind",
            "outcome": "refused",
            "by": "token",
            "caller": "alice",
            "user": "ü".repeat(127),
            "issuer": "https://i",
            "subject": "s\n1",
            "request_id": "r-1",
            "reason": "taken",
        });
        assert_eq!(record, expected);
    }

    #[test]
    fn the_names_in_files_are_those_in_the_log() {
        for action in [
            Action::StoreCredential,
            Action::GrantCredential,
            Action::RemoveCredential,
            Action::RevokeCredential,
            Action::ReadCredential,
            Action::RevealCredential,
            Action::Bind,
            Action::Unbind,
            Action::RotateKeys,
            Action::NewToken,
            Action::RevokeToken,
        ] {
            assert_eq!(serde_json::to_value(action).unwrap(), action.as_str());
        }
        for outcome in [Outcome::Done, Outcome::Refused, Outcome::Failed] {
            assert_eq!(serde_json::to_value(outcome).unwrap(), outcome.as_str());
        }
        for actor in [
            Actor::Token { caller: "a".into() },
            Actor::AppPassword { caller: "a".into() },
            Actor::Person,
            Actor::Command { uid: 0 },
        ] {
            let value = serde_json::to_value(&actor).unwrap();
            assert_eq!(value["by"], actor.known_by());
            assert_eq!(value["caller"].as_str(), actor.caller());
        }
    }
}

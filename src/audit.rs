//! Records who changed or saw the stored secrets and the targets of deliveries (docs/OPERATIONS.md, "The audit log").
//!
//! Each attempt to change or read a credential, a binding, the keys or a token ends in exactly one
//! [`Record`]. It is logged with the target `portreeve::audit` and passed to the [`AuditObserver`], if
//! there is one. No record contains a password, a token or a key.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;

use crate::labels::labels;
use crate::tally::Allowance;

/// The maximum length in bytes of a name from outside; an account id is never longer.
const LONGEST: usize = 255;

labels! {
    /// An action that is audited.
    #[derive(Serialize)]
    #[serde(into = "&str")]
    pub enum Action {
        /// Store an app password that the caller supplied.
        StoreCredential = "credential.store",
        /// Store an app password that the groupware server granted in a login flow.
        GrantCredential = "credential.grant",
        /// Delete a stored app password.
        RemoveCredential = "credential.remove",
        /// Revoke a stored app password at the groupware server and delete it.
        RevokeCredential = "credential.revoke",
        /// Change the scopes of a stored app password.
        ChangeScopes = "scopes.change",
        /// Read another user's credential, without the password.
        ReadCredential = "credential.read",
        /// Read another user's app password.
        RevealCredential = "credential.reveal",
        /// Bind a person to an account; in a login flow, its app password is stored as well.
        Bind = "binding.bind",
        Unbind = "binding.unbind",
        /// Reseal all records with the key that seals.
        RotateKeys = "keys.rotate",
        /// Create a static token.
        NewToken = "token.new",
        RevokeToken = "token.revoke",
        /// Make a target of deliveries.
        CreateTarget = "target.create",
        /// Change one, or pause it.
        ChangeTarget = "target.change",
        /// Make one's own.
        AdoptTarget = "target.adopt",
        /// Replace the secret of one.
        ReplaceTargetSecret = "target.secret",
        RemoveTarget = "target.remove",
        /// Send what it got again.
        ReplayTarget = "target.replay",
        /// Read those of others, or their deliveries.
        ReadTarget = "target.read",
        /// Suspend one, since its maker may not have it any more.
        SuspendTarget = "target.suspend",
        /// End that.
        ResumeTarget = "target.resume",
        /// Remove what is kept of a user.
        RemoveUser = "user.remove",
    }
}

labels! {
    /// How an attempt ended.
    #[derive(Serialize)]
    #[serde(into = "&str")]
    pub enum Outcome {
        Done = "done",
        /// It was not done, since it is not permitted or the input is not acceptable.
        Refused = "refused",
        /// It was not done, or not completely: something failed, or the client disconnected.
        Failed = "failed",
        /// It is not known whether the groupware server, or the database, did it.
        Unknown = "unknown",
    }
}

/// Who made an attempt, and how they were identified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Actor {
    /// The account named by a bearer token.
    Token {
        /// The account id.
        caller: Box<str>,
    },
    /// The account named by HTTP Basic. It is proven to be theirs only if the outcome is [`Done`](Outcome::Done).
    AppPassword {
        /// The account id, as sent by the client.
        caller: Box<str>,
    },
    /// The person named by a bearer token, who has no account yet: the subject of the record.
    Person,
    /// The gateway by itself.
    Gateway,
    /// A command of the binary.
    Command {
        /// The operating system's user who runs it.
        uid: u32,
    },
}

/// One attempt and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// The action.
    pub action: Action,
    /// How it ended.
    pub outcome: Outcome,
    /// Who attempted it.
    #[serde(flatten)]
    pub actor: Actor,
    /// The account concerned, if one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<Box<str>>,
    /// The issuer that identifies the person concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<Box<str>>,
    /// The issuer's name for the person concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<Box<str>>,
    /// The id of the static token concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_id: Option<Box<str>>,
    /// The id of the target of deliveries concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_id: Option<Box<str>>,
    /// The id of the request (docs/API.md, section 1.3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<Box<str>>,
    /// Why it was not done, or why the gateway did it by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Box<str>>,
}

/// Receives each record after it was logged.
pub trait AuditObserver: fmt::Debug + Send + Sync {
    /// Must not block: the answer to the request waits for it.
    fn recorded(&self, record: &Record);
}

/// Records the attempts of one actor.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Auditor {
    /// Who makes them.
    pub actor: Actor,
    /// The id of the request that they belong to.
    pub request_id: Option<Box<str>>,
    /// Gets each record after it was logged.
    pub observer: Option<Arc<dyn AuditObserver>>,
    /// If set, attempts that were not done and that it does not admit are left out.
    pub(crate) limit: Option<Arc<Allowance>>,
}

/// An audited action in progress.
///
/// The first outcome that is reported counts. If there is none when it is dropped, the attempt failed: it was
/// interrupted, and may have been carried out in part.
#[derive(Debug)]
pub struct Attempt {
    /// `None` once it has ended.
    record: Mutex<Option<Box<Record>>>,
    auditor: Auditor,
}

// === impl Actor ===

impl Actor {
    /// The kind of actor, by its stable name in the log and in files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Token { .. } => "token",
            Self::AppPassword { .. } => "app_password",
            Self::Person => "person",
            Self::Gateway => "gateway",
            Self::Command { .. } => "command",
        }
    }

    /// The account, if they have one.
    pub fn caller(&self) -> Option<&str> {
        match self {
            Self::Token { caller } | Self::AppPassword { caller } => Some(caller),
            Self::Person | Self::Gateway | Self::Command { .. } => None,
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
        // Without a parent: the record is complete, and the enclosing spans are those of requests.
        tracing::info!(
            target: "portreeve::audit",
            parent: None,
            action = self.action.as_str(),
            outcome = self.outcome.as_str(),
            by = self.actor.kind(),
            caller = self.actor.caller(),
            uid,
            user = self.user.as_deref(),
            issuer = self.issuer.as_deref(),
            subject = self.subject.as_deref(),
            token_id = self.token_id.as_deref(),
            target_id = self.target_id.as_deref(),
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
    /// Records the attempts of `actor`, only in the log.
    pub fn new(actor: Actor) -> Self {
        Self { actor, request_id: None, observer: None, limit: None }
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
            target_id: None,
            request_id: self.request_id.clone(),
            reason: None,
        };
        Attempt { record: Mutex::new(Some(Box::new(record))), auditor: self.clone() }
    }
}

// === impl Attempt ===

impl Attempt {
    /// Sets the account concerned.
    #[must_use]
    pub fn user(self, user_id: &str) -> Self {
        self.found_user(user_id);
        self
    }

    /// Sets the account concerned, once it is known.
    pub fn found_user(&self, user_id: &str) {
        self.change(|record| record.user = Some(cut(user_id)));
    }

    /// Sets the person concerned, once they are known.
    pub fn found_person(&self, issuer: &str, subject: &str) {
        self.change(|record| {
            record.issuer = Some(issuer.into());
            record.subject = Some(subject.into());
        });
    }

    /// Sets the id of the static token concerned, once it is known.
    pub fn found_token_id(&self, id: &str) {
        self.change(|record| record.token_id = Some(cut(id)));
    }

    /// Sets the target of deliveries concerned, and whose events it gets: those of all accounts without an `account`.
    pub fn found_target(&self, id: impl fmt::Display, account: Option<&str>) {
        self.found_target_id(id);
        self.found_user(account.unwrap_or("*"));
    }

    /// Sets the target of deliveries concerned.
    pub fn found_target_id(&self, id: impl fmt::Display) {
        self.change(|record| record.target_id = Some(id.to_string().into()));
    }

    /// It was done, for this reason.
    pub fn done_since(&self, reason: impl fmt::Display) {
        self.end(Outcome::Done, Some(&reason));
    }

    /// It was done.
    pub fn done(&self) {
        self.end(Outcome::Done, None);
    }

    /// It was refused, for this reason.
    pub fn refused(&self, reason: impl fmt::Display) {
        self.end(Outcome::Refused, Some(&reason));
    }

    /// It failed, for this reason.
    pub fn failed(&self, reason: impl fmt::Display) {
        self.end(Outcome::Failed, Some(&reason));
    }

    /// It is not known whether the groupware server, or the database, did it, for this reason.
    pub fn unknown(&self, reason: impl fmt::Display) {
        self.end(Outcome::Unknown, Some(&reason));
    }

    /// Discards it without a record: nothing was attempted after all.
    pub fn leave_out(&self) {
        self.record.lock().take();
    }

    fn change(&self, change: impl FnOnce(&mut Record)) {
        self.record.lock().as_deref_mut().map(change);
    }

    fn end(&self, outcome: Outcome, reason: Option<&dyn fmt::Display>) {
        let Some(mut record) = self.record.lock().take() else {
            return;
        };
        let Auditor { limit, observer, .. } = &self.auditor;
        let limit = limit.as_ref().filter(|_| outcome != Outcome::Done);
        if limit.is_some_and(|limit| !limit.admits()) {
            return;
        }
        record.outcome = outcome;
        record.reason = reason.map(|reason| reason.to_string().into());
        record.log();
        if let Some(observer) = observer {
            observer.recorded(&record);
        }
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        self.end(Outcome::Failed, Some(&"it was interrupted"));
    }
}

fn cut(name: &str) -> Box<str> {
    name[..name.floor_char_boundary(LONGEST)].into()
}

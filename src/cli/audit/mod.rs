//! The audit log in a file of its own, and what commands write to it (docs/OPERATIONS.md, "The audit
//! log").

mod file;
mod writer;

use std::fmt;
use std::sync::Arc;

use portreeve::audit::{Action, Actor, Attempt, AuditObserver, Auditor, Record};

use self::file::AuditFile;
pub(super) use self::writer::AuditWriter;
use super::Failure;
use super::output::say;
use crate::config::Sources;
use crate::config::setting::AUDIT_LOG;

/// Writes each record of a command before the command goes on.
#[derive(Debug)]
struct Direct(AuditFile);

/// Runs the operation of a command, and records its outcome in the file that `audit_log` names, unless `attempted`
/// has done so. Without the setting nothing is recorded, as commands do not log.
///
/// # Errors
/// Also if the file cannot be opened: an operation that cannot be recorded must not be performed.
pub(super) fn audited(
    sources: &Sources<'_>,
    action: Action,
    attempted: impl FnOnce(&Attempt) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let observer = match sources.get_opt(AUDIT_LOG)? {
        Some(path) => Some(Arc::new(Direct(AuditFile::open(path)?)) as Arc<dyn AuditObserver>),
        None => None,
    };
    let uid = rustix::process::getuid().as_raw();
    let auditor = Auditor::new(Actor::Command { uid }).observer(observer);
    let attempt = auditor.attempt(action);
    let result = attempted(&attempt);
    match &result {
        Ok(()) => attempt.done(),
        Err(failure) if failure.is_effect_unknown => attempt.unknown(&failure.line),
        Err(failure) => attempt.failed(&failure.line),
    }
    result
}

/// A refusal: the operation is not allowed, or does not apply.
pub(super) fn refused(attempt: &Attempt, line: impl fmt::Display) -> Failure {
    let failure = Failure::new(line);
    attempt.refused(&failure.line);
    failure
}

// === impl Direct ===

impl AuditObserver for Direct {
    fn recorded(&self, record: &Record) {
        if let Err(error) = self.0.write(&file::line(record)) {
            // The operation has been performed by now.
            say(format_args!(
                "portreeve: {}: cannot write the audit line: {error}",
                self.0.path().display()
            ));
        }
    }
}

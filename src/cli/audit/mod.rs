//! The audit log in a file of its own, and what commands write to it (docs/OPERATIONS.md, "The audit log").

mod file;
mod writer;

use std::fmt;
use std::sync::Arc;

use portreeve::audit::{Action, Actor, Attempt, AuditObserver, Auditor};

use self::file::AuditFile;
pub(super) use self::writer::AuditWriter;
use super::Failure;
use crate::config::Sources;
use crate::config::setting::AUDIT_LOG;

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
    let attempt = auditor(sources)?.attempt(action);
    let result = attempted(&attempt);
    match &result {
        Ok(()) => attempt.done(),
        Err(failure) if failure.is_effect_unknown => attempt.unknown(&failure.line),
        Err(failure) => attempt.failed(&failure.line),
    }
    result
}

/// Records what a command does in the file that `audit_log` names.
pub(super) fn auditor(sources: &Sources<'_>) -> Result<Auditor, Failure> {
    let file = sources.get_opt(AUDIT_LOG)?.map(AuditFile::open).transpose()?.map(Arc::new);
    let uid = rustix::process::getuid().as_raw();
    let mut auditor = Auditor::new(Actor::Command { uid });
    auditor.observer = file.map(|file| file as Arc<dyn AuditObserver>);
    Ok(auditor)
}

/// A refusal: the operation is not allowed, or does not apply.
pub(super) fn refused(attempt: &Attempt, line: impl fmt::Display) -> Failure {
    let failure = Failure::new(line);
    attempt.refused(&failure.line);
    failure
}

//! Failed calls that may be retried, since they were provably not processed.

use h2::Reason;

use super::CallError;
use crate::causes::causes;

/// Why a call was provably not processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unprocessed {
    /// The connection ended before any of it was sent, or the server closed it gracefully with a GOAWAY that
    /// excludes this call (RFC 9113, section 6.8), as nginx does after `keepalive_requests`.
    Ended,
    /// The server refused it (section 8.7), or excluded it by a GOAWAY with an error.
    Refused,
}

impl Unprocessed {
    /// `None` if the call may have been processed, as when a connection breaks.
    pub(super) fn classify(error: &CallError) -> Option<Self> {
        let error: &hyper::Error = match error {
            CallError::Unsent(_) => return Some(Self::Ended),
            CallError::Failed(error) => error,
            CallError::Connect(_) | CallError::NoHead | CallError::Body(_) => return None,
        };
        let error = causes(error).find_map(|cause| cause.downcast_ref::<h2::Error>())?;
        // `h2` fails the streams that a GOAWAY excludes with its error.
        match error.reason() {
            _ if !error.is_remote() => None,
            Some(Reason::NO_ERROR) if error.is_go_away() => Some(Self::Ended),
            _ if error.is_go_away() => Some(Self::Refused),
            Some(Reason::REFUSED_STREAM) if error.is_reset() => Some(Self::Refused),
            _ => None,
        }
    }
}

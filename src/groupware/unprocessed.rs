//! Whether a call that failed was provably not processed, so that it may be made again.

use std::error::Error as StdError;

use h2::Reason;

/// Whether `error` says that the server did not and will not process the request.
///
/// Over HTTP/2 that is so for a request that a GOAWAY of the server leaves out (RFC 9113, section
/// 6.8) — nginx sends one after each `keepalive_requests` — and for one that it refused with
/// REFUSED_STREAM (section 8.7). Anything else, a connection that breaks included, may have been
/// processed. (Requests that never left this process are made again by the HTTP client itself.)
pub(super) fn is_unprocessed(error: &(dyn StdError + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            // `h2` gives the error of a GOAWAY to those streams alone that it leaves out.
            let is_left_out = error.is_go_away();
            let is_refused = error.is_reset() && error.reason() == Some(Reason::REFUSED_STREAM);
            return error.is_remote() && (is_left_out || is_refused);
        }
        cause = error.source();
    }
    false
}

//! The names and help texts of the metrics.

/// The name of a metric and its help text.
#[derive(Clone, Copy)]
pub(super) struct Name(pub(super) &'static str, pub(super) &'static str);

pub(super) const REQUESTS: Name = Name(
    "portreeve_http_requests_total",
    "Requests that were answered, and (status 499) those whose client went away before",
);
pub(super) const REQUEST_TIME: Name = Name(
    "portreeve_http_request_duration_seconds",
    "Time from a request to its answer, with the calls of the groupware server in it",
);
pub(super) const IN_FLIGHT: Name = Name("portreeve_http_requests_in_flight", "Requests in flight");
pub(super) const TURNED_AWAY: Name = Name(
    "portreeve_turned_away_total",
    "Requests that were answered 401, 429 or 503 without being worked on, connections closed over the bound of an address, and those that ended without a TLS handshake",
);
pub(super) const CONNECTIONS: Name = Name(
    "portreeve_connections",
    "Open connections; new: nothing was received that tells the protocol",
);
pub(super) const CALLS: Name = Name(
    "portreeve_groupware_requests_total",
    "Calls of the groupware server that have ended",
);
pub(super) const CALL_TIME: Name = Name(
    "portreeve_groupware_request_duration_seconds",
    "Time of a call of the groupware server: connecting, headers and body together",
);
pub(super) const TOKEN_CHECKS: Name = Name(
    "portreeve_token_checks_total",
    "Bearer tokens that were checked, by what decided about them",
);
pub(super) const REFUSED_LOGINS: Name = Name(
    "portreeve_refused_logins_total",
    "Logins with app passwords that the groupware server refused; it counts those by HTTP Basic",
);
pub(super) const LOGIN_PERMITS: Name = Name(
    "portreeve_login_permits",
    "Permits for logins by HTTP Basic (refused_login_budget)",
);
pub(super) const CREDENTIALS: Name = Name("portreeve_credentials", "Stored app passwords");
pub(super) const STORE_OPERATIONS: Name = Name(
    "portreeve_store_operations_total",
    "Operations of the store of credentials, but those answered from memory",
);
pub(super) const LOST_AUDIT_LINES: Name = Name(
    "portreeve_audit_lines_lost_total",
    "Audit lines that could not be written to the file of audit_log",
);
pub(super) const BUILD: Name = Name("portreeve_build_info", "The program: its value is always 1");

//! The names and help texts of the metrics.

/// The name of a metric and its help text.
#[derive(Clone, Copy)]
pub(super) struct Name(pub(super) &'static str, pub(super) &'static str);

pub(super) const REQUESTS: Name = Name(
    "portreeve_http_requests_total",
    "Answered requests, and (status 499) those whose client disconnected first",
);
pub(super) const REQUEST_TIME: Name = Name(
    "portreeve_http_request_duration_seconds",
    "Time from a request to its answer, including calls to the groupware server",
);
pub(super) const IN_FLIGHT: Name = Name("portreeve_http_requests_in_flight", "Requests in flight");
pub(super) const REJECTED: Name = Name(
    "portreeve_rejected_total",
    "Requests refused early with 401, 429 or 503, connections closed over the limit per address, closed without a request or delayed at the limit of all, and those that ended without a TLS handshake",
);
pub(super) const CONNECTIONS: Name = Name(
    "portreeve_connections",
    "Open connections; new: the protocol is not known yet",
);
pub(super) const CALLS: Name = Name(
    "portreeve_groupware_requests_total",
    "Finished calls to the groupware server",
);
pub(super) const CALL_TIME: Name = Name(
    "portreeve_groupware_request_duration_seconds",
    "Time of a call to the groupware server: connecting, headers and body together",
);
pub(super) const WRITES: Name = Name(
    "portreeve_groupware_writes_total",
    "Finished calls that were to change something at the groupware server, by what is known of the change",
);
pub(super) const TOKEN_CHECKS: Name = Name(
    "portreeve_token_checks_total",
    "Checked bearer tokens, by verifier and outcome",
);
pub(super) const TOKEN_REFUSALS: Name = Name(
    "portreeve_token_refusals_total",
    "Bearer tokens that were refused, by reason",
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
    "Operations of the credential store, except those answered from memory",
);
pub(super) const LOST_AUDIT_LINES: Name = Name(
    "portreeve_audit_lines_lost_total",
    "Audit lines that could not be written to the file of audit_log",
);
pub(super) const RECEIVED: Name = Name(
    "portreeve_deliveries_received_total",
    "Deliveries of the groupware server that were kept",
);
pub(super) const ATTEMPTS: Name = Name(
    "portreeve_deliveries_attempts_total",
    "Attempts to deliver to targets, by how they ended",
);
pub(super) const GIVEN_UP: Name = Name(
    "portreeve_deliveries_given_up_total",
    "Deliveries that failed, and are not attempted again unless somebody replays them",
);
pub(super) const TARGETS: Name = Name(
    "portreeve_deliveries_targets",
    "Targets of deliveries, of all gateways on the database",
);
pub(super) const PENDING: Name = Name(
    "portreeve_deliveries_pending",
    "Deliveries that wait for active targets, of all gateways on the database",
);
pub(super) const OLDEST_PENDING: Name = Name(
    "portreeve_deliveries_oldest_pending_seconds",
    "How long ago the oldest of them was received",
);
pub(super) const KEPT: Name = Name(
    "portreeve_deliveries_bytes",
    "Size of the deliveries that are kept, as deliveries_max counts it",
);
pub(super) const KEPT_MAX: Name = Name("portreeve_deliveries_max_bytes", "deliveries_max");
pub(super) const BUILD: Name = Name("portreeve_build_info", "The program; the value is always 1");

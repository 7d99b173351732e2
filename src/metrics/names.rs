//! The names and help texts of the metrics.

#[derive(Clone, Copy)]
pub(super) struct Name(pub(super) &'static str, pub(super) &'static str);

macro_rules! names {
    ($($NAME:ident = $name:literal, $help:literal;)+) => {
        $(pub(super) const $NAME: Name = Name($name, $help);)+
    };
}

names! {
    REQUESTS = "portreeve_http_requests_total", "Answered requests, and (status 499) those whose client disconnected first";
    REQUEST_TIME = "portreeve_http_request_duration_seconds", "Time from a request to its answer, including calls to the groupware server";
    IN_FLIGHT = "portreeve_http_requests_in_flight", "Requests in flight";
    REJECTED = "portreeve_rejected_total", "Requests refused early with 401, 429 or 503, connections closed over the limit per address, closed without a request or delayed at the limit of all, and those that ended without a TLS handshake";
    CONNECTIONS = "portreeve_connections", "Open connections; new: the protocol is not known yet";
    CALLS = "portreeve_groupware_requests_total", "Finished calls to the groupware server";
    CALL_TIME = "portreeve_groupware_request_duration_seconds", "Time of a call to the groupware server: connecting, headers and body together";
    WRITES = "portreeve_groupware_writes_total", "Finished calls that were to change something at the groupware server, by what is known of the change";
    TOKEN_CHECKS = "portreeve_token_checks_total", "Checked bearer tokens, by verifier and outcome";
    TOKEN_REFUSALS = "portreeve_token_refusals_total", "Bearer tokens that were refused, by reason";
    REFUSED_LOGINS = "portreeve_refused_logins_total", "Logins with app passwords that the groupware server refused; it counts those by HTTP Basic";
    LOGIN_PERMITS = "portreeve_login_permits", "Permits for logins by HTTP Basic (refused_login_budget)";
    CREDENTIALS = "portreeve_credentials", "Stored app passwords";
    STORE_OPERATIONS = "portreeve_store_operations_total", "Operations of the credential store, except those answered from memory";
    LOST_AUDIT_LINES = "portreeve_audit_lines_lost_total", "Audit lines that could not be written to the file of audit_log";
    RECEIVED = "portreeve_deliveries_received_total", "Deliveries of the groupware server that were kept";
    ATTEMPTS = "portreeve_deliveries_attempts_total", "Attempts to deliver to targets, by how they ended";
    GIVEN_UP = "portreeve_deliveries_given_up_total", "Deliveries that failed, and are not attempted again unless somebody replays them";
    EXPIRED = "portreeve_deliveries_expired_total", "Deliveries that were given up for lack of room";
    TARGETS = "portreeve_deliveries_targets", "Targets of deliveries, of all gateways on the database";
    PENDING = "portreeve_deliveries_pending", "Deliveries that wait for active targets, of all gateways on the database";
    OLDEST_PENDING = "portreeve_deliveries_oldest_pending_seconds", "How long ago the oldest of them was received";
    KEPT = "portreeve_deliveries_bytes", "Size of the deliveries that are kept, as deliveries_max counts it";
    KEPT_MAX = "portreeve_deliveries_max_bytes", "deliveries_max";
    CPU = "process_cpu_seconds_total", "CPU time, user and system";
    OPEN_FDS = "process_open_fds", "Open file descriptors";
    MAX_FDS = "process_max_fds", "The limit of open file descriptors; 0 without one";
    RESIDENT_MEMORY = "process_resident_memory_bytes", "Resident memory";
    VIRTUAL_MEMORY = "process_virtual_memory_bytes", "Virtual memory";
    START_TIME = "process_start_time_seconds", "When the process started, in seconds since 1970";
    THREADS = "process_threads", "Threads";
    BUILD = "portreeve_build_info", "The program; the value is always 1";
}

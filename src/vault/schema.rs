//! The tables of a database.

use super::Table;

/// Their version, which counts up with each change of them.
pub(super) const SCHEMA_VERSION: i32 = 8;

/// Those of deliveries, and the indexes of the store's own. What they hold: `deliveries::queue`. The key of a receipt
/// total is the beginning of what is sealed, which names the key that sealed it.
const OTHERS: &str = r#"
CREATE INDEX login_flow_owner ON portreeve.login_flow (owner);
CREATE UNIQUE INDEX binding_owner ON portreeve.binding (owner);
CREATE TABLE portreeve.receipt (
    position BIGINT PRIMARY KEY NOT NULL,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    account TEXT COLLATE "C" NOT NULL,
    class TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    sealed BYTEA NOT NULL
) /*STRICT*/;
CREATE INDEX receipt_account ON portreeve.receipt (account, position);
CREATE INDEX receipt_received ON portreeve.receipt (received_at);
CREATE TABLE portreeve.receipt_total (
    sealed BYTEA PRIMARY KEY NOT NULL,
    receipts BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    removed_through BIGINT NOT NULL
) /*STRICT, WITHOUT ROWID*/;
CREATE TABLE portreeve.unmatched_receipt (
    position BIGINT PRIMARY KEY NOT NULL,
    leased_until BIGINT NOT NULL
) /*STRICT*/;
CREATE INDEX unmatched_receipt_leased ON portreeve.unmatched_receipt (leased_until, position);
CREATE TABLE portreeve.delivery_target (
    id BIGINT PRIMARY KEY NOT NULL,
    account TEXT COLLATE "C" NOT NULL,
    state INTEGER NOT NULL,
    revision BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    created_after BIGINT NOT NULL,
    failing_since BIGINT,
    waiting BIGINT NOT NULL,
    due_at BIGINT,
    sealed BYTEA NOT NULL
) /*STRICT*/;
CREATE INDEX delivery_target_account ON portreeve.delivery_target (account, id);
CREATE INDEX delivery_target_due ON portreeve.delivery_target (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX delivery_target_removed ON portreeve.delivery_target (id) WHERE state = 3;
CREATE TABLE portreeve.delivery (
    position BIGINT NOT NULL,
    target BIGINT NOT NULL,
    state INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    due_at BIGINT NOT NULL,
    claim BIGINT,
    attempts TEXT NOT NULL,
    PRIMARY KEY (position, target)
) /*STRICT, WITHOUT ROWID*/;
CREATE INDEX delivery_state ON portreeve.delivery (target, state, position);
CREATE INDEX delivery_due ON portreeve.delivery (target, due_at, position) WHERE state = 0;
CREATE INDEX delivery_claimed ON portreeve.delivery (target) WHERE claim IS NOT NULL;
"#;

/// The statements that make them, as PostgreSQL has them. What SQLite adds is in comments.
pub(super) fn tables() -> String {
    let own = Table::ALL.map(|table| {
        format!(
            "CREATE TABLE portreeve.{} (key TEXT COLLATE \"C\" PRIMARY KEY NOT NULL, owner TEXT COLLATE \"C\" NOT NULL, \
             number BIGINT NOT NULL, sealed BYTEA NOT NULL, count BIGINT NOT NULL, since BIGINT) /*STRICT, WITHOUT ROWID*/;",
            table.names().0
        )
    });
    own.concat() + OTHERS
}

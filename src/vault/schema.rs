//! The tables of a database.

use super::Table;

/// Their version, which counts up with each change of them.
pub(super) const SCHEMA_VERSION: i32 = FIRST_VERSION + UPGRADES.len() as i32;

/// The version of [`tables`], and the oldest one that can be upgraded.
pub(super) const FIRST_VERSION: i32 = 12;

/// The step from each version to the next one; a new database takes them, too.
const UPGRADES: &[fn(Part) -> String] = &[];

/// The tables that a database has. What SQLite writes otherwise is replaced later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "each database needs others of them")]
pub(super) enum Part {
    /// All of them, in PostgreSQL.
    All,
    /// Those of the vault, in a file of SQLite.
    Vault,
    /// Those of deliveries, in the file beside that one. It has no row of another part in a transaction; which keys have
    /// been taken away is noted in both.
    Deliveries,
}

const INDEXES: &str = "
CREATE INDEX login_flow_owner ON portreeve.login_flow (owner);
CREATE UNIQUE INDEX binding_owner ON portreeve.binding (owner);
";

/// The tables of deliveries. What they hold: `deliveries::queue`. The key of a receipt total is the beginning of what is
/// sealed, which names the key that sealed it.
const DELIVERIES: &str = r#"
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
CREATE TABLE portreeve.account_total (
    account TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    bytes BIGINT NOT NULL
) /*STRICT, WITHOUT ROWID*/;
CREATE TABLE portreeve.unmatched_receipt (
    position BIGINT PRIMARY KEY NOT NULL,
    account TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    leased_until BIGINT NOT NULL,
    leased_by BIGINT NOT NULL DEFAULT 0
) /*STRICT*/;
CREATE INDEX unmatched_receipt_turn ON portreeve.unmatched_receipt (account, leased_until, position);
CREATE INDEX unmatched_receipt_leased ON portreeve.unmatched_receipt (leased_by) WHERE leased_by > 0;
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
    sealed BYTEA NOT NULL,
    made_by TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C" NOT NULL,
    is_bound INTEGER NOT NULL,
    as_administrator INTEGER NOT NULL,
    asked_at BIGINT NOT NULL,
    confirmed_at BIGINT NOT NULL,
    suspended INTEGER,
    failed_at BIGINT,
    failing_run BIGINT,
    missed BIGINT NOT NULL DEFAULT 0
) /*STRICT*/;
CREATE INDEX delivery_target_bound ON portreeve.delivery_target (id) WHERE is_bound = 1;
CREATE INDEX delivery_target_made ON portreeve.delivery_target (made_by) WHERE as_administrator = 1;
CREATE INDEX delivery_target_account ON portreeve.delivery_target (account, id);
CREATE INDEX delivery_target_due ON portreeve.delivery_target
    ((CAST(CASE account WHEN '' THEN made_by ELSE account END AS text)), due_at) WHERE due_at IS NOT NULL;
CREATE INDEX delivery_target_answers ON portreeve.delivery_target (id)
    WHERE failing_since IS NULL AND failed_at IS NOT NULL;
CREATE INDEX delivery_target_removed ON portreeve.delivery_target (id) WHERE state = 3;
CREATE TABLE portreeve.delivery_account (
    account TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    due_at BIGINT,
    bytes BIGINT NOT NULL,
    removed_through BIGINT NOT NULL
) /*STRICT, WITHOUT ROWID*/;
CREATE INDEX delivery_account_due ON portreeve.delivery_account (due_at) WHERE due_at IS NOT NULL;
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
CREATE TABLE portreeve.delivery_presence (
    gateway BIGINT PRIMARY KEY NOT NULL,
    seen_at BIGINT NOT NULL,
    there_until BIGINT NOT NULL
) /*STRICT*/;
CREATE TABLE portreeve.delivery_gap (
    number BIGINT PRIMARY KEY NOT NULL,
    from_at BIGINT NOT NULL,
    until_at BIGINT NOT NULL,
    reason TEXT NOT NULL
) /*STRICT*/;
"#;

/// The statements that make them, as PostgreSQL has them. What SQLite adds is in comments.
pub(super) fn tables(part: Part) -> String {
    let mut tables = String::new();
    let mut sealed = Vec::new();
    if part != Part::Deliveries {
        tables.extend(Table::ALL.iter().copied().map(of_rows));
        tables += INDEXES;
        sealed.extend(["credential", "login_flow", "binding", "registration"]);
    } else {
        tables += &of_rows(Table::SealingKey);
    }
    if part != Part::Vault {
        tables += DELIVERIES;
        sealed.extend(["delivery_target", "receipt_total"]);
    }
    tables + &triggers(part, &sealed)
}

fn of_rows(table: Table) -> String {
    format!(
        "CREATE TABLE portreeve.{} (key TEXT COLLATE \"C\" PRIMARY KEY NOT NULL, owner TEXT COLLATE \"C\" NOT NULL, \
         number BIGINT NOT NULL, sealed BYTEA NOT NULL, count BIGINT NOT NULL, since BIGINT) /*STRICT, WITHOUT ROWID*/;",
        table.as_str()
    )
}

/// The statements that bring a database from `version` to [`SCHEMA_VERSION`].
pub(super) fn upgrades(version: i32, part: Part) -> String {
    let done = usize::try_from(version - FIRST_VERSION).unwrap_or_default();
    UPGRADES.iter().skip(done).map(|step| step(part)).collect()
}

/// Triggers refuse what was sealed with a key that has been taken away (`vault::sealing`): no statement can forget to ask,
/// not even one of an older version. Receipts are asked for by their total, which the same transaction writes. In
/// PostgreSQL, taking a key away waits for the transactions that have asked already.
fn triggers(part: Part, sealed: &[&str]) -> String {
    const IS_GONE: &str = "EXISTS (SELECT 1 FROM portreeve.sealing_key AS k \
        WHERE k.count > 0 AND k.sealed = substr(NEW.sealed, 1, 9))";
    const REFUSAL: &str = "'the key that sealed it has been pruned'";
    let (mut all, triggers) = match part {
        // The lock has an ASCII name: "sealing_".
        Part::All => (
            format!(
                "CREATE FUNCTION portreeve.take_key_away() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                     PERFORM pg_advisory_xact_lock(8315159405262694239); RETURN NEW; \
                 END $$; \
                 CREATE TRIGGER take_key_away BEFORE INSERT OR UPDATE ON portreeve.sealing_key \
                     FOR EACH ROW WHEN (NEW.count > 0) EXECUTE FUNCTION portreeve.take_key_away(); \
                 CREATE FUNCTION portreeve.refuse_key() RETURNS trigger LANGUAGE plpgsql \
                     SECURITY DEFINER SET search_path = pg_catalog AS $$ BEGIN \
                     PERFORM pg_advisory_xact_lock_shared(8315159405262694239); \
                     IF {IS_GONE} THEN RAISE EXCEPTION {REFUSAL}; END IF; RETURN NEW; \
                 END $$;"
            ),
            "CREATE TRIGGER refuse_key BEFORE INSERT OR UPDATE OF sealed ON portreeve.TABLE \
                 FOR EACH ROW WHEN (CONDITION) EXECUTE FUNCTION portreeve.refuse_key();"
                .to_owned(),
        ),
        _ => {
            let trigger = |name, event| {
                format!(
                    "CREATE TRIGGER TABLE_{name} BEFORE {event} ON portreeve.TABLE WHEN CONDITION AND {IS_GONE} \
                     BEGIN SELECT RAISE(ABORT, {REFUSAL}); END;"
                )
            };
            let triggers = trigger("added", "INSERT") + &trigger("sealed", "UPDATE OF sealed");
            (String::new(), triggers)
        }
    };
    for table in sealed {
        // The total of what has gone stays, and is copied.
        let condition = if *table == "receipt_total" { "NEW.receipts > 0" } else { "true" };
        let triggers = triggers.replace("TABLE", table);
        all += &triggers.replace("CONDITION", condition);
    }
    all
}

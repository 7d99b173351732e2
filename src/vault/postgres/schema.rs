//! Making and upgrading the tables.
//!
//! They are in a schema of their own. A trigger announces each change of a record on the channel [`CHANNEL`]: no
//! statement can forget it, not even one by hand, and it is announced if and only if the change
//! is committed.

use tokio_postgres::{Client, error::SqlState};

use super::deliveries;
use super::error::{PostgresOpenError, hint};
use crate::vault::Inspection;
use crate::vault::cipher::HEADER_LEN;

/// The channel on which changes are announced, as: `c` and a user id, `b` and a person id, `*` (anything
/// may have changed).
pub(super) const CHANNEL: &str = "portreeve";

/// The channel on which new receipts and deliveries are announced.
pub(super) const DELIVERIES: &str = "portreeve_deliveries";

/// The advisory lock that is held while the tables are made: "portreev" in ASCII.
const LOCK: i64 = 0x706f_7274_7265_6576;

/// How long another gateway may take to make them.
const LOCK_TIMEOUT: &str = "60s";

/// The oldest version that works beside the newest schema, for a gateway that is still to be upgraded.
const COMPATIBLE_FROM: i32 = 2;

/// Makes the tables of the newest version, but for those of deliveries.
const TABLES: &str = r#"
CREATE TABLE portreeve.credential (
    user_id text COLLATE "C" PRIMARY KEY,
    revision bigint NOT NULL,
    sealed bytea NOT NULL,
    suspended_at bigint,
    refusals integer NOT NULL
) WITH (fillfactor = 80);
CREATE TABLE portreeve.login_flow (
    flow_id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL,
    expires_at bigint NOT NULL,
    sealed bytea NOT NULL,
    holds_password boolean NOT NULL
);
CREATE INDEX login_flow_user ON portreeve.login_flow (user_id, expires_at);
CREATE TABLE portreeve.refused_login (
    id bigint PRIMARY KEY,
    refused_at bigint NOT NULL
);
CREATE TABLE portreeve.binding (
    person_id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL UNIQUE,
    sealed bytea NOT NULL
);
CREATE TABLE portreeve.bearer_server (url text COLLATE "C" PRIMARY KEY);

CREATE FUNCTION portreeve.tell_credential() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM pg_notify('portreeve', 'c' || OLD.user_id);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM pg_notify('portreeve', 'c' || NEW.user_id);
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION portreeve.tell_binding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM pg_notify('portreeve', 'b' || OLD.person_id);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM pg_notify('portreeve', 'b' || NEW.person_id);
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION portreeve.tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('portreeve', TG_ARGV[0]);
    RETURN NULL;
END $$;
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON portreeve.credential
    FOR EACH ROW EXECUTE FUNCTION portreeve.tell_credential();
CREATE TRIGGER tell_all AFTER TRUNCATE ON portreeve.credential
    FOR EACH STATEMENT EXECUTE FUNCTION portreeve.tell('*');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON portreeve.binding
    FOR EACH ROW EXECUTE FUNCTION portreeve.tell_binding();
CREATE TRIGGER tell_all AFTER TRUNCATE ON portreeve.binding
    FOR EACH STATEMENT EXECUTE FUNCTION portreeve.tell('*');
"#;

/// The steps that bring tables of version n + 1 to n + 2, by position.
const UPGRADES: [&str; 3] = [
    r#"
ALTER TABLE portreeve.credential DROP COLUMN worked_at;
DROP TRIGGER tell ON portreeve.refused_login;
DROP TRIGGER tell_refused ON portreeve.refused_login;
ALTER TABLE portreeve.refused_login DROP COLUMN user_id, DROP COLUMN purpose, DROP COLUMN forgivable;
DROP TABLE portreeve.place, portreeve.place_version;
CREATE TABLE portreeve.bearer_server (url text COLLATE "C" PRIMARY KEY);
"#,
    "DROP INDEX portreeve.login_flow_expiry;",
    deliveries::TABLES,
];

/// What makes them all.
const NEW: [&str; 2] = [TABLES, deliveries::TABLES];

/// The version of [`NEW`].
const NEWEST: i32 = 1 + UPGRADES.len() as i32;

/// Makes the tables if there are none, and upgrades them if they are old. A role that may do neither
/// can use them once they are there.
pub(super) async fn prepare(client: &Client, database: &str) -> Result<(), PostgresOpenError> {
    let fault = |source: tokio_postgres::Error| PostgresOpenError::Schema {
        database: database.into(),
        hint: match source.code() {
            Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
                " (let the role make a schema there once: GRANT CREATE ON DATABASE, or start with the \
                 owner of the schema portreeve)"
            }
            _ => hint(&source),
        },
        source,
    };
    if is_current(client, database, fault).await? {
        return Ok(());
    }
    let begin = format!(
        "BEGIN; SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'; SET LOCAL statement_timeout = 0; \
         SELECT pg_advisory_xact_lock({LOCK}); \
         CREATE SCHEMA IF NOT EXISTS portreeve; \
         CREATE TABLE IF NOT EXISTS portreeve.schema_version (\
             sole boolean PRIMARY KEY DEFAULT true CHECK (sole), \
             version integer NOT NULL, compatible_from integer NOT NULL)"
    );
    // A client that is dropped in between leaves nothing: the transaction ends with its connection.
    client.batch_execute(&begin).await.map_err(fault)?;
    let (found, _) = version(client).await.map_err(fault)?.unwrap_or((0, 0));
    if found < NEWEST {
        let steps = match usize::try_from(found).unwrap_or_default() {
            0 => &NEW[..],
            found => &UPGRADES[found - 1..],
        };
        let note = format!(
            "INSERT INTO portreeve.schema_version (version, compatible_from) \
             VALUES ({NEWEST}, {COMPATIBLE_FROM}) ON CONFLICT (sole) DO UPDATE \
             SET version = {NEWEST}, compatible_from = {COMPATIBLE_FROM}"
        );
        for step in steps.iter().copied().chain([&*note]) {
            client.batch_execute(step).await.map_err(fault)?;
        }
    }
    client.batch_execute("COMMIT").await.map_err(fault)?;
    is_current(client, database, fault).await.map(drop)
}

/// Looks at the records in the tables; `None` if there are none.
pub(super) async fn inspect(client: &Client) -> Result<Option<Inspection>, tokio_postgres::Error> {
    let Some((version, _)) = version(client).await? else {
        return Ok(None);
    };
    let mut found = Inspection::new(version.cast_unsigned());
    let deliveries = match version > 3 {
        true => {
            "UNION ALL SELECT sealed, 1 FROM portreeve.delivery_target \
             UNION ALL SELECT sealed, receipts FROM portreeve.receipt_total WHERE receipts > 0"
        }
        false => "",
    };
    let sql = format!(
        "SELECT substring(sealed FROM 1 FOR {HEADER_LEN}), sum(number)::bigint FROM ( \
             SELECT sealed, 1::bigint AS number FROM portreeve.credential \
             UNION ALL SELECT sealed, 1 FROM portreeve.binding {deliveries} \
         ) AS record GROUP BY 1"
    );
    for row in client.query(&sql, &[]).await? {
        let count: i64 = row.try_get(1)?;
        found.add(row.try_get(0)?, count.cast_unsigned());
    }
    Ok(Some(found))
}

/// Whether the tables can be used as they are.
async fn is_current(
    client: &Client,
    database: &str,
    fault: impl Fn(tokio_postgres::Error) -> PostgresOpenError,
) -> Result<bool, PostgresOpenError> {
    let Some((found, compatible_from)) = version(client).await.map_err(fault)? else {
        return Ok(false);
    };
    if found >= NEWEST && compatible_from > NEWEST {
        return Err(PostgresOpenError::Newer {
            database: database.into(),
            found,
            known: NEWEST,
        });
    }
    Ok(found >= NEWEST)
}

/// The version of the tables, and the oldest one that works with them; `None` if there are none.
async fn version(client: &Client) -> Result<Option<(i32, i32)>, tokio_postgres::Error> {
    let sql = "SELECT to_regclass('portreeve.schema_version') IS NOT NULL";
    if !client.query_one(sql, &[]).await?.try_get::<_, bool>(0)? {
        return Ok(None);
    }
    let sql = "SELECT version, compatible_from FROM portreeve.schema_version";
    let row = client.query_opt(sql, &[]).await?;
    row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
        .transpose()
}

//! Making and upgrading the tables.
//!
//! They are in a schema of their own. A trigger announces each change of a record on the channel [`CHANNEL`]: no
//! statement can forget it, not even one by hand, and it is announced if and only if the change is committed.

use tokio_postgres::{Client, error::SqlState};

use super::deliveries::decode;
use super::error::{PostgresOpenError, causes, hint, unusable};
use crate::vault::schema::{FIRST_VERSION, Part, SCHEMA_VERSION, tables, upgrades};
use crate::vault::{Inspection, Table};

/// The channel on which changes are announced, as: `c` and a user id, `b` and a person id, `*` (anything may have changed).
pub(super) const CHANNEL: &str = "portreeve";

/// The channel on which new receipts and deliveries are announced.
pub(super) const DELIVERIES: &str = "portreeve_deliveries";

/// The advisory lock that is held while the tables are made: "portreev" in ASCII.
const LOCK: i64 = 0x706f_7274_7265_6576;

/// How long another gateway may take to make them.
const LOCK_TIMEOUT: &str = "60s";

/// The oldest version that works beside this one, for a gateway that is still to be upgraded.
const COMPATIBLE_FROM: i32 = FIRST_VERSION;

/// What the tables have besides, the triggers, and a function that SQLite has.
const OWN: &str = r#"
ALTER TABLE portreeve.receipt ALTER COLUMN sealed SET STORAGE EXTERNAL;
ALTER TABLE portreeve.unmatched_receipt SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE portreeve.delivery_target SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE portreeve.delivery_account SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE portreeve.delivery SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE FUNCTION portreeve.json_each(list text) RETURNS TABLE (value jsonb) LANGUAGE sql IMMUTABLE AS $$
    SELECT element FROM jsonb_array_elements(list::jsonb) AS element
$$;
CREATE FUNCTION portreeve.tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        PERFORM pg_notify('portreeve', '*');
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        PERFORM pg_notify('portreeve', TG_ARGV[0] || OLD.key);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM pg_notify('portreeve', TG_ARGV[0] || NEW.key);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON portreeve.credential
    FOR EACH ROW EXECUTE FUNCTION portreeve.tell('c');
CREATE TRIGGER tell_all AFTER TRUNCATE ON portreeve.credential
    FOR EACH STATEMENT EXECUTE FUNCTION portreeve.tell();
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON portreeve.binding
    FOR EACH ROW EXECUTE FUNCTION portreeve.tell('b');
CREATE TRIGGER tell_all AFTER TRUNCATE ON portreeve.binding
    FOR EACH STATEMENT EXECUTE FUNCTION portreeve.tell();
"#;

/// Makes the tables if there are none, and upgrades old ones. A role that may not can use them once that is done.
pub(super) async fn prepare(client: &Client, database: &str) -> Result<(), PostgresOpenError> {
    let unread = |error| unusable("prepare", database, causes(&error) + hint(&error));
    let fault = |error: tokio_postgres::Error| {
        let hint = match error.code() {
            Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
                " (let the role make a schema there once: GRANT CREATE ON DATABASE, or start with the \
                 owner of the schema portreeve)"
            }
            _ => hint(&error),
        };
        unusable("prepare", database, causes(&error) + hint)
    };
    let sql = "SELECT current_setting('server_encoding')";
    let row = client.query_one(sql, &[]).await.map_err(unread)?;
    let encoding: String = row.try_get(0).map_err(unread)?;
    // The latter stores any bytes. Others cannot store each user id.
    if !["UTF8", "SQL_ASCII"].contains(&&*encoding) {
        let reason = format!("its encoding is {encoding}: make one with ENCODING 'UTF8'");
        return Err(unusable("use", database, reason));
    }
    if is_current(client, database, unread).await? {
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
    let found = version(client).await.map_err(fault)?;
    bring_up_to_date(client, found.map(|(version, _)| version)).await.map_err(fault)?;
    client.batch_execute("COMMIT").await.map_err(fault)?;
    is_current(client, database, unread).await.map(drop)
}

/// Makes the tables, or brings those of version `found` up to date.
async fn bring_up_to_date(
    client: &Client,
    found: Option<i32>,
) -> Result<(), tokio_postgres::Error> {
    if found.is_none() {
        client.batch_execute(&tables(Part::All)).await?;
        client.batch_execute(OWN).await?;
    }
    let steps = upgrades(found.unwrap_or(FIRST_VERSION), Part::All);
    client.batch_execute(&steps).await?;
    if found.is_none() {
        for table in Table::ALL.iter().map(|table| table.as_str()) {
            let room = format!("ALTER TABLE portreeve.{table} SET (fillfactor = 80)");
            client.batch_execute(&room).await?;
        }
    }
    let note = format!(
        "INSERT INTO portreeve.schema_version (version, compatible_from) \
         VALUES ({SCHEMA_VERSION}, {COMPATIBLE_FROM}) ON CONFLICT (sole) DO UPDATE \
         SET version = excluded.version, compatible_from = excluded.compatible_from"
    );
    client.batch_execute(&note).await
}

/// Looks at the records in the tables; `None` if there are none.
pub(super) async fn inspect(client: &Client) -> Result<Option<Inspection>, tokio_postgres::Error> {
    let Some((version, _)) = version(client).await? else {
        return Ok(None);
    };
    let rows = client.query_typed(&Inspection::sql(Part::All), &[]).await?;
    Ok(Some(Inspection::new(version, decode(&rows)?)))
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
    if found < FIRST_VERSION || compatible_from > SCHEMA_VERSION {
        let database = database.into();
        return Err(PostgresOpenError::Version { database, found });
    }
    Ok(found >= SCHEMA_VERSION)
}

/// The version of the tables, and the oldest one that works with them; `None` if there are none. Nothing is prepared under
/// a name, which a pooler may give to another connection.
async fn version(client: &Client) -> Result<Option<(i32, i32)>, tokio_postgres::Error> {
    let sql = "SELECT to_regclass('portreeve.schema_version') IS NOT NULL";
    let rows = client.query_typed(sql, &[]).await?;
    if !rows.first().map_or(Ok(false), |row| row.try_get(0))? {
        return Ok(None);
    }
    let sql = "SELECT version, compatible_from FROM portreeve.schema_version";
    let rows = client.query_typed(sql, &[]).await?;
    let row = rows.first();
    row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
}

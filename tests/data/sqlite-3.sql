-- The tables of version 3 of the schema, as that version made them.
CREATE TABLE credential (
    user_id TEXT PRIMARY KEY NOT NULL,
    revision INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    suspended_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE login_flow (
    flow_id TEXT PRIMARY KEY NOT NULL,
    user_id TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX login_flow_user ON login_flow (user_id, expires_at);
CREATE INDEX login_flow_expiry ON login_flow (expires_at);
ALTER TABLE credential ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
ALTER TABLE credential ADD COLUMN worked_at INTEGER;
UPDATE credential SET refusals = 1 WHERE suspended_at IS NOT NULL;
ALTER TABLE login_flow ADD COLUMN holds_password INTEGER NOT NULL DEFAULT 1;
CREATE TABLE refused_login (
    id INTEGER PRIMARY KEY NOT NULL,
    user_id TEXT NOT NULL,
    refused_at INTEGER NOT NULL,
    purpose INTEGER NOT NULL,
    forgivable INTEGER NOT NULL
) STRICT;
CREATE TABLE binding (
    person_id TEXT PRIMARY KEY NOT NULL,
    user_id TEXT NOT NULL UNIQUE,
    sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;
PRAGMA application_id = 0x706f7274;
PRAGMA user_version = 3;

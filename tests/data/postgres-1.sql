-- The tables of version 1 of the schema, as that version made them.
CREATE SCHEMA portreeve;
CREATE TABLE portreeve.schema_version (
    sole boolean PRIMARY KEY DEFAULT true CHECK (sole),
    version integer NOT NULL,
    compatible_from integer NOT NULL
);
INSERT INTO portreeve.schema_version (version, compatible_from) VALUES (1, 1);
CREATE TABLE portreeve.credential (
    user_id text COLLATE "C" PRIMARY KEY,
    revision bigint NOT NULL,
    sealed bytea NOT NULL,
    suspended_at bigint,
    refusals integer NOT NULL,
    worked_at bigint
) WITH (fillfactor = 80);
CREATE TABLE portreeve.login_flow (
    flow_id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL,
    expires_at bigint NOT NULL,
    sealed bytea NOT NULL,
    holds_password boolean NOT NULL
);
CREATE INDEX login_flow_user ON portreeve.login_flow (user_id, expires_at);
CREATE INDEX login_flow_expiry ON portreeve.login_flow (expires_at);
CREATE TABLE portreeve.refused_login (
    id bigint PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL,
    refused_at bigint NOT NULL,
    purpose smallint NOT NULL,
    forgivable boolean NOT NULL
);
CREATE TABLE portreeve.binding (
    person_id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL UNIQUE,
    sealed bytea NOT NULL
);
CREATE TABLE portreeve.place (
    id bigint PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL,
    purpose smallint NOT NULL,
    forgivable boolean NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE TABLE portreeve.place_version (
    sole boolean PRIMARY KEY DEFAULT true CHECK (sole),
    version bigint NOT NULL
);
INSERT INTO portreeve.place_version (version) VALUES (1);

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
CREATE TRIGGER tell AFTER DELETE ON portreeve.place
    FOR EACH STATEMENT EXECUTE FUNCTION portreeve.tell('p');
CREATE TRIGGER tell AFTER DELETE ON portreeve.refused_login
    FOR EACH STATEMENT EXECUTE FUNCTION portreeve.tell('p');
CREATE TRIGGER tell_refused AFTER INSERT ON portreeve.refused_login
    FOR EACH STATEMENT EXECUTE FUNCTION portreeve.tell('r');

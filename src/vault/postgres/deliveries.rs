//! The tables of deliveries, and the functions that change them: each is one transaction, whose statements see what
//! was committed before each of them. Whoever changes the deliveries to a target has locked its row, in the order of
//! ids where there are several.

/// Makes the tables and the functions. What a table holds: `deliveries::queue`.
pub(super) const TABLES: &str = r#"
CREATE TABLE portreeve.receipt (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    account text COLLATE "C" NOT NULL,
    class text NOT NULL,
    received_at bigint NOT NULL,
    sealed bytea NOT NULL
);
ALTER TABLE portreeve.receipt ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE INDEX receipt_account ON portreeve.receipt (account, position);
CREATE TABLE portreeve.receipt_total (
    sealed bytea PRIMARY KEY,
    receipts bigint NOT NULL,
    bytes bigint NOT NULL,
    removed_through bigint NOT NULL
);
CREATE TABLE portreeve.unmatched_receipt (
    position bigint PRIMARY KEY,
    leased_until bigint NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE TABLE portreeve.delivery_target (
    id bigint PRIMARY KEY,
    account text COLLATE "C" NOT NULL,
    state integer NOT NULL,
    revision bigint NOT NULL,
    created_at bigint NOT NULL,
    failing_since bigint,
    waiting bigint NOT NULL,
    due_at bigint,
    sealed bytea NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX delivery_target_account ON portreeve.delivery_target (account, id);
CREATE INDEX delivery_target_due ON portreeve.delivery_target (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX delivery_target_removed ON portreeve.delivery_target (id) WHERE state = 3;
CREATE TABLE portreeve.delivery (
    position bigint NOT NULL,
    target bigint NOT NULL,
    state integer NOT NULL,
    tries integer NOT NULL,
    due_at bigint NOT NULL,
    claim bigint,
    attempts text NOT NULL,
    PRIMARY KEY (position, target)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX delivery_state ON portreeve.delivery (target, state, position);
CREATE INDEX delivery_due ON portreeve.delivery (target, due_at) WHERE state = 0;
CREATE INDEX delivery_claimed ON portreeve.delivery (target) WHERE claim IS NOT NULL;

CREATE FUNCTION portreeve.delivery_clock(ahead bigint) RETURNS bigint LANGUAGE sql AS $$
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ahead
$$;

CREATE FUNCTION portreeve.refresh_target(which bigint, instant bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    claimed bigint;
    leased_until bigint;
BEGIN
    SELECT count(*), min(d.due_at) INTO claimed, leased_until FROM portreeve.delivery d
        WHERE d.target = which AND d.claim IS NOT NULL AND d.due_at > instant;
    UPDATE portreeve.delivery_target t SET due_at = CASE
        WHEN t.state <> 0 THEN NULL
        WHEN claimed >= CASE WHEN t.failing_since IS NULL THEN 4 ELSE 1 END THEN leased_until
        ELSE (SELECT min(d.due_at) FROM portreeve.delivery d WHERE d.target = which AND d.state = 0)
    END WHERE t.id = which;
END $$;

-- Locked so that positions are in the order of commits.
CREATE FUNCTION portreeve.insert_receipts(
    ids text[], accounts text[], classes text[], bodies bytea[], most bigint, ahead bigint
) RETURNS TABLE (of_id text, at_position bigint) LANGUAGE plpgsql AS $$
DECLARE
    instant bigint;
    kept bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(x'7265636569707473'::bigint);
    instant := portreeve.delivery_clock(ahead);
    SELECT coalesce(sum(bytes), 0) INTO kept FROM portreeve.receipt_total;
    RETURN QUERY WITH given AS (
        SELECT g.*, sum(length(g.body) + 512) OVER (ORDER BY g.number) AS running
        FROM unnest(ids, accounts, classes, bodies) WITH ORDINALITY AS g(id, account, class, body, number)
    ), placed AS (
        INSERT INTO portreeve.receipt (id, account, class, received_at, sealed)
        SELECT g.id, g.account, g.class, instant, g.body FROM given g
        WHERE kept + g.running <= most ORDER BY g.number
        RETURNING receipt.id, receipt.position, receipt.sealed
    ), noted AS (
        INSERT INTO portreeve.unmatched_receipt SELECT p.position, 0 FROM placed p
    ), counted AS (
        INSERT INTO portreeve.receipt_total AS total
        SELECT substring(p.sealed FROM 1 FOR 9), count(*), sum(length(p.sealed) + 512), 0 FROM placed p GROUP BY 1
        ON CONFLICT (sealed) DO UPDATE
        SET receipts = total.receipts + excluded.receipts, bytes = total.bytes + excluded.bytes
    )
    SELECT p.id, p.position FROM placed p;
    PERFORM pg_notify('portreeve_deliveries', '');
END $$;

CREATE FUNCTION portreeve.fan_out_receipts(
    matched bigint[], positions bigint[], targets bigint[], ahead bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    instant bigint := portreeve.delivery_clock(ahead);
    first_time bigint[];
BEGIN
    WITH gone AS (
        DELETE FROM portreeve.unmatched_receipt u WHERE u.position = ANY(matched) RETURNING u.position
    )
    SELECT array_agg(g.position) INTO first_time FROM gone g;
    PERFORM FROM portreeve.delivery_target t WHERE t.id = ANY(targets) ORDER BY t.id FOR UPDATE;
    WITH made AS (
        INSERT INTO portreeve.delivery
        SELECT w.position, t.id, 0, 0, instant, NULL, ''
        FROM unnest(positions, targets) AS w(position, target)
        JOIN portreeve.delivery_target t ON t.id = w.target AND t.state < 2
        WHERE w.position = ANY(first_time)
        ON CONFLICT DO NOTHING RETURNING delivery.target
    ), counted AS (
        SELECT m.target, count(*) AS number FROM made m GROUP BY 1
    )
    UPDATE portreeve.delivery_target t SET waiting = t.waiting + c.number,
        due_at = CASE WHEN t.state = 0 THEN least(t.due_at, instant) END
    FROM counted c WHERE t.id = c.target;
    PERFORM pg_notify('portreeve_deliveries', '');
END $$;

CREATE FUNCTION portreeve.claim_deliveries(most integer, number bigint, ahead bigint)
RETURNS TABLE (at_position bigint, to_target bigint, tried integer) LANGUAGE plpgsql AS $$
DECLARE
    instant bigint := portreeve.delivery_clock(ahead);
    which record;
    claimed bigint;
    taken integer;
    remaining integer := most;
BEGIN
    FOR which IN
        SELECT t.id, t.failing_since FROM portreeve.delivery_target t
        WHERE t.due_at <= instant ORDER BY t.due_at LIMIT most FOR UPDATE SKIP LOCKED
    LOOP
        SELECT count(*) INTO claimed FROM portreeve.delivery d
            WHERE d.target = which.id AND d.claim IS NOT NULL AND d.due_at > instant;
        RETURN QUERY UPDATE portreeve.delivery d
            SET claim = number, due_at = instant + 45000, tries = d.tries + 1
            WHERE d.target = which.id AND d.position IN (
                SELECT p.position FROM portreeve.delivery p
                WHERE p.target = which.id AND p.state = 0 AND p.due_at <= instant ORDER BY p.due_at
                LIMIT least(remaining,
                    greatest(CASE WHEN which.failing_since IS NULL THEN 4 ELSE 1 END - claimed, 0))
            )
            RETURNING d.position, d.target, d.tries;
        GET DIAGNOSTICS taken = ROW_COUNT;
        remaining := remaining - taken;
        PERFORM portreeve.refresh_target(which.id, instant);
        EXIT WHEN remaining <= 0;
    END LOOP;
END $$;

-- Answers, for each, with 0 (nothing was changed), 1 (it is noted) or 2 (and its target is disabled).
CREATE FUNCTION portreeve.complete_deliveries(
    positions bigint[], targets bigint[], claims bigint[], states integer[], agains bigint[], endings text[],
    are_delivered boolean[], are_gone boolean[], ahead bigint
) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
    instant bigint;
    outcomes integer[] := '{}';
BEGIN
    PERFORM FROM portreeve.delivery_target t WHERE t.id = ANY(targets) ORDER BY t.id FOR UPDATE;
    instant := portreeve.delivery_clock(ahead);
    FOR i IN 1..cardinality(positions) LOOP
        UPDATE portreeve.delivery d SET state = states[i], claim = NULL, due_at = instant + agains[i],
            attempts = right(d.attempts || instant || endings[i], 1000)
            WHERE d.position = positions[i] AND d.target = targets[i] AND d.claim = claims[i];
        IF NOT FOUND THEN
            outcomes := outcomes || 0;
            CONTINUE;
        END IF;
        UPDATE portreeve.delivery_target t
            SET waiting = t.waiting - CASE WHEN states[i] <> 0 THEN 1 ELSE 0 END,
            failing_since = CASE WHEN are_delivered[i] THEN NULL ELSE coalesce(t.failing_since, instant) END
            WHERE t.id = targets[i];
        UPDATE portreeve.delivery_target t SET state = 2
            WHERE t.id = targets[i] AND t.state < 2
            AND (are_gone[i] OR t.failing_since <= instant - 5 * 24 * 3600 * 1000::bigint);
        outcomes := outcomes || CASE WHEN FOUND THEN 2 ELSE 1 END;
        PERFORM portreeve.refresh_target(targets[i], instant);
    END LOOP;
    RETURN outcomes;
END $$;

-- `NULL` if the account has no such target; otherwise how many deliveries there are.
CREATE FUNCTION portreeve.repeat_deliveries(which bigint, of_account text, positions bigint[], ahead bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    instant bigint := portreeve.delivery_clock(ahead);
    ended bigint;
    found_all bigint;
BEGIN
    PERFORM FROM portreeve.delivery_target t
        WHERE t.id = which AND t.state < 3 AND t.account = coalesce(of_account, t.account) FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT count(*), count(*) FILTER (WHERE d.state <> 0) INTO found_all, ended FROM portreeve.delivery d
        WHERE d.position = ANY(positions) AND d.target = which;
    UPDATE portreeve.delivery d SET state = 0, tries = 0, due_at = instant
        WHERE d.position = ANY(positions) AND d.target = which AND d.claim IS NULL;
    UPDATE portreeve.delivery_target t SET waiting = t.waiting + ended WHERE t.id = which;
    PERFORM portreeve.refresh_target(which, instant);
    PERFORM pg_notify('portreeve_deliveries', '');
    RETURN found_all;
END $$;

CREATE FUNCTION portreeve.change_target(
    which bigint, of_account text, from_revision bigint, to_state integer, bytes bytea, ahead bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE portreeve.delivery_target t SET sealed = bytes, revision = t.revision + 1,
        failing_since = CASE WHEN t.state = 2 THEN NULL ELSE t.failing_since END, state = to_state
        WHERE t.id = which AND t.revision = from_revision AND t.state < 3
        AND t.account = coalesce(of_account, t.account);
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM portreeve.refresh_target(which, portreeve.delivery_clock(ahead));
    RETURN true;
END $$;

CREATE FUNCTION portreeve.add_target(
    new_id bigint, of_account text, to_state integer, bytes bytea, most bigint, ahead bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    -- Two that are added together count each other.
    PERFORM pg_advisory_xact_lock(x'74617267'::integer, hashtext(of_account));
    IF (SELECT count(*) FROM portreeve.delivery_target t WHERE t.account = of_account AND t.state < 3) >= most THEN
        RETURN false;
    END IF;
    INSERT INTO portreeve.delivery_target
        VALUES (new_id, of_account, to_state, 1, portreeve.delivery_clock(ahead), NULL, 0, NULL, bytes);
    RETURN true;
END $$;

CREATE FUNCTION portreeve.clean_deliveries(keep bigint, ahead bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    instant bigint := portreeve.delivery_clock(ahead);
    gone bigint[];
    affected bigint[];
    removed bigint;
    which bigint;
BEGIN
    -- One gateway does it while others pass on.
    IF NOT pg_try_advisory_xact_lock(x'636c65616e'::bigint) THEN
        RETURN 0;
    END IF;
    SELECT coalesce(array_agg(o.position), '{}') INTO gone FROM (
        SELECT r.position, r.received_at FROM portreeve.receipt r ORDER BY r.position LIMIT 250
    ) o WHERE o.received_at <= instant - keep;
    IF cardinality(gone) > 0 THEN
        SELECT array_agg(DISTINCT d.target) INTO affected FROM portreeve.delivery d
            WHERE d.position = ANY(gone) AND d.state = 0;
        PERFORM FROM portreeve.delivery_target t WHERE t.id = ANY(affected) ORDER BY t.id FOR UPDATE;
        WITH d AS (
            DELETE FROM portreeve.delivery d WHERE d.position = ANY(gone) RETURNING d.target, d.state
        ), c AS (
            SELECT d.target, count(*) AS number FROM d WHERE d.state = 0 GROUP BY 1
        )
        UPDATE portreeve.delivery_target t SET waiting = t.waiting - c.number FROM c WHERE t.id = c.target;
        PERFORM portreeve.refresh_target(a, instant) FROM unnest(affected) AS a;
        DELETE FROM portreeve.unmatched_receipt u WHERE u.position = ANY(gone);
        WITH r AS (
            DELETE FROM portreeve.receipt r WHERE r.position = ANY(gone) RETURNING r.position, r.sealed
        ), c AS (
            SELECT substring(r.sealed FROM 1 FOR 9) AS header, count(*) AS number,
                sum(length(r.sealed) + 512) AS size, max(r.position) AS through FROM r GROUP BY 1
        )
        UPDATE portreeve.receipt_total t SET receipts = t.receipts - c.number, bytes = t.bytes - c.size,
            removed_through = greatest(t.removed_through, c.through) FROM c WHERE t.sealed = c.header;
    END IF;
    SELECT t.id INTO which FROM portreeve.delivery_target t WHERE t.state = 3 LIMIT 1;
    IF NOT FOUND THEN
        RETURN cardinality(gone);
    END IF;
    DELETE FROM portreeve.delivery d WHERE d.target = which AND d.position IN (
        SELECT p.position FROM portreeve.delivery p WHERE p.target = which LIMIT 250
    );
    GET DIAGNOSTICS removed = ROW_COUNT;
    IF removed = 0 THEN
        DELETE FROM portreeve.delivery_target t WHERE t.id = which;
        removed := 1;
    END IF;
    RETURN cardinality(gone) + removed;
END $$;
"#;

-- One schema on two engines: hypertables where TimescaleDB is loaded, declarative range partitions elsewhere.
-- Tables, keys and queries are the same on both.

CREATE FUNCTION timeseries_engine() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'timescaledb')
                THEN 'timescaledb' ELSE 'postgresql' END
$$;

DO $$
BEGIN
    IF current_setting('shared_preload_libraries') ~ 'timescaledb'
       AND EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'timescaledb') THEN
        BEGIN
            CREATE EXTENSION IF NOT EXISTS timescaledb;
        EXCEPTION WHEN insufficient_privilege THEN
            RAISE NOTICE 'timescaledb is loaded but may not be created here: using plain partitions';
        END;
    END IF;
END
$$;

CREATE TABLE timeseries_tables (
    table_name text PRIMARY KEY,
    time_column text NOT NULL,
    partition_step interval NOT NULL,
    -- Rows older than this are dropped with their partition; null keeps them.
    keep interval
);

-- Creates the partitions that cover [p_from, p_to); returns the number of missing ones.
CREATE FUNCTION timeseries_ensure(p_table text, p_from timestamptz, p_to timestamptz) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    step interval;
    lower_bound timestamptz;
    upper_bound timestamptz;
    partition_name text;
    made integer := 0;
BEGIN
    IF timeseries_engine() = 'timescaledb' THEN
        RETURN 0;
    END IF;
    SELECT partition_step INTO STRICT step FROM timeseries_tables WHERE table_name = p_table;
    -- Many workers may ask at once; one makes them.
    PERFORM pg_advisory_xact_lock(hashtext('timeseries_ensure:' || p_table));
    lower_bound := date_bin(step, p_from, '2000-01-03Z');
    WHILE lower_bound < p_to LOOP
        upper_bound := lower_bound + step;
        partition_name := p_table || '_p' || to_char(lower_bound AT TIME ZONE 'UTC', 'YYYYMMDD');
        IF to_regclass(partition_name) IS NULL THEN
            -- Created apart and attached, so that readers and writers of the table are not blocked.
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition_name, p_table);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                           p_table, partition_name, lower_bound, upper_bound);
            made := made + 1;
        END IF;
        lower_bound := upper_bound;
    END LOOP;
    RETURN made;
END
$$;

-- Drops the data that is wholly before p_before; returns the number of dropped partitions or chunks.
CREATE FUNCTION timeseries_drop_before(p_table text, p_before timestamptz) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    part record;
    dropped integer := 0;
BEGIN
    IF timeseries_engine() = 'timescaledb' THEN
        EXECUTE format('SELECT count(*) FROM drop_chunks(%L::regclass, %L::timestamptz)', p_table, p_before) INTO dropped;
        RETURN dropped;
    END IF;
    FOR part IN
        SELECT child.oid::regclass AS name,
               (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'TO \(''([^'']+)''\)'))[1]::timestamptz AS upper_bound
        FROM pg_inherits JOIN pg_class child ON child.oid = pg_inherits.inhrelid
        WHERE pg_inherits.inhparent = p_table::regclass
    LOOP
        IF part.upper_bound <= p_before THEN
            EXECUTE format('DROP TABLE %s', part.name);
            dropped := dropped + 1;
        END IF;
    END LOOP;
    RETURN dropped;
END
$$;

-- Time from now to the end of the newest partition; null on TimescaleDB, which creates chunks by itself.
CREATE FUNCTION timeseries_ahead(p_table text) RETURNS interval LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN timeseries_engine() = 'timescaledb' THEN NULL ELSE
        coalesce((SELECT max((regexp_match(pg_get_expr(child.relpartbound, child.oid), 'TO \(''([^'']+)''\)'))[1]::timestamptz)
                  FROM pg_inherits JOIN pg_class child ON child.oid = pg_inherits.inhrelid
                  WHERE pg_inherits.inhparent = p_table::regclass) - now(), interval '0') END
$$;

-- Declares a table of rows over time. p_columns is the text between the parentheses of CREATE TABLE.
CREATE FUNCTION timeseries_create(p_table text, p_columns text, p_time text, p_step interval, p_keep interval)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF timeseries_engine() = 'timescaledb' THEN
        EXECUTE format('CREATE TABLE %I (%s)', p_table, p_columns);
        EXECUTE format('SELECT create_hypertable(%L, %L, chunk_time_interval => %L::interval, create_default_indexes => false)',
                       p_table, p_time, p_step);
    ELSE
        EXECUTE format('CREATE TABLE %I (%s) PARTITION BY RANGE (%I)', p_table, p_columns, p_time);
    END IF;
    INSERT INTO timeseries_tables VALUES (p_table, p_time, p_step, p_keep);
    PERFORM timeseries_ensure(p_table, now() - p_step, now() + 3 * p_step);
END
$$;

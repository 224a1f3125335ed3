-- Usage of accounts, their extensions and their keys by hour, and budgets (reference/usage.md).

-- Counts of an hour of UTC. Subject is the account itself, an extension in it or a key of it.
CREATE TABLE usage_hours (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    subject_kind text NOT NULL CHECK (subject_kind IN ('account', 'extension', 'key')),
    -- Account, extension or key. Counts outlive extensions and keys.
    subject_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    requests bigint NOT NULL DEFAULT 0,
    -- Time of handlers in microseconds.
    handler_us bigint NOT NULL DEFAULT 0,
    fetches bigint NOT NULL DEFAULT 0,
    messages bigint NOT NULL DEFAULT 0,
    -- Bytes at the last measurement.
    stored_bytes bigint NOT NULL DEFAULT 0,
    -- A budget reads the hours of one subject, however many others there are.
    PRIMARY KEY (account_id, subject_kind, subject_id, hour)
) WITH (fillfactor = 75);
-- Lists of an account, newest hour first.
CREATE INDEX usage_hours_list ON usage_hours (account_id, subject_kind, hour DESC, subject_id);
CREATE INDEX usage_hours_hour ON usage_hours (hour);

-- Batches of counts that were added to hours, so that none is added twice. The sums are those of the batch.
CREATE TABLE usage_batches (
    id uuid PRIMARY KEY,
    requests bigint NOT NULL,
    handler_us bigint NOT NULL,
    fetches bigint NOT NULL,
    messages bigint NOT NULL,
    stored_at timestamptz NOT NULL
);
CREATE INDEX usage_batches_stored ON usage_batches (stored_at);

-- Stored bytes as last measured.
CREATE TABLE usage_storage (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    subject_kind text NOT NULL CHECK (subject_kind IN ('account', 'extension')),
    subject_id uuid NOT NULL,
    bytes bigint NOT NULL CHECK (bytes >= 0),
    PRIMARY KEY (account_id, subject_kind, subject_id)
);

-- Position of the measurement of stored bytes: accounts up to this one are measured; null when a round is complete.
CREATE TABLE usage_sweeps (
    sweep text PRIMARY KEY,
    after_account uuid,
    began_at timestamptz NOT NULL
);
INSERT INTO usage_sweeps (sweep, began_at) VALUES ('storage', '1970-01-01T00:00:00Z');

CREATE TABLE usage_budgets (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    subject_kind text NOT NULL CHECK (subject_kind IN ('account', 'extension', 'key')),
    subject_id uuid NOT NULL,
    unit text NOT NULL CHECK (unit IN ('requests', 'handler_ms', 'fetches', 'messages', 'stored_bytes')),
    period text NOT NULL CHECK (period IN ('hour', 'day', 'month')),
    maximum bigint NOT NULL CHECK (maximum BETWEEN 1 AND 1000000000000000),
    -- Share of the maximum at which members are notified; null for none.
    warn_percent smallint CHECK (warn_percent BETWEEN 1 AND 99),
    -- True when use is refused from the maximum on.
    is_stopping boolean NOT NULL,
    -- Begin of the last period in which the budget has warned, and in which its maximum was reached.
    warned_period timestamptz,
    reached_period timestamptz,
    -- End of the period in which use is refused; null when it is not.
    stopped_until timestamptz,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (account_id, subject_kind, subject_id, unit, period)
);
CREATE INDEX usage_budgets_created_by ON usage_budgets (created_by);
CREATE INDEX usage_budgets_stopped ON usage_budgets (stopped_until) WHERE stopped_until IS NOT NULL;

-- Accounts whose budgets are to be compared with changed counts.
CREATE TABLE usage_marks (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    marked_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX usage_marks_marked ON usage_marks (marked_at);

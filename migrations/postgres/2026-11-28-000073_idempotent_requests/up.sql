-- Requests with an `Idempotency-Key` of the last 24 hours and their answers (reference/conventions.md#idempotency). No
-- foreign keys: they would lock the account last, in another order than the operations do.

CREATE TABLE idempotent_requests (
    -- Version 7: its order is that of time.
    id uuid PRIMARY KEY,
    -- Version 8: hash of caller, method, path and key.
    request uuid NOT NULL UNIQUE,
    account_id uuid,
    user_id uuid,
    operation text NOT NULL CHECK (length(operation) BETWEEN 1 AND 100),
    -- Hash of key, query and body.
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    -- Null while a claim runs.
    status smallint CHECK (status BETWEEN 200 AND 599),
    headers jsonb,
    -- Keeps the bytes of the answer; `null` for an answer without a body. Null beside a status: not repeatable.
    answer json,
    sealed_answer bytea,
    started_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    CHECK (answer IS NULL OR sealed_answer IS NULL)
);
CREATE INDEX idempotent_requests_created ON idempotent_requests (created_at);
CREATE INDEX idempotent_requests_account ON idempotent_requests (account_id);
CREATE INDEX idempotent_requests_user ON idempotent_requests (user_id);

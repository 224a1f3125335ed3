-- A row is kept until its job has ended, so that the job is added again when Redis has lost it.
ALTER TABLE outbox ADD COLUMN relayed_at timestamptz;
DROP INDEX outbox_created;
CREATE INDEX outbox_waiting ON outbox (created_at) WHERE refusal IS NULL AND relayed_at IS NULL;
CREATE INDEX outbox_relayed ON outbox (queue, relayed_at) WHERE relayed_at IS NOT NULL;

ALTER TABLE webhook_inbox
    -- True when it was handled before and its results were lost with the data of Redis.
    ADD COLUMN is_reopened boolean NOT NULL DEFAULT false,
    -- True when handlers were to run for it when it was handled.
    ADD COLUMN has_triggered boolean NOT NULL DEFAULT true;

-- Progress of the work that Redis holds. One row.
CREATE TABLE redis_checkpoint (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    -- Counter of checks. Redis keeps the number too: when it has none or a lower one, it has lost data. 0:
    -- never checked.
    number bigint NOT NULL DEFAULT 0,
    checked_at timestamptz NOT NULL DEFAULT '-infinity',
    -- The results of deliveries that were handled before this time are stored, and their handlers have run.
    settled_until timestamptz NOT NULL DEFAULT now(),
    -- Time at which a loss of data was found; null when none is being repaired.
    lost_at timestamptz
);
INSERT INTO redis_checkpoint DEFAULT VALUES;

-- A row stays until its job has ended, so that the job comes again when Redis has lost it.
ALTER TABLE outbox ADD COLUMN relayed_at timestamptz;
DROP INDEX outbox_created;
CREATE INDEX outbox_waiting ON outbox (created_at) WHERE refusal IS NULL AND relayed_at IS NULL;
CREATE INDEX outbox_relayed ON outbox (queue, relayed_at) WHERE relayed_at IS NOT NULL;

ALTER TABLE webhook_inbox
    -- Handled once already; what it came to was lost with the data of Redis.
    ADD COLUMN is_reopened boolean NOT NULL DEFAULT false,
    -- Whether handlers were to run for it when it was handled.
    ADD COLUMN has_triggered boolean NOT NULL DEFAULT true;

-- How far the work that Redis holds is done. One row.
CREATE TABLE redis_checkpoint (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    -- Counts the checks. Redis keeps the number too: when it has none or a lower one, it has lost data. 0: never checked.
    number bigint NOT NULL DEFAULT 0,
    checked_at timestamptz NOT NULL DEFAULT '-infinity',
    -- What deliveries that were handled before came to is stored, and their handlers have run.
    settled_until timestamptz NOT NULL DEFAULT now(),
    -- While a loss of data is being made good: when it was found.
    lost_at timestamptz
);
INSERT INTO redis_checkpoint DEFAULT VALUES;

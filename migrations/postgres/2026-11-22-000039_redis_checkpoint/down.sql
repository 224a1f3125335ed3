DROP TABLE redis_checkpoint;
ALTER TABLE webhook_inbox DROP COLUMN is_reopened, DROP COLUMN has_triggered;
DELETE FROM outbox WHERE relayed_at IS NOT NULL;
DROP INDEX outbox_waiting, outbox_relayed;
ALTER TABLE outbox DROP COLUMN relayed_at;
CREATE INDEX outbox_created ON outbox (created_at) WHERE refusal IS NULL;

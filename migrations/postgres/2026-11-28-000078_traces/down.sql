CREATE INDEX automation_runs_automation ON automation_runs (account_id, automation_id, created_at DESC);
DROP INDEX automation_runs_list;

ALTER TABLE outbox DROP COLUMN traceparent;

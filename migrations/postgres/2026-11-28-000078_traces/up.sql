-- Place in the trace of the work that added the job (reference/telemetry.md#traces).
ALTER TABLE outbox ADD COLUMN traceparent text;

-- The whole order of the list, so that a cursor bounds the index.
CREATE INDEX automation_runs_list ON automation_runs (account_id, automation_id, created_at DESC, id DESC);
DROP INDEX automation_runs_automation;

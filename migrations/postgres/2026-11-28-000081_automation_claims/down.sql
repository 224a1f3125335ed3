CREATE INDEX automation_runs_queued ON automation_runs (account_id, created_at) WHERE status = 'queued';
CREATE INDEX automation_runs_running ON automation_runs (account_id) WHERE status = 'running';
DROP INDEX automation_runs_delayed, automation_runs_leased, automation_runs_waiting;

-- A claim reads the first row of each index, however many runs of the account wait or are delayed
-- (reference/automations.md#execution). Without the whole order the oldest of many runs of the same time was found by
-- sorting all of them.
CREATE INDEX automation_runs_waiting ON automation_runs (account_id, created_at, id) WHERE status = 'queued';
CREATE INDEX automation_runs_leased ON automation_runs (account_id, lease_until)
    WHERE status = 'running' AND lease_until IS NOT NULL;
CREATE INDEX automation_runs_delayed ON automation_runs (account_id, wake_at)
    WHERE status = 'running' AND wake_at IS NOT NULL;
DROP INDEX automation_runs_queued, automation_runs_running;

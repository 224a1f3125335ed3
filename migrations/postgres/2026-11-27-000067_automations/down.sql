-- Rows that name automations stay.
ALTER TABLE audit_log
    DROP CONSTRAINT audit_log_actor_type_check,
    ADD CONSTRAINT audit_log_actor_type_check
        CHECK (actor_type IN ('user', 'service_key', 'system', 'extension')) NOT VALID;
ALTER TABLE moderation_log
    DROP CONSTRAINT moderation_log_moderator_type_check,
    ADD CONSTRAINT moderation_log_moderator_type_check
        CHECK (moderator_type IN ('user', 'service_key', 'extension', 'system')) NOT VALID;
DROP TABLE automation_steps;
DROP INDEX automation_runs_cancelled, automation_runs_leases, automation_runs_wakes, automation_runs_running, automation_runs_queued;
ALTER TABLE automation_runs
    DROP CONSTRAINT automation_runs_tenant,
    DROP COLUMN parent_run_id,
    DROP COLUMN is_test,
    DROP COLUMN lease_owner,
    DROP COLUMN lease_until,
    DROP COLUMN cancel_requested_at,
    DROP COLUMN busy_ms,
    DROP COLUMN wake_at,
    DROP COLUMN context,
    DROP COLUMN graph,
    DROP COLUMN depth;
DROP TABLE automation_edges;
DROP TABLE automation_nodes;
DROP INDEX automations_list, automations_due;
ALTER TABLE automations DROP COLUMN next_run_at;
ALTER TABLE plans DROP COLUMN max_automations;

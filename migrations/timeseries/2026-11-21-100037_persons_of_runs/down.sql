DROP INDEX extension_failed_runs_named;
ALTER TABLE extension_failed_runs DROP COLUMN person_ids;

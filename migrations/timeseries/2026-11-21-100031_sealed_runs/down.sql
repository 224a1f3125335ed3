DROP INDEX extension_failed_runs_person;
DELETE FROM extension_failed_runs;
ALTER TABLE extension_failed_runs DROP COLUMN user_id;
ALTER TABLE extension_failed_runs DROP COLUMN run;
ALTER TABLE extension_failed_runs ADD COLUMN run text NOT NULL;

-- Failed runs hold what chatters wrote and what services answered: they are sealed like secrets. No statement can seal
-- those that are there, and they would be forgotten within seven days.

DELETE FROM extension_failed_runs;
ALTER TABLE extension_failed_runs DROP COLUMN run;
-- JSON of input, answers of the host, clock and seed, sealed.
ALTER TABLE extension_failed_runs ADD COLUMN run bytea NOT NULL;
-- The person of Lumio who called a server function.
ALTER TABLE extension_failed_runs ADD COLUMN user_id uuid;
CREATE INDEX extension_failed_runs_person ON extension_failed_runs (user_id) WHERE user_id IS NOT NULL;

-- Failed runs hold texts of chatters and responses of services, so they are encrypted like secrets. No
-- statement can encrypt existing rows, which would be deleted within seven days anyway.

DELETE FROM extension_failed_runs;
ALTER TABLE extension_failed_runs DROP COLUMN run;
-- JSON of input, replies of the host, clock and seed, encrypted.
ALTER TABLE extension_failed_runs ADD COLUMN run bytea NOT NULL;
-- User who called a server function.
ALTER TABLE extension_failed_runs ADD COLUMN user_id uuid;
CREATE INDEX extension_failed_runs_person ON extension_failed_runs (user_id) WHERE user_id IS NOT NULL;

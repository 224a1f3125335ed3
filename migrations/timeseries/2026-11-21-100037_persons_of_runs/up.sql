-- Whom a failed run names, so that they can be erased from what is sealed: whatever looks like the id of somebody in its
-- input, in what its host answered and in how it failed. `*` says that it may name anybody: more people than are noted, or a run from before there were notes.
ALTER TABLE extension_failed_runs ADD COLUMN person_ids text[] NOT NULL DEFAULT '{*}';
CREATE INDEX extension_failed_runs_named ON extension_failed_runs USING gin (person_ids);

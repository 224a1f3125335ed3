-- Persons that a failed run names, so that they can be erased from encrypted data: every text that looks like
-- an id of a person in its input, in the replies of its host and in its error. `*` means that it may name
-- anyone: more people than are recorded, or a run from before this column.
ALTER TABLE extension_failed_runs ADD COLUMN person_ids text[] NOT NULL DEFAULT '{*}';
CREATE INDEX extension_failed_runs_named ON extension_failed_runs USING gin (person_ids);

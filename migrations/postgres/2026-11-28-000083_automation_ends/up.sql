-- Time from which the end of a run is published by any copy: the one that executed it may have died before it did. Null:
-- the end is published, or there is none.
ALTER TABLE automation_runs ADD COLUMN publish_end_at timestamptz;
CREATE INDEX automation_runs_unpublished ON automation_runs (publish_end_at) WHERE publish_end_at IS NOT NULL;

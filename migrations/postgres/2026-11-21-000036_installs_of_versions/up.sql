-- The roll-out looks at the installs of a version, a batch at a time; who is told that an install stopped, only at those
-- who were not told yet.
CREATE INDEX extension_installs_version ON extension_installs (version_id, id);
CREATE INDEX extension_installs_untold ON extension_installs (version_id, id) WHERE stop_told_at IS NULL;

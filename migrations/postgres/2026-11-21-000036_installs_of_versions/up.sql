-- The roll-out reads the installs of a version, a batch at a time. Notifications about stopped installs read
-- only those that were not notified yet.
CREATE INDEX extension_installs_version ON extension_installs (version_id, id);
CREATE INDEX extension_installs_untold ON extension_installs (version_id, id) WHERE stop_told_at IS NULL;

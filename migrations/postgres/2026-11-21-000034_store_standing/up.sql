-- What security takes back, and whom it concerns (specification C B1.2, B1.3, B1.5).

ALTER TABLE extensions
    ADD COLUMN suspended_at timestamptz,
    -- What the status would be without the suspension: what developers and reviewers do meanwhile moves this one.
    ADD COLUMN suspended_from text
        CHECK (suspended_from IN ('in_review', 'testing', 'pending_publish', 'approved', 'rejected', 'archived')),
    ADD COLUMN suspension_reason text CHECK (length(suspension_reason) BETWEEN 1 AND 2000),
    ADD CONSTRAINT extensions_suspension_check CHECK (suspended_from IS NULL OR status = 'suspended');

-- When the account was told that the install does not run; null while it runs.
ALTER TABLE extension_installs ADD COLUMN stop_told_at timestamptz;
CREATE INDEX extension_installs_stopped ON extension_installs (extension_id) WHERE stop_told_at IS NOT NULL;

-- Revocations and suspensions, and the accounts that they concern
-- (reference/developers.md#revoke-and-suspend).

ALTER TABLE extensions
    ADD COLUMN suspended_at timestamptz,
    -- Status without the suspension. Developers and reviewers change this one meanwhile.
    ADD COLUMN suspended_from text
        CHECK (suspended_from IN ('in_review', 'testing', 'pending_publish', 'approved', 'rejected', 'archived')),
    ADD COLUMN suspension_reason text CHECK (length(suspension_reason) BETWEEN 1 AND 2000),
    ADD CONSTRAINT extensions_suspension_check CHECK (suspended_from IS NULL OR status = 'suspended');

-- Time at which the account was notified that the install does not run; null while it runs.
ALTER TABLE extension_installs ADD COLUMN stop_told_at timestamptz;
CREATE INDEX extension_installs_stopped ON extension_installs (extension_id) WHERE stop_told_at IS NOT NULL;

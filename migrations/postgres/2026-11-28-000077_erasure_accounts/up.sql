-- Accounts of an erasure, whose audit entries are written in parts (reference/privacy.md#record-of-an-erasure).
ALTER TABLE privacy_erasures
    ADD COLUMN account_ids uuid[] NOT NULL DEFAULT '{}',
    -- Number of accounts, from the first, that have their entry.
    ADD COLUMN entered_accounts integer NOT NULL DEFAULT 0;
CREATE INDEX privacy_erasures_interrupted ON privacy_erasures (started_at)
    WHERE entered_accounts < cardinality(account_ids);

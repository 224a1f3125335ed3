-- What each account has spent of the daily quota of an application that accounts share.
CREATE TABLE platform_quota_shares (
    platform text NOT NULL,
    client_id text NOT NULL,
    -- The day as the platform counts it.
    day date NOT NULL,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    used bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (platform, client_id, day, account_id)
);
CREATE INDEX platform_quota_shares_day ON platform_quota_shares (day);
CREATE INDEX platform_quota_shares_account ON platform_quota_shares (account_id);

-- Since when a connection is of its channel: what was said before was said in another. Null: it never was of another.
ALTER TABLE channel_connections ADD COLUMN channel_since timestamptz;

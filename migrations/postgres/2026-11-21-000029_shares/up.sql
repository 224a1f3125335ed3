-- Part of the daily quota of a shared application that each account has spent.
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

-- Time since which a connection has its present channel: earlier events belong to another one. Null: it
-- always had this channel.
ALTER TABLE channel_connections ADD COLUMN channel_since timestamptz;

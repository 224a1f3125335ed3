-- Data that outlives a connection: the pause of its bot, and the revocation at its platform.

-- Bots that operator staff paused, independent of the channel's connection. The account's own switch is
-- `channel_connections.bot_enabled`.
CREATE TABLE bot_pauses (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL,
    paused_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, platform)
);
INSERT INTO bot_pauses (account_id, platform, paused_at)
    SELECT account_id, platform, bot_paused_at FROM channel_connections WHERE bot_paused_at IS NOT NULL;
ALTER TABLE channel_connections DROP COLUMN bot_paused_at;

ALTER TABLE token_revocations
    -- Owner of the tokens on the platform, and the user of ours who connected it (no foreign key: the row
    -- outlives the user). Some platforms end every grant of a user and application at once, so other
    -- connections are searched for first.
    ADD COLUMN owner_id text,
    ADD COLUMN user_id uuid,
    -- Secret of an application that is deleted together with its account.
    ADD COLUMN client_secret bytea,
    -- Ids on the platform of the deliveries that are to end.
    ADD COLUMN subscriptions text[] NOT NULL DEFAULT '{}';

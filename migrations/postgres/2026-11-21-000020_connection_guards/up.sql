-- What outlives a connection: the pause of its bot, and what its platform is to be told when it ends.

-- Bots that operator staff paused, whatever becomes of the channel's connection meanwhile. The account's own switch is
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
    -- Whom the tokens spoke for, and which of our users connected it (no foreign key: the row outlives the user): some
    -- platforms end every grant of a user and application at once, so others are looked for first.
    ADD COLUMN owner_id text,
    ADD COLUMN user_id uuid,
    -- The secret of an application that goes together with its account.
    ADD COLUMN client_secret bytea,
    -- The platform's ids of the deliveries that are to end.
    ADD COLUMN subscriptions text[] NOT NULL DEFAULT '{}';

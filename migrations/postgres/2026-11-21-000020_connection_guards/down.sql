ALTER TABLE token_revocations
    DROP COLUMN owner_id, DROP COLUMN user_id, DROP COLUMN client_secret, DROP COLUMN subscriptions;

ALTER TABLE channel_connections ADD COLUMN bot_paused_at timestamptz;
UPDATE channel_connections c SET bot_paused_at = p.paused_at
    FROM bot_pauses p WHERE p.account_id = c.account_id AND p.platform = c.platform;
DROP TABLE bot_pauses;

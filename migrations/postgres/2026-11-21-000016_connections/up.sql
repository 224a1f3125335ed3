-- Connections to platforms, the applications that they are made with, and dependent data
-- (reference/connections.md#connections). Every secret is encrypted (key id, nonce, ciphertext) and bound to
-- its table, column and row.

ALTER TABLE channel_connections
    -- Application of the source that issued the tokens. Only this one can refresh them.
    ADD COLUMN credential_app text NOT NULL DEFAULT 'channel' CHECK (credential_app IN ('channel', 'bot', 'login')),
    -- Public identifier of the application; null when the tokens were set by hand.
    ADD COLUMN client_id text,
    ADD COLUMN flagged_at timestamptz,
    -- Grows with every change of the tokens, so that two writers never overwrite each other.
    ADD COLUMN token_version bigint NOT NULL DEFAULT 0,
    -- Set by operator staff; the account's own switch is bot_enabled.
    ADD COLUMN bot_paused_at timestamptz;
CREATE INDEX channel_connections_expiring ON channel_connections (expires_at)
    WHERE refresh_token IS NOT NULL AND NOT reconnect_required;
CREATE INDEX channel_connections_connected_by ON channel_connections (connected_by);

ALTER TABLE login_connections
    ADD COLUMN refresh_token bytea,
    ADD COLUMN expires_at timestamptz,
    ADD COLUMN client_id text,
    ADD COLUMN flagged_at timestamptz,
    ADD COLUMN token_version bigint NOT NULL DEFAULT 0;
CREATE INDEX login_connections_expiring ON login_connections (expires_at)
    WHERE refresh_token IS NOT NULL AND NOT reconnect_required;

CREATE TABLE bot_connections (
    id uuid PRIMARY KEY,
    -- Null: the bot of the deployment, which serves every account without its own.
    account_id uuid REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL,
    bot_user_id text NOT NULL,
    bot_username text NOT NULL,
    display_name text NOT NULL,
    avatar_url text,
    scopes text[] NOT NULL DEFAULT '{}',
    credential_source text NOT NULL CHECK (credential_source IN ('system', 'account')),
    credential_app text NOT NULL CHECK (credential_app IN ('channel', 'bot', 'login')),
    client_id text,
    access_token bytea,
    refresh_token bytea,
    expires_at timestamptz,
    reconnect_required boolean NOT NULL DEFAULT false,
    flagged_at timestamptz,
    token_version bigint NOT NULL DEFAULT 0,
    connected_by uuid REFERENCES users ON DELETE SET NULL,
    connected_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- The deployment, too, has one bot per platform.
    UNIQUE NULLS NOT DISTINCT (account_id, platform),
    CHECK (account_id IS NOT NULL OR credential_source = 'system')
);
CREATE INDEX bot_connections_expiring ON bot_connections (expires_at)
    WHERE refresh_token IS NOT NULL AND NOT reconnect_required;
CREATE INDEX bot_connections_connected_by ON bot_connections (connected_by);

-- An account's own application on a platform: one record (reference/connections.md#app-credentials). One of
-- kind `channel` serves bots too where the platform allows it; one of kind `bot` serves bots only.
CREATE TABLE app_credentials (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('channel', 'bot')),
    client_id text NOT NULL,
    client_secret bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, platform)
);

-- The deployment's applications, one per platform and kind.
CREATE TABLE system_connections (
    id uuid PRIMARY KEY,
    platform text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('channel', 'bot', 'login')),
    client_id text NOT NULL,
    client_secret bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (platform, kind)
);

-- Tokens of ended connections, until they are revoked at their platform.
CREATE TABLE token_revocations (
    id uuid PRIMARY KEY,
    account_id uuid REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL,
    credential_source text NOT NULL CHECK (credential_source IN ('system', 'account')),
    credential_app text NOT NULL CHECK (credential_app IN ('channel', 'bot', 'login')),
    client_id text,
    access_token bytea,
    refresh_token bytea,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX token_revocations_account ON token_revocations (account_id);
CREATE INDEX token_revocations_created ON token_revocations (created_at);

-- Deliveries of a platform that were requested for a connected channel.
CREATE TABLE webhook_subscriptions (
    connection_id uuid NOT NULL REFERENCES channel_connections ON DELETE CASCADE,
    event_type text NOT NULL,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- Id on the platform; null when the platform reported that the subscription exists already.
    platform_subscription_id text,
    -- Reason of the platform's refusal; null when it delivers.
    refusal text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (connection_id, event_type)
);
CREATE INDEX webhook_subscriptions_account ON webhook_subscriptions (account_id);

CREATE TABLE discord_guilds (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- Id on Discord. A server belongs to one account.
    guild_id text NOT NULL UNIQUE,
    name text NOT NULL,
    icon_url text,
    connected_by uuid REFERENCES users ON DELETE SET NULL,
    connected_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX discord_guilds_account ON discord_guilds (account_id, connected_at);
CREATE INDEX discord_guilds_connected_by ON discord_guilds (connected_by);

-- Channels of a server that features write to.
CREATE TABLE discord_guild_channels (
    discord_guild_id uuid NOT NULL REFERENCES discord_guilds ON DELETE CASCADE,
    feature text NOT NULL CHECK (feature IN ('live_notification', 'event_feed', 'chat_mirror')),
    channel_id text NOT NULL,
    PRIMARY KEY (discord_guild_id, feature)
);

-- Live state of connected channels, one row per broadcast.
CREATE TABLE channel_statuses (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    platform text NOT NULL,
    broadcast_id text,
    is_online boolean NOT NULL,
    broadcast_status text CHECK (broadcast_status IN ('live', 'upcoming')),
    stream_title text,
    category text,
    viewer_count bigint,
    like_count bigint,
    total_views bigint,
    started_at timestamptz,
    scheduled_start timestamptz,
    live_chat_id text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (account_id, platform, broadcast_id),
    FOREIGN KEY (account_id, platform) REFERENCES channel_connections (account_id, platform) ON DELETE CASCADE
);

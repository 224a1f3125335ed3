-- Tables that every domain writes beside its own rows: the audit log, the outbox and the webhook inbox.

CREATE TABLE audit_log (
    id uuid PRIMARY KEY,
    scope text NOT NULL CHECK (scope IN ('system', 'account', 'user')),
    account_id uuid,
    actor_type text NOT NULL CHECK (actor_type IN ('user', 'service_key', 'system', 'extension')),
    actor_id uuid,
    action text NOT NULL,
    resource_type text NOT NULL,
    resource_id text,
    metadata jsonb NOT NULL DEFAULT '{}',
    ip text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_log_account ON audit_log (account_id, created_at DESC, id DESC);
CREATE INDEX audit_log_created ON audit_log (created_at);

-- Jobs that must follow a commit. A row is deleted once the queue has taken the job.
CREATE TABLE outbox (
    id uuid PRIMARY KEY,
    queue text NOT NULL,
    payload jsonb NOT NULL,
    idempotency_key text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Reason why the queue never takes the job. The row is left for an operator.
    refusal text
);
CREATE INDEX outbox_created ON outbox (created_at) WHERE refusal IS NULL;

-- Webhook deliveries, written before the response (reference/ingest.md#deliveries).
CREATE TABLE webhook_inbox (
    id uuid PRIMARY KEY,
    platform text NOT NULL,
    delivery_id text NOT NULL,
    event_type text NOT NULL,
    body jsonb NOT NULL,
    -- The platform's own time of the delivery, which is part of the signed text.
    sent_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    handled_at timestamptz,
    UNIQUE (platform, delivery_id)
);
CREATE INDEX webhook_inbox_open ON webhook_inbox (received_at) WHERE handled_at IS NULL;
CREATE INDEX webhook_inbox_done ON webhook_inbox (handled_at) WHERE handled_at IS NOT NULL;

CREATE TABLE channel_connections (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    channel_name text NOT NULL,
    display_name text NOT NULL,
    avatar_url text,
    scopes text[] NOT NULL DEFAULT '{}',
    credential_source text NOT NULL CHECK (credential_source IN ('system', 'account')),
    access_token bytea,
    refresh_token bytea,
    bot_enabled boolean NOT NULL DEFAULT true,
    reconnect_required boolean NOT NULL DEFAULT false,
    expires_at timestamptz,
    connected_by uuid REFERENCES users ON DELETE SET NULL,
    connected_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, platform)
);
CREATE INDEX channel_connections_channel ON channel_connections (platform, platform_channel_id);

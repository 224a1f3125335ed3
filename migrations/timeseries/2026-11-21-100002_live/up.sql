-- Chat and events (reference/storage.md#rows-over-time). Keys contain the time because a partitioned key
-- must. A platform repeats a message with its own timestamp, so the key still stores it once.

SELECT timeseries_create('chat_messages', $$
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    platform text NOT NULL,
    platform_message_id text NOT NULL,
    platform_user_id text NOT NULL,
    username text NOT NULL,
    display_name text NOT NULL,
    color text,
    badges jsonb NOT NULL DEFAULT '[]',
    text text NOT NULL,
    fragments jsonb NOT NULL DEFAULT '[]',
    emotes jsonb NOT NULL DEFAULT '[]',
    reply_to text,
    is_deleted boolean NOT NULL DEFAULT false,
    is_action boolean NOT NULL DEFAULT false,
    sent_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, platform, platform_message_id, sent_at)
$$, 'sent_at', interval '7 days', NULL);
CREATE INDEX chat_messages_latest ON chat_messages (account_id, sent_at DESC, id DESC);
-- Messages of one user, for their removal.
CREATE INDEX chat_messages_user ON chat_messages (account_id, platform, platform_user_id, sent_at);

SELECT timeseries_create('events', $$
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    event_type text NOT NULL,
    platform text,
    platform_event_id text NOT NULL,
    platform_user_id text,
    username text,
    display_name text,
    avatar_url text,
    amount bigint,
    currency text,
    message text,
    data jsonb NOT NULL DEFAULT '{}',
    is_test boolean NOT NULL DEFAULT false,
    occurred_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, platform_event_id, occurred_at)
$$, 'occurred_at', interval '7 days', NULL);
CREATE INDEX events_latest ON events (account_id, occurred_at DESC, id DESC);

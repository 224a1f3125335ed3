-- Live broadcasts of YouTube, with the next page of their chats, at which a restart continues.
CREATE TABLE youtube_broadcasts (
    connection_id uuid NOT NULL REFERENCES channel_connections ON DELETE CASCADE,
    broadcast_id text NOT NULL,
    -- Null when the chat is switched off.
    live_chat_id text,
    title text NOT NULL,
    -- Start of the broadcast; time of its discovery where YouTube does not report one.
    started_at timestamptz NOT NULL,
    -- Messages from long before are history.
    found_at timestamptz NOT NULL,
    -- Token of the next page of the chat; null before the first.
    page_token text,
    PRIMARY KEY (connection_id, broadcast_id)
);

-- Units of a platform's daily quota that an application has spent.
CREATE TABLE platform_quotas (
    platform text NOT NULL,
    client_id text NOT NULL,
    -- The day as the platform counts it.
    day date NOT NULL,
    used bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (platform, client_id, day)
);
CREATE INDEX platform_quotas_day ON platform_quotas (day);

-- Health of connections: time of the last event of each type.
CREATE TABLE connection_events (
    connection_id uuid NOT NULL REFERENCES channel_connections ON DELETE CASCADE,
    event_type text NOT NULL,
    last_event_at timestamptz NOT NULL,
    PRIMARY KEY (connection_id, event_type)
);

-- Health of connections: state of the daemon that reads the channel.
CREATE TABLE connection_readers (
    connection_id uuid PRIMARY KEY REFERENCES channel_connections ON DELETE CASCADE,
    state text NOT NULL CHECK (state IN ('connecting', 'reading', 'waiting', 'refused')),
    -- Reason, for people.
    detail text,
    since timestamptz NOT NULL
);

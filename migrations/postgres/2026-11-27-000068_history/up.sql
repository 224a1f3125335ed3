-- Sessions of streams, their broadcasts, changes and shared links (reference/history.md#sessions).

-- Journal of status changes, in the order of their ids for each broadcast. Written in the statement that stores
-- the status, consumed by the daemon that makes sessions: nothing is missed while it is away.
CREATE TABLE stream_transitions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    -- Null where the platform has one broadcast per channel.
    broadcast_id text,
    is_online boolean NOT NULL,
    title text,
    category text,
    -- Start by the platform's statement.
    started_at timestamptz,
    -- Time of the observation.
    at timestamptz NOT NULL
);
CREATE INDEX stream_transitions_account ON stream_transitions (account_id, id);

CREATE TABLE stream_sessions (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    session_type text NOT NULL CHECK (session_type IN ('single', 'multi')),
    -- Sorted slugs.
    platforms text[] NOT NULL,
    -- Title and category of the newest change; categories are all that were seen, sorted.
    title text,
    category text,
    categories text[] NOT NULL DEFAULT '{}',
    started_at timestamptz NOT NULL,
    -- Null while the session is open.
    ended_at timestamptz,
    -- Time at which the last broadcast went off; null while one is on air.
    last_off_at timestamptz,
    -- Minutes whose lines, viewers and events belong to the session: from the first (inclusive) to the last
    -- (exclusive, null while open). Sessions of an account share no minute.
    minutes_from timestamptz NOT NULL,
    minutes_to timestamptz,
    -- Minutes from this one on are counted anew, because the session has grown towards the past; null when done.
    recount_from timestamptz,
    duration_secs bigint,
    peak_viewers bigint,
    avg_viewers double precision,
    total_messages bigint NOT NULL DEFAULT 0,
    unique_chatters bigint,
    new_followers bigint,
    new_subscribers bigint,
    report jsonb,
    report_made_at timestamptz,
    -- Time from which the report is to be made; null when it is up to date.
    report_due_at timestamptz,
    UNIQUE (account_id, id)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX stream_sessions_open ON stream_sessions (account_id) WHERE ended_at IS NULL;
CREATE INDEX stream_sessions_off ON stream_sessions (last_off_at) WHERE ended_at IS NULL AND last_off_at IS NOT NULL;
CREATE INDEX stream_sessions_long ON stream_sessions (started_at) WHERE ended_at IS NULL;
CREATE INDEX stream_sessions_recount ON stream_sessions (id) WHERE recount_from IS NOT NULL;
CREATE INDEX stream_sessions_due ON stream_sessions (report_due_at) WHERE report_due_at IS NOT NULL;
-- Reports that name a person.
CREATE INDEX stream_sessions_people ON stream_sessions USING gin ((report -> 'top_chatters') jsonb_path_ops)
    WHERE report IS NOT NULL;
-- Lists of an account by each of their orders.
CREATE INDEX stream_sessions_started ON stream_sessions (account_id, started_at DESC, id DESC);
CREATE INDEX stream_sessions_duration ON stream_sessions (account_id, duration_secs DESC NULLS LAST, started_at DESC, id DESC);
CREATE INDEX stream_sessions_peak ON stream_sessions (account_id, peak_viewers DESC NULLS LAST, started_at DESC, id DESC);
CREATE INDEX stream_sessions_average ON stream_sessions (account_id, avg_viewers DESC NULLS LAST, started_at DESC, id DESC);
CREATE INDEX stream_sessions_messages ON stream_sessions (account_id, total_messages DESC NULLS LAST, started_at DESC, id DESC);
CREATE INDEX stream_sessions_chatters ON stream_sessions (account_id, unique_chatters DESC NULLS LAST, started_at DESC, id DESC);
CREATE INDEX stream_sessions_followers ON stream_sessions (account_id, new_followers DESC NULLS LAST, started_at DESC, id DESC);

CREATE TABLE stream_broadcasts (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    session_id uuid NOT NULL,
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    -- Id on the platform, else the text of `id`.
    broadcast_id text NOT NULL,
    title text,
    category text,
    started_at timestamptz NOT NULL,
    -- Null while on air.
    ended_at timestamptz,
    -- Start by the platform's statement: another one is another broadcast.
    stated_start timestamptz,
    -- Times on air as pairs `[from, to]`; `to` is null while on air. More than one after an interruption.
    spans jsonb NOT NULL,
    peak_viewers bigint,
    avg_viewers double precision,
    -- Running sums of the samples of viewers; `sampled_at` is the minute of the newest one.
    viewer_sum bigint NOT NULL DEFAULT 0,
    viewer_minutes bigint NOT NULL DEFAULT 0,
    sampled_at timestamptz,
    UNIQUE (session_id, platform, broadcast_id),
    FOREIGN KEY (account_id, session_id) REFERENCES stream_sessions (account_id, id) ON DELETE CASCADE
);
CREATE INDEX stream_broadcasts_account ON stream_broadcasts (account_id, session_id);
CREATE INDEX stream_broadcasts_open ON stream_broadcasts (account_id) WHERE ended_at IS NULL;

-- Titles and categories over the time of a session.
CREATE TABLE stream_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id uuid NOT NULL,
    session_id uuid NOT NULL,
    platform text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('title', 'category')),
    value text,
    -- True for the value at the start of a broadcast, which is no change.
    is_first boolean NOT NULL DEFAULT false,
    at timestamptz NOT NULL,
    FOREIGN KEY (account_id, session_id) REFERENCES stream_sessions (account_id, id) ON DELETE CASCADE
);
CREATE INDEX stream_changes_session ON stream_changes (account_id, session_id, at, id);

-- End of the newest deleted session of an account: what was deleted is not recorded again.
CREATE TABLE stream_floors (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    ended_at timestamptz NOT NULL,
    minutes_to timestamptz NOT NULL
);

CREATE TABLE stream_shared_links (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    report_id uuid NOT NULL,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    -- SHA-256 of the token.
    token_hash bytea NOT NULL UNIQUE,
    -- Argon2id in PHC form; null without a password.
    password_hash text,
    allow_export boolean NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    view_count bigint NOT NULL DEFAULT 0,
    last_viewed_at timestamptz,
    FOREIGN KEY (account_id, report_id) REFERENCES stream_sessions (account_id, id) ON DELETE CASCADE
);
CREATE INDEX stream_shared_links_report ON stream_shared_links (account_id, report_id, created_at DESC, id DESC);
CREATE INDEX stream_shared_links_creator ON stream_shared_links (created_by);

-- Channels on air, for sampling.
CREATE INDEX channel_statuses_online ON channel_statuses (account_id) WHERE is_online;

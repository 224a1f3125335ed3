-- Counts of streams (reference/history.md#counts).

-- One row per line of chat that came in, stored or not, without its text and without names. Counts of samples and
-- reports come from here.
SELECT timeseries_create('stream_lines', $$
    account_id uuid NOT NULL,
    platform text NOT NULL,
    -- Begin of the minute in which the line was sent.
    minute timestamptz NOT NULL,
    -- Hash of the platform's message id.
    line bigint NOT NULL,
    -- Hash of account and platform user: equal for lines of one person in one account.
    chatter bigint NOT NULL,
    -- `[{id, name, provider, count}]`; null without emotes.
    emotes jsonb,
    -- `[{id, url, provider, alt, count}]`; null without GIFs.
    gifs jsonb,
    PRIMARY KEY (account_id, minute, platform, line)
$$, 'minute', interval '3 days', interval '9 days');
-- Lines may be late.
SELECT timeseries_ensure('stream_lines', now() - interval '9 days', now());

-- Minutes whose lines or events were written and are to be counted. Written in the same statement, so that a mark
-- is visible exactly when its rows are; several of one minute are counted together. `platform` is empty for
-- events without one.
CREATE TABLE stream_minute_marks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id uuid NOT NULL,
    platform text NOT NULL,
    minute timestamptz NOT NULL
);
CREATE INDEX stream_minute_marks_account ON stream_minute_marks (account_id);

-- One row per minute and platform of a session; deleted with the report of the session.
SELECT timeseries_create('stream_samples', $$
    account_id uuid NOT NULL,
    platform text NOT NULL,
    -- Begin of the minute.
    at timestamptz NOT NULL,
    -- Null where no viewers were seen.
    viewer_count bigint,
    message_count bigint NOT NULL,
    unique_chatters bigint NOT NULL,
    follower_delta bigint NOT NULL,
    PRIMARY KEY (account_id, at, platform)
$$, 'at', interval '7 days', NULL);
-- A session is at most seven days long.
SELECT timeseries_ensure('stream_samples', now() - interval '21 days', now());

-- Bans, time-outs and removed lines, without names (reference/history.md#moderation).
SELECT timeseries_create('stream_removals', $$
    account_id uuid NOT NULL,
    platform text NOT NULL,
    removed_at timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('ban', 'timeout', 'message')),
    -- Hash of the line, or of account and person.
    subject bigint NOT NULL,
    PRIMARY KEY (account_id, removed_at, platform, kind, subject)
$$, 'removed_at', interval '7 days', interval '14 days');
SELECT timeseries_ensure('stream_removals', now() - interval '14 days', now());

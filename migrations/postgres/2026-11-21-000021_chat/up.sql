-- Moderation, polls and predictions (reference/chat.md#moderation, reference/chat.md#polls).

-- Every attempt, also one that failed or was cut off by the end of its process.
CREATE TABLE moderation_log (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- Null when no channel of the account matches.
    platform text,
    action text NOT NULL CHECK (action IN ('ban', 'timeout', 'delete', 'unban')),
    -- Id of the user on the platform, or of the message of a deletion.
    target text NOT NULL,
    moderator_type text NOT NULL CHECK (moderator_type IN ('user', 'service_key', 'extension', 'system')),
    moderator_id uuid,
    reason text,
    duration_secs integer CHECK (duration_secs > 0),
    success boolean NOT NULL DEFAULT false,
    -- Reason of a failure.
    details text,
    -- Id that lifts the ban again, where only it does. It cannot be looked up later.
    platform_ban_id text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX moderation_log_list ON moderation_log (account_id, created_at DESC, id DESC);
-- Entries that name a person, for an erasure.
CREATE INDEX moderation_log_target ON moderation_log (platform, target);

CREATE TABLE polls (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL,
    platform_poll_id text NOT NULL,
    title text NOT NULL,
    -- [{ "id", "title", "votes" }]
    choices jsonb NOT NULL,
    status text NOT NULL CHECK (status IN ('active', 'completed', 'terminated', 'archived', 'moderated', 'invalid')),
    winning_choice_id text,
    started_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    ended_at timestamptz,
    -- Time of the platform's statement.
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, platform, platform_poll_id)
);
CREATE INDEX polls_list ON polls (account_id, started_at DESC, id DESC);

CREATE TABLE predictions (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL,
    platform_prediction_id text NOT NULL,
    title text NOT NULL,
    -- [{ "id", "title", "users", "channel_points" }]
    outcomes jsonb NOT NULL,
    status text NOT NULL CHECK (status IN ('active', 'locked', 'resolved', 'cancelled')),
    winning_outcome_id text,
    started_at timestamptz NOT NULL,
    locks_at timestamptz NOT NULL,
    ended_at timestamptz,
    -- Time of the platform's statement.
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, platform, platform_prediction_id)
);
CREATE INDEX predictions_list ON predictions (account_id, started_at DESC, id DESC);

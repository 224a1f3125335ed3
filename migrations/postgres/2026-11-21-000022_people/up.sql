-- Notes of moderators about chatters (reference/chat.md#notes), and records of erasures
-- (reference/privacy.md#record-of-an-erasure).

CREATE TABLE user_notes (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL,
    platform_user_id text NOT NULL,
    body text NOT NULL CHECK (length(body) BETWEEN 1 AND 2000),
    author_id uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX user_notes_user ON user_notes (account_id, platform, platform_user_id, id DESC);
CREATE INDEX user_notes_subject ON user_notes (platform, platform_user_id);
CREATE INDEX user_notes_author ON user_notes (author_id);

-- One row for each erasure of a person's data. The person is named by a salted hash only.
CREATE TABLE privacy_erasures (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('youtube_member', 'chat_subject')),
    status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done')),
    subject_hash text NOT NULL,
    salt text NOT NULL,
    deleted_message_count bigint NOT NULL DEFAULT 0,
    erased_key_count bigint NOT NULL DEFAULT 0,
    affected_accounts integer NOT NULL DEFAULT 0,
    requested_by uuid REFERENCES users ON DELETE SET NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);
CREATE INDEX privacy_erasures_requested_by ON privacy_erasures (requested_by);

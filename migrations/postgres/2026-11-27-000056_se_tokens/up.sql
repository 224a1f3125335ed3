-- Tokens of StreamElements, at most one for each platform of an account (reference/tips.md#tokens).
CREATE TABLE se_tokens (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL CHECK (platform IN ('twitch', 'youtube', 'kick', 'trovo')),
    -- Encrypted for account and platform.
    token bytea NOT NULL,
    label text CHECK (length(label) BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, platform)
);
CREATE INDEX se_tokens_newest ON se_tokens (created_at DESC, id DESC);

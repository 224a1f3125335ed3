-- Opaque credentials (reference/credentials.md#opaque-credentials). Only the SHA-256 of the whole string is
-- stored.

CREATE TABLE user_api_keys (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    key_hash bytea NOT NULL UNIQUE,
    key_prefix text NOT NULL,
    label text NOT NULL,
    permissions text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    last_used_at timestamptz
);
CREATE INDEX user_api_keys_owner ON user_api_keys (account_id, user_id, created_at);

CREATE TABLE account_service_keys (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    key_hash bytea NOT NULL UNIQUE,
    key_prefix text NOT NULL,
    label text NOT NULL,
    permissions text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    last_used_at timestamptz
);
CREATE INDEX account_service_keys_account ON account_service_keys (account_id, created_at);

CREATE TABLE system_keys (
    id uuid PRIMARY KEY,
    label text NOT NULL,
    key_hash bytea NOT NULL UNIQUE,
    key_prefix text NOT NULL,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz
);

CREATE TABLE popout_tokens (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE,
    token_prefix text NOT NULL,
    label text,
    permissions text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    last_used_at timestamptz
);
CREATE INDEX popout_tokens_account ON popout_tokens (account_id, created_at);

-- Tokens of browser surfaces that hold no permission: each opens exactly one subject
-- (an overlay key, an install or a widget).
CREATE TABLE surface_tokens (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('overlay', 'share', 'extension', 'widget')),
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    subject text NOT NULL,
    user_id uuid REFERENCES users ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE,
    token_prefix text NOT NULL,
    surface text,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz
);
CREATE INDEX surface_tokens_subject ON surface_tokens (kind, subject);

-- Only a session of a person changes the person's ways of signing in
-- (reference/users.md#sign-in-changes-by-keys).

-- Logins that an API key linked (reference/users.md#unconfirmed-logins). Such a login is none of the person's
-- logins until a session of the person confirms it. It is in a separate table, so that no reader of
-- `login_connections` counts it, and it reserves no identity.
CREATE TABLE unconfirmed_logins (
    -- Id, also of the login connection that it becomes.
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    platform text NOT NULL,
    provider_user_id text NOT NULL,
    username text NOT NULL,
    display_name text NOT NULL,
    avatar_url text,
    -- Encrypted (key id, nonce, ciphertext); bound to this row as associated data.
    access_token bytea NOT NULL,
    -- Expiry of the token.
    expires_at timestamptz,
    client_id text,
    created_at timestamptz NOT NULL,
    UNIQUE (user_id, platform, provider_user_id)
);
CREATE INDEX unconfirmed_logins_created ON unconfirmed_logins (created_at);

-- E-mail address that an API key requested.
ALTER TABLE users ADD COLUMN pending_email text;

-- Login that the session was opened through; null for sessions from before this column. It may be deleted.
ALTER TABLE sessions ADD COLUMN login_connection_id uuid;

-- Session that created the key; null for keys from before this column. It may be deleted.
ALTER TABLE user_api_keys ADD COLUMN created_by_session uuid;

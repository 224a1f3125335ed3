-- How a person signs in changes by a session of theirs only (specification E, 1).

-- A login that an API key linked. It is none of the person's logins until a session of theirs confirms it, so it stands
-- apart: nothing that reads `login_connections` counts it, and it holds no identity that others sign in with.
CREATE TABLE unconfirmed_logins (
    -- Also of the login connection that it becomes.
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    platform text NOT NULL,
    provider_user_id text NOT NULL,
    username text NOT NULL,
    display_name text NOT NULL,
    avatar_url text,
    -- Encrypted (key id, nonce, ciphertext); bound to this row as associated data.
    access_token bytea NOT NULL,
    -- Of the token.
    expires_at timestamptz,
    client_id text,
    created_at timestamptz NOT NULL,
    UNIQUE (user_id, platform, provider_user_id)
);
CREATE INDEX unconfirmed_logins_created ON unconfirmed_logins (created_at);

-- An e-mail address that an API key asked for.
ALTER TABLE users ADD COLUMN pending_email text;

-- The login that the session was opened through; null for one that was opened before this was noted. It may be gone.
ALTER TABLE sessions ADD COLUMN login_connection_id uuid;

-- The session that made the key; null for one that was made before this was noted. It may be gone.
ALTER TABLE user_api_keys ADD COLUMN created_by_session uuid;

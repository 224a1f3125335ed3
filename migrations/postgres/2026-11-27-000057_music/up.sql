-- Blocked songs of the last stream of an account that its members were notified of
-- (reference/music.md#blocked-songs).
CREATE TABLE music_alerts (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    stream_began_at timestamptz NOT NULL,
    -- Addresses of the songs, the newest last.
    songs text[] NOT NULL,
    updated_at timestamptz NOT NULL
);

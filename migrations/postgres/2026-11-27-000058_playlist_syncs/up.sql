-- Playlists whose songs are kept in the lists of accounts (reference/copyright.md#playlists).
CREATE TABLE playlist_syncs (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    playlist_id text NOT NULL CHECK (playlist_id ~ '^[0-9A-Za-z]{22}$'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    list text NOT NULL CHECK (list IN ('safe', 'blocked')),
    -- Version of the playlist that the list has. Null: not yet the whole of one.
    snapshot_id text,
    track_count integer NOT NULL DEFAULT 0 CHECK (track_count >= 0),
    last_synced_at timestamptz,
    -- Reason why the last reading failed.
    error text,
    -- Time of the next reading.
    due_at timestamptz NOT NULL,
    -- Until then another copy of the daemon leaves the row alone.
    claimed_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    UNIQUE (account_id, playlist_id, list)
);
CREATE INDEX playlist_syncs_due ON playlist_syncs (due_at, id);

ALTER TABLE listed_songs ADD UNIQUE (account_id, id);

-- Playlists that a song came from. A song without one was added by hand, or its playlist is no longer followed.
CREATE TABLE playlist_sync_songs (
    account_id uuid NOT NULL,
    sync_id uuid NOT NULL,
    song_id uuid NOT NULL,
    PRIMARY KEY (sync_id, song_id),
    FOREIGN KEY (account_id, sync_id) REFERENCES playlist_syncs (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, song_id) REFERENCES listed_songs (account_id, id) ON DELETE CASCADE
);
CREATE INDEX playlist_sync_songs_song ON playlist_sync_songs (account_id, song_id);
CREATE INDEX playlist_sync_songs_sync ON playlist_sync_songs (account_id, sync_id);

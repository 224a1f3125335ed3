-- Lists of songs (reference/copyright.md#lists): those of accounts, and the songs about which staff has decided.
CREATE TABLE listed_songs (
    id uuid PRIMARY KEY,
    -- Null: decided by staff, for all accounts.
    account_id uuid REFERENCES accounts ON DELETE CASCADE,
    list text NOT NULL CHECK (list IN ('safe', 'blocked', 'reported')),
    -- Ids and names are those that the account gave: nothing that others say of a song changes its lists.
    spotify_track_id text CHECK (spotify_track_id ~ '^[0-9A-Za-z]{22}$'),
    isrc text CHECK (isrc ~ '^[A-Z]{2}[0-9A-Z]{3}[0-9]{7}$'),
    title text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    artist text NOT NULL CHECK (length(artist) BETWEEN 1 AND 200),
    -- In lower case, because names are compared without case.
    title_key text NOT NULL,
    artist_key text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT listed_songs_once
        UNIQUE NULLS NOT DISTINCT (account_id, list, title_key, artist_key, spotify_track_id, isrc),
    -- Accounts have two lists.
    CHECK (account_id IS NULL OR list <> 'reported')
);
CREATE INDEX listed_songs_list ON listed_songs (account_id, list, created_at DESC, id DESC);
CREATE INDEX listed_songs_spotify ON listed_songs (account_id, spotify_track_id) WHERE spotify_track_id IS NOT NULL;
CREATE INDEX listed_songs_isrc ON listed_songs (account_id, isrc) WHERE isrc IS NOT NULL;
CREATE INDEX listed_songs_names ON listed_songs (account_id, title_key, artist_key);
-- Directory of all accounts.
CREATE INDEX listed_songs_directory ON listed_songs (title_key, artist_key, id) WHERE account_id IS NULL;
CREATE INDEX listed_songs_titles ON listed_songs (title_key text_pattern_ops) WHERE account_id IS NULL;
CREATE INDEX listed_songs_artists ON listed_songs (artist_key text_pattern_ops) WHERE account_id IS NULL;

-- Candidates of every state, newest first.
CREATE INDEX copyright_candidates_list ON copyright_candidates (created_at DESC, id DESC);

-- Songs and what people say of their copyright (specification C B14), integrations of accounts (C §8), and what a
-- webhook of an automation is known by (B §4.4).

-- A song as Lumio knows it, for all accounts. Lists of safe and blocked songs refer to it.
CREATE TABLE songs (
    id uuid PRIMARY KEY,
    spotify_track_id text UNIQUE CHECK (spotify_track_id ~ '^[0-9A-Za-z]{22}$'),
    isrc text UNIQUE CHECK (isrc ~ '^[A-Z]{2}[0-9A-Z]{3}[0-9]{7}$'),
    title text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    artist text NOT NULL CHECK (length(artist) BETWEEN 1 AND 200),
    -- In lower case: names are compared without it.
    title_key text NOT NULL,
    artist_key text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (title_key, artist_key)
);

-- What a person thinks of a song: one opinion, which may change. Reports and recommendations are votes too.
CREATE TABLE copyright_votes (
    id uuid PRIMARY KEY,
    song_id uuid NOT NULL REFERENCES songs ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    -- The account it was last cast in: accounts are what is counted.
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    vote text NOT NULL CHECK (vote IN ('blocked', 'safe', 'report', 'recommend')),
    reason text CHECK (length(reason) BETWEEN 1 AND 500),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (song_id, user_id)
);
CREATE INDEX copyright_votes_count ON copyright_votes (song_id, vote, account_id);
CREATE INDEX copyright_votes_account ON copyright_votes (account_id);
CREATE INDEX copyright_votes_user ON copyright_votes (user_id);

-- A song that enough accounts vote on in the same way: staff decides.
CREATE TABLE copyright_candidates (
    id uuid PRIMARY KEY,
    song_id uuid NOT NULL REFERENCES songs ON DELETE CASCADE,
    vote text NOT NULL CHECK (vote IN ('blocked', 'safe', 'report', 'recommend')),
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'approved', 'dismissed')),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (song_id, vote)
);
CREATE INDEX copyright_candidates_open ON copyright_candidates (created_at, id) WHERE status = 'open';

-- What an account has connected beside its channels.
CREATE TABLE integration_configs (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    integration text NOT NULL CHECK (integration IN ('obs', 'streamelements', 'streamerbot', 'shopify')),
    -- What the other side calls it: the domain of a shop.
    external_id text CHECK (length(external_id) BETWEEN 1 AND 255),
    enabled boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, integration),
    -- A shop belongs to one account.
    UNIQUE (integration, external_id)
);

-- The secret of a trigger's webhook, made when it is first asked for: sealed, because it is shown again, and hashed,
-- because it is looked for.
ALTER TABLE automation_trigger_registrations
    ADD COLUMN webhook_secret bytea,
    ADD COLUMN webhook_secret_hash bytea,
    ADD CONSTRAINT automation_trigger_registrations_secret
        CHECK ((webhook_secret IS NULL) = (webhook_secret_hash IS NULL));
CREATE UNIQUE INDEX automation_trigger_registrations_webhook
    ON automation_trigger_registrations (install_id, webhook_secret_hash) WHERE webhook_secret_hash IS NOT NULL;

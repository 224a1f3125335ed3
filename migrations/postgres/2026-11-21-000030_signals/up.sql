-- Songs and opinions on their copyright (reference/copyright.md#votes), integrations of accounts
-- (reference/billing.md#limits), and the secrets of webhooks of automations
-- (reference/automations.md#address-and-secret).

-- A song, for all accounts. Lists of safe and blocked songs refer to it.
CREATE TABLE songs (
    id uuid PRIMARY KEY,
    spotify_track_id text UNIQUE CHECK (spotify_track_id ~ '^[0-9A-Za-z]{22}$'),
    isrc text UNIQUE CHECK (isrc ~ '^[A-Z]{2}[0-9A-Z]{3}[0-9]{7}$'),
    title text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    artist text NOT NULL CHECK (length(artist) BETWEEN 1 AND 200),
    -- In lower case, because names are compared without case.
    title_key text NOT NULL,
    artist_key text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (title_key, artist_key)
);

-- Vote of a person on a song: one opinion, which may change. Reports and recommendations are votes too.
CREATE TABLE copyright_votes (
    id uuid PRIMARY KEY,
    song_id uuid NOT NULL REFERENCES songs ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    -- Account of the last cast. Votes are counted by account.
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

-- Songs that enough accounts vote on in the same way. Staff decides.
CREATE TABLE copyright_candidates (
    id uuid PRIMARY KEY,
    song_id uuid NOT NULL REFERENCES songs ON DELETE CASCADE,
    vote text NOT NULL CHECK (vote IN ('blocked', 'safe', 'report', 'recommend')),
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'approved', 'dismissed')),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (song_id, vote)
);
CREATE INDEX copyright_candidates_open ON copyright_candidates (created_at, id) WHERE status = 'open';

-- Connections of an account beside its channels.
CREATE TABLE integration_configs (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    integration text NOT NULL CHECK (integration IN ('obs', 'streamelements', 'streamerbot', 'shopify')),
    -- Name of the other side: the domain of a shop.
    external_id text CHECK (length(external_id) BETWEEN 1 AND 255),
    enabled boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, integration),
    -- A shop belongs to one account.
    UNIQUE (integration, external_id)
);

-- Secret of a trigger's webhook, created at its first request. It is encrypted, because it is shown again,
-- and hashed, because it is looked up.
ALTER TABLE automation_trigger_registrations
    ADD COLUMN webhook_secret bytea,
    ADD COLUMN webhook_secret_hash bytea,
    ADD CONSTRAINT automation_trigger_registrations_secret
        CHECK ((webhook_secret IS NULL) = (webhook_secret_hash IS NULL));
CREATE UNIQUE INDEX automation_trigger_registrations_webhook
    ON automation_trigger_registrations (install_id, webhook_secret_hash) WHERE webhook_secret_hash IS NOT NULL;

-- The store, and access to extensions outside of it: listings, reviews, testers, access grants, feedback,
-- uploads of installed extensions (reference/extensions.md#store).

ALTER TABLE extensions
    -- In cents; null when it is free.
    ADD COLUMN pricing_amount bigint CHECK (pricing_amount BETWEEN 99 AND 9999),
    ADD COLUMN pricing_interval text CHECK (pricing_interval = 'monthly'),
    -- Paths of images in the bundle.
    ADD COLUMN icon_key text,
    ADD COLUMN screenshots text[] NOT NULL DEFAULT '{}' CHECK (cardinality(screenshots) <= 10),
    ADD COLUMN tags text[] NOT NULL DEFAULT '{}' CHECK (cardinality(tags) <= 5),
    ADD COLUMN support_url text,
    -- The slug may change once, before the first public listing.
    ADD COLUMN slug_changed_at timestamptz,
    ADD COLUMN rating_sum bigint NOT NULL DEFAULT 0,
    -- True when it is in the store for everyone.
    ADD COLUMN is_listed boolean NOT NULL GENERATED ALWAYS AS (
        status = 'approved' AND current_version_id IS NOT NULL
        AND (visibility = 'system' OR (visibility IN ('public', 'paid') AND listed_at IS NOT NULL))
    ) STORED;

-- One index for each order of the store's list.
CREATE INDEX extensions_popular ON extensions (install_count DESC, id DESC) WHERE is_listed;
CREATE INDEX extensions_newest ON extensions (published_at DESC NULLS LAST, id DESC) WHERE is_listed;
CREATE INDEX extensions_rating ON extensions (rating_avg DESC, rating_count DESC, id DESC) WHERE is_listed;
CREATE INDEX extensions_name ON extensions (lower(name), id) WHERE is_listed;
CREATE INDEX extensions_words ON extensions
    USING gin (to_tsvector('simple'::regconfig, name || ' ' || short_description)) WHERE is_listed;

-- Version of the last update that the account was asked to accept.
ALTER TABLE extension_installs ADD COLUMN offered_version_id uuid;

CREATE TABLE extension_reviews (
    id uuid PRIMARY KEY,
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    rating integer NOT NULL CHECK (rating BETWEEN 1 AND 5),
    title text NOT NULL CHECK (length(title) <= 100),
    body text NOT NULL CHECK (length(body) <= 2000),
    developer_reply text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (extension_id, user_id)
);
CREATE INDEX extension_reviews_newest ON extension_reviews (extension_id, created_at DESC, id DESC);
CREATE INDEX extension_reviews_user ON extension_reviews (user_id);

-- Ratings follow their reviews, also those that are deleted with their author.
CREATE FUNCTION rate_extension() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE extensions SET rating_count = rating_count - 1, rating_sum = rating_sum - OLD.rating,
            rating_avg = coalesce((rating_sum - OLD.rating)::double precision / nullif(rating_count - 1, 0), 0)
        WHERE id = OLD.extension_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE extensions SET rating_count = rating_count + 1, rating_sum = rating_sum + NEW.rating,
            rating_avg = (rating_sum + NEW.rating)::double precision / (rating_count + 1)
        WHERE id = NEW.extension_id;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER extension_reviews_rate AFTER INSERT OR DELETE OR UPDATE OF rating ON extension_reviews
    FOR EACH ROW EXECUTE FUNCTION rate_extension();

CREATE TABLE extension_testers (
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    invited_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (extension_id, user_id)
);
CREATE INDEX extension_testers_user ON extension_testers (user_id);
CREATE INDEX extension_testers_inviter ON extension_testers (invited_by) WHERE invited_by IS NOT NULL;

-- Accounts that may install a private extension.
CREATE TABLE extension_access_grants (
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    granted_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (extension_id, account_id)
);
CREATE INDEX extension_access_grants_account ON extension_access_grants (account_id);
CREATE INDEX extension_access_grants_granter ON extension_access_grants (granted_by) WHERE granted_by IS NOT NULL;

CREATE TABLE extension_feedback (
    id uuid PRIMARY KEY,
    extension_id uuid NOT NULL,
    version_id uuid NOT NULL,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    category text NOT NULL CHECK (category IN ('bug', 'visual', 'feature', 'comment')),
    body text NOT NULL CHECK (length(body) BETWEEN 1 AND 2000),
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (extension_id, version_id) REFERENCES extension_versions (extension_id, id) ON DELETE CASCADE
);
CREATE INDEX extension_feedback_version ON extension_feedback (extension_id, version_id, user_id);
CREATE INDEX extension_feedback_account ON extension_feedback (account_id);
CREATE INDEX extension_feedback_user ON extension_feedback (user_id);

-- Files that an installed extension stores for an account. The name is the hash of the content.
CREATE TABLE extension_uploads (
    id uuid PRIMARY KEY,
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    filename text NOT NULL,
    content_type text NOT NULL,
    size_bytes bigint NOT NULL CHECK (size_bytes > 0),
    sha256 text NOT NULL,
    storage_key text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Time since which the account has no install of the extension.
    abandoned_at timestamptz,
    UNIQUE (extension_id, account_id, filename)
);
CREATE INDEX extension_uploads_file ON extension_uploads (extension_id, filename);
CREATE INDEX extension_uploads_account ON extension_uploads (account_id);
CREATE INDEX extension_uploads_abandoned ON extension_uploads (abandoned_at) WHERE abandoned_at IS NOT NULL;

-- Stored objects that are possibly not named by a row: recorded before they are written and when their rows
-- are deleted.
CREATE TABLE unclaimed_objects (
    storage_key text PRIMARY KEY,
    noted_at timestamptz NOT NULL
);
CREATE INDEX unclaimed_objects_noted ON unclaimed_objects (noted_at);
CREATE INDEX extension_files_object ON extension_files (storage_key);

-- Developers, their extensions, and the accounts that installed them
-- (reference/developers.md#extension-record).

CREATE TABLE developer_profiles (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
    display_name text NOT NULL,
    slug text NOT NULL UNIQUE,
    description text,
    verified boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE extensions (
    id uuid PRIMARY KEY,
    short_id text NOT NULL UNIQUE,
    slug text NOT NULL UNIQUE,
    -- Null for extensions that are built in.
    owner_developer_id uuid REFERENCES developer_profiles,
    name text NOT NULL,
    short_description text NOT NULL DEFAULT '',
    description text NOT NULL DEFAULT '',
    -- From the manifest; null until the first version is published.
    category text CHECK (category IN ('widget', 'bot_module', 'automation_node', 'theme', 'integration')),
    visibility text NOT NULL DEFAULT 'private'
        CHECK (visibility IN ('private', 'unlisted', 'public', 'paid', 'system')),
    status text NOT NULL DEFAULT 'draft'
        CHECK (status IN ('draft', 'in_review', 'testing', 'pending_publish', 'approved', 'rejected', 'suspended', 'archived')),
    pricing_type text NOT NULL DEFAULT 'free' CHECK (pricing_type IN ('free', 'one_time', 'subscription')),
    install_count integer NOT NULL DEFAULT 0,
    rating_avg double precision NOT NULL DEFAULT 0,
    rating_count integer NOT NULL DEFAULT 0,
    -- Set at the first public listing. Such an extension can no longer be deleted.
    listed_at timestamptz,
    published_at timestamptz,
    current_version_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX extensions_owner ON extensions (owner_developer_id, created_at, id);

CREATE TABLE extension_versions (
    id uuid PRIMARY KEY,
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    version text NOT NULL,
    status text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'draft', 'testing', 'pending_publish', 'approved', 'rejected', 'archived', 'revoked')),
    changelog text NOT NULL DEFAULT '',
    manifest jsonb NOT NULL,
    bundle_size_bytes bigint NOT NULL,
    -- Text of server.js; null when the bundle has none.
    handler_code text,
    breaking boolean NOT NULL DEFAULT false,
    needs_enhanced_review boolean NOT NULL DEFAULT false,
    submitted_by uuid REFERENCES users ON DELETE SET NULL,
    submitted_at timestamptz NOT NULL DEFAULT now(),
    approved_at timestamptz,
    review_notes text,
    UNIQUE (extension_id, version),
    UNIQUE (extension_id, id)
);
ALTER TABLE extensions ADD FOREIGN KEY (id, current_version_id) REFERENCES extension_versions (extension_id, id);

-- One row per reviewer: enhanced review needs two different ones (reference/developers.md#enhanced-review).
CREATE TABLE extension_approvals (
    version_id uuid NOT NULL REFERENCES extension_versions ON DELETE CASCADE,
    reviewer_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (version_id, reviewer_id)
);

CREATE TABLE extension_files (
    id uuid PRIMARY KEY,
    version_id uuid NOT NULL REFERENCES extension_versions ON DELETE CASCADE,
    file_path text NOT NULL,
    content_type text NOT NULL,
    size_bytes bigint NOT NULL,
    content_hash text NOT NULL,
    storage_key text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (version_id, file_path)
);

CREATE TABLE extension_secrets (
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    value bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (extension_id, key)
);

CREATE TABLE extension_installs (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    extension_id uuid NOT NULL REFERENCES extensions,
    version_id uuid NOT NULL,
    pinned_version text,
    enabled boolean NOT NULL DEFAULT true,
    killed_at timestamptz,
    config jsonb NOT NULL DEFAULT '{}',
    granted_permissions text[] NOT NULL DEFAULT '{}',
    installed_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (extension_id, version_id) REFERENCES extension_versions (extension_id, id)
);
CREATE INDEX extension_installs_account ON extension_installs (account_id, created_at, id);
CREATE INDEX extension_installs_extension ON extension_installs (extension_id);

-- Every action that a handler requested, once (reference/telemetry.md#actions-of-handlers). With the key, a
-- repeated call returns the first result.
CREATE TABLE extension_actions (
    invocation_id text NOT NULL,
    install_id uuid NOT NULL REFERENCES extension_installs ON DELETE CASCADE,
    account_id uuid NOT NULL,
    action text NOT NULL,
    -- Null while the action runs.
    result jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (install_id, invocation_id)
);
CREATE INDEX extension_actions_created ON extension_actions (created_at);

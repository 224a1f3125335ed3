-- Sounds of a plan (reference/media.md#limits-of-a-plan). Plans of operators begin with those of the free plan.
ALTER TABLE plans
    ADD COLUMN max_sounds bigint NOT NULL DEFAULT 10 CHECK (max_sounds >= 0),
    ADD COLUMN max_sound_file_size bigint NOT NULL DEFAULT 2097152 CHECK (max_sound_file_size >= 0),
    ADD COLUMN max_sound_storage_bytes bigint NOT NULL DEFAULT 20971520 CHECK (max_sound_storage_bytes >= 0);
UPDATE plans SET max_sounds = 100, max_sound_file_size = 10485760, max_sound_storage_bytes = 524288000
    WHERE slug = 'pro';
UPDATE plans SET max_sounds = 1000, max_sound_file_size = 26214400, max_sound_storage_bytes = 5368709120
    WHERE slug = 'enterprise';

-- Uploaded files (reference/media.md#uploads). Rows of an account with the same content share one object.
CREATE TABLE uploads (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    filename text NOT NULL CHECK (length(filename) BETWEEN 1 AND 255),
    content_type text NOT NULL,
    size_bytes bigint NOT NULL CHECK (size_bytes > 0),
    storage_key text NOT NULL,
    purpose text NOT NULL CHECK (purpose IN ('overlay_asset', 'alert_image', 'alert_sound', 'avatar',
        'developer_document', 'other')),
    sha256 text NOT NULL,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX uploads_list ON uploads (account_id, created_at DESC, id DESC);
CREATE INDEX uploads_content ON uploads (account_id, sha256);
CREATE INDEX uploads_object ON uploads (storage_key);
CREATE INDEX uploads_creator ON uploads (created_by);

-- Sounds of an account (reference/media.md#sounds). Each has an object of its own.
CREATE TABLE sounds (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    filename text NOT NULL CHECK (length(filename) BETWEEN 1 AND 255),
    content_type text NOT NULL,
    size_bytes bigint NOT NULL CHECK (size_bytes > 0),
    -- Null: not known.
    duration_ms bigint CHECK (duration_ms BETWEEN 0 AND 86400000),
    waveform jsonb,
    storage_key text NOT NULL UNIQUE,
    sha256 text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sounds_list ON sounds (account_id, created_at DESC, id DESC);

-- Archives of accounts (reference/archives.md#archives). A job writes the object and then the outcome.

CREATE TABLE account_archives (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    requested_by uuid REFERENCES users ON DELETE SET NULL,
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'ready', 'failed', 'discarded')),
    -- Public key that the secrets are sealed to, in base64. Null: the archive has no secrets.
    secrets_key text,
    -- Object of the archive. That of a discarded archive is removed by the sweep.
    storage_key text UNIQUE,
    size_bytes bigint CHECK (size_bytes > 0),
    sha256 text,
    -- Reason of a failure, in words for the owner.
    error text,
    -- Run of the job that may write the outcome. A later run replaces it.
    attempt uuid,
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    -- End of the row and its object.
    expires_at timestamptz,
    CHECK (status <> 'ready' OR (storage_key IS NOT NULL AND size_bytes IS NOT NULL AND sha256 IS NOT NULL)),
    CHECK (storage_key IS NULL OR status IN ('ready', 'discarded')),
    CHECK ((finished_at IS NULL) = (status IN ('queued', 'running'))),
    CHECK ((expires_at IS NULL) = (finished_at IS NULL))
);
CREATE INDEX account_archives_account ON account_archives (account_id, created_at DESC, id DESC);
-- One export of an account at a time.
CREATE UNIQUE INDEX account_archives_open ON account_archives (account_id) WHERE finished_at IS NULL;
CREATE INDEX account_archives_expires ON account_archives (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX account_archives_discarded ON account_archives (id) WHERE status = 'discarded' AND storage_key IS NOT NULL;
CREATE INDEX account_archives_stale ON account_archives (created_at) WHERE finished_at IS NULL;

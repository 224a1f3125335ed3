-- Connection of an account to its OBS (reference/obs.md#configuration).
CREATE TABLE obs_configs (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    port integer NOT NULL DEFAULT 4455 CHECK (port BETWEEN 1 AND 65535),
    -- Password of obs-websocket, encrypted.
    password bytea,
    -- True when the service connects to OBS itself; false when a page of the account does.
    remote_enabled boolean NOT NULL DEFAULT false,
    remote_host text CHECK (length(remote_host) BETWEEN 1 AND 253),
    -- Changes with each save, so that the daemon finds changed rows.
    revision uuid NOT NULL DEFAULT gen_random_uuid(),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK (NOT remote_enabled OR remote_host IS NOT NULL)
);
CREATE INDEX obs_configs_remote ON obs_configs (account_id) WHERE remote_enabled;

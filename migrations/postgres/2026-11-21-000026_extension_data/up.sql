-- Data of extensions (reference/handlers.md#storage). It outlives its install for thirty days
-- (reference/extensions.md#data-after-uninstall), so it references the account and the extension and not the
-- install.

-- Shared storage of an install: one object, replaced as a whole.
CREATE TABLE extension_storage (
    install_id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    value jsonb NOT NULL CHECK (jsonb_typeof(value) = 'object'),
    -- Grows with every change: the optimistic lock.
    version bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX extension_storage_account ON extension_storage (account_id);
CREATE INDEX extension_storage_extension ON extension_storage (extension_id);

-- Rows of the tables that extensions declare.
CREATE TABLE extension_rows (
    id uuid PRIMARY KEY,
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- Null in tables that are shared by the whole account.
    install_id uuid,
    table_name text NOT NULL,
    data jsonb NOT NULL,
    -- Bytes that count for the quota.
    bytes bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX extension_rows_install ON extension_rows (install_id, table_name, created_at, id) WHERE install_id IS NOT NULL;
CREATE INDEX extension_rows_account ON extension_rows (account_id, extension_id, table_name, created_at, id);
CREATE INDEX extension_rows_extension ON extension_rows (extension_id);

-- Key-value storage.
CREATE TABLE extension_values (
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    scope text NOT NULL CHECK (scope IN ('global', 'install', 'user')),
    -- The install; in the scope global, the extension.
    subject uuid NOT NULL,
    -- The viewer in the scope user: the id of the person, or platform, a colon and the id on the platform.
    owner text NOT NULL DEFAULT '',
    key text NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 255),
    -- Null in the scope global.
    account_id uuid REFERENCES accounts ON DELETE CASCADE,
    value jsonb NOT NULL,
    bytes bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (extension_id, scope, subject, owner, key),
    CHECK ((scope = 'global') = (account_id IS NULL))
);
CREATE INDEX extension_values_account ON extension_values (account_id);
CREATE INDEX extension_values_subject ON extension_values (subject);
CREATE INDEX extension_values_owner ON extension_values (owner) WHERE scope = 'user';

-- Used part of each quota. Rows of tables count for their install or account.
CREATE TABLE extension_usage (
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    scope text NOT NULL CHECK (scope IN ('global', 'install', 'user', 'account')),
    subject uuid NOT NULL,
    owner text NOT NULL DEFAULT '',
    account_id uuid REFERENCES accounts ON DELETE CASCADE,
    bytes bigint NOT NULL CHECK (bytes >= 0),
    keys bigint NOT NULL CHECK (keys >= 0),
    PRIMARY KEY (extension_id, scope, subject, owner)
);
CREATE INDEX extension_usage_account ON extension_usage (account_id);
CREATE INDEX extension_usage_subject ON extension_usage (subject);

-- Removed installs whose data is still kept.
CREATE TABLE extension_uninstalls (
    install_id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    extension_id uuid NOT NULL REFERENCES extensions ON DELETE CASCADE,
    uninstalled_at timestamptz NOT NULL
);
CREATE INDEX extension_uninstalls_account ON extension_uninstalls (account_id, extension_id, uninstalled_at);
CREATE INDEX extension_uninstalls_extension ON extension_uninstalls (extension_id);
CREATE INDEX extension_uninstalls_time ON extension_uninstalls (uninstalled_at);

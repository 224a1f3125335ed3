-- People, the accounts they share, and their permissions (reference/users.md#users,
-- reference/permissions.md#scopes).

CREATE TABLE plans (
    id uuid PRIMARY KEY,
    slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) BETWEEN 2 AND 40),
    name text NOT NULL,
    description text,
    price_monthly bigint NOT NULL CHECK (price_monthly >= 0),
    price_yearly bigint NOT NULL CHECK (price_yearly >= 0),
    currency text NOT NULL DEFAULT 'USD',
    is_public boolean NOT NULL DEFAULT true,
    sort_order integer NOT NULL DEFAULT 0,
    max_overlays bigint NOT NULL CHECK (max_overlays >= 0),
    max_storage_bytes bigint NOT NULL CHECK (max_storage_bytes >= 0),
    max_upload_size_bytes bigint NOT NULL CHECK (max_upload_size_bytes >= 0),
    max_integrations bigint NOT NULL CHECK (max_integrations >= 0),
    chat_retention_days bigint NOT NULL CHECK (chat_retention_days >= 0),
    max_accounts integer NOT NULL DEFAULT 1 CHECK (max_accounts >= 0),
    payment_product_id text,
    payment_monthly_price_id text,
    payment_yearly_price_id text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE feature_flags (
    id uuid PRIMARY KEY,
    key text NOT NULL UNIQUE,
    label text NOT NULL,
    description text NOT NULL DEFAULT '',
    category text NOT NULL,
    globally_enabled boolean NOT NULL,
    default_for_accounts boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE plan_features (
    plan_id uuid NOT NULL REFERENCES plans ON DELETE CASCADE,
    feature_id uuid NOT NULL REFERENCES feature_flags ON DELETE CASCADE,
    enabled boolean NOT NULL,
    PRIMARY KEY (plan_id, feature_id)
);

CREATE TABLE users (
    id uuid PRIMARY KEY,
    display_name text NOT NULL,
    username text NOT NULL,
    email text,
    avatar_url text,
    streamer_mode boolean NOT NULL DEFAULT false,
    extension_dev_mode boolean NOT NULL DEFAULT false,
    account_creation_override text NOT NULL DEFAULT 'default'
        CHECK (account_creation_override IN ('default', 'allow', 'deny')),
    max_accounts_override integer CHECK (max_accounts_override >= 0),
    active_account_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    last_login_at timestamptz
);

CREATE TABLE login_connections (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    platform text NOT NULL,
    provider_user_id text NOT NULL,
    username text NOT NULL,
    display_name text NOT NULL,
    avatar_url text,
    -- Encrypted (key id, nonce, ciphertext); bound to this row as associated data.
    access_token bytea,
    reconnect_required boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (platform, provider_user_id)
);
CREATE INDEX login_connections_user ON login_connections (user_id);

CREATE TABLE sessions (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    -- SHA-256 of the jti of the one refresh token that may be used next.
    refresh_hash bytea NOT NULL,
    active_account_id uuid,
    ip text,
    user_agent text,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    slug text NOT NULL UNIQUE,
    description text,
    owner_id uuid NOT NULL REFERENCES users,
    plan_id uuid NOT NULL REFERENCES plans,
    primary_login_connection_id uuid REFERENCES login_connections ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX accounts_owner ON accounts (owner_id);
CREATE INDEX accounts_plan ON accounts (plan_id);

CREATE TABLE account_roles (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    slug text NOT NULL,
    name text NOT NULL,
    description text,
    color text,
    is_system boolean NOT NULL DEFAULT false,
    position integer NOT NULL,
    permissions text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, slug),
    UNIQUE (account_id, id)
);
CREATE UNIQUE INDEX account_roles_name ON account_roles (account_id, lower(name));

CREATE TABLE memberships (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role_id uuid NOT NULL,
    joined_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, user_id),
    -- Both columns, so that a membership can never point at another account's role.
    FOREIGN KEY (account_id, role_id) REFERENCES account_roles (account_id, id)
);
CREATE INDEX memberships_user ON memberships (user_id);
CREATE INDEX memberships_role ON memberships (role_id);

-- Login connection through which a member writes in an account, one per platform
-- (reference/accounts.md#login-assignments).
CREATE TABLE login_assignments (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    login_connection_id uuid NOT NULL REFERENCES login_connections ON DELETE CASCADE,
    platform text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, user_id, platform)
);
CREATE INDEX login_assignments_connection ON login_assignments (login_connection_id);
CREATE INDEX login_assignments_user ON login_assignments (user_id);

CREATE TABLE account_permission_overrides (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    permission text NOT NULL,
    granted boolean NOT NULL,
    reason text,
    set_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, permission)
);

CREATE TABLE account_feature_overrides (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    feature_id uuid NOT NULL REFERENCES feature_flags ON DELETE CASCADE,
    enabled boolean NOT NULL,
    reason text,
    set_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, feature_id)
);

CREATE TABLE admin_roles (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    description text,
    is_system boolean NOT NULL DEFAULT false,
    permissions text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE admin_role_members (
    role_id uuid NOT NULL REFERENCES admin_roles ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    assigned_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (role_id, user_id)
);
CREATE INDEX admin_role_members_user ON admin_role_members (user_id);

CREATE TABLE user_roles (
    id uuid PRIMARY KEY,
    slug text NOT NULL UNIQUE,
    name text NOT NULL,
    description text,
    is_default boolean NOT NULL DEFAULT false,
    is_system boolean NOT NULL DEFAULT false,
    permissions text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX user_roles_one_default ON user_roles (is_default) WHERE is_default;

CREATE TABLE user_role_assignments (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role_id uuid NOT NULL REFERENCES user_roles ON DELETE CASCADE,
    assigned_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, role_id)
);

CREATE TABLE user_permission_overrides (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    permission text NOT NULL,
    granted boolean NOT NULL,
    reason text,
    set_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, permission)
);

-- Invites and settings of accounts (reference/accounts.md#invites), and indexes of members and the audit log.

CREATE TABLE invites (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- Readable, because members who may invite can pass it on again.
    code text NOT NULL UNIQUE,
    role_id uuid NOT NULL,
    method text NOT NULL CHECK (method IN ('link', 'token', 'person')),
    target_user_id uuid REFERENCES users ON DELETE CASCADE,
    email text,
    -- Null: no limit.
    max_uses integer CHECK (max_uses BETWEEN 1 AND 100),
    use_count integer NOT NULL DEFAULT 0 CHECK (use_count >= 0),
    -- Null: never.
    expires_at timestamptz,
    -- Null for one that a service key created.
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((method = 'person') = (target_user_id IS NOT NULL)),
    CHECK (use_count <= max_uses),
    -- Both columns, so that an invite can never lead to another account's role.
    FOREIGN KEY (account_id, role_id) REFERENCES account_roles (account_id, id) ON DELETE CASCADE,
    -- An invite ends when its maker leaves the account.
    FOREIGN KEY (account_id, created_by) REFERENCES memberships (account_id, user_id) ON DELETE CASCADE
);
CREATE INDEX invites_list ON invites (account_id, created_at DESC, id DESC);
CREATE INDEX invites_role ON invites (account_id, role_id);
CREATE INDEX invites_target ON invites (target_user_id) WHERE target_user_id IS NOT NULL;
CREATE INDEX invites_creator ON invites (account_id, created_by) WHERE created_by IS NOT NULL;

-- A login connection is assigned to a member only.
DELETE FROM login_assignments WHERE NOT EXISTS
    (SELECT FROM memberships AS m WHERE m.account_id = login_assignments.account_id AND m.user_id = login_assignments.user_id);
ALTER TABLE login_assignments ADD CONSTRAINT login_assignments_member
    FOREIGN KEY (account_id, user_id) REFERENCES memberships (account_id, user_id) ON DELETE CASCADE;

-- Only accounts that changed something have a row.
CREATE TABLE account_settings (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    locale text NOT NULL CHECK (locale IN ('en', 'de')),
    timezone text NOT NULL,
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    command_prefix text NOT NULL CHECK (length(command_prefix) BETWEEN 1 AND 3),
    chat_default_platforms text[] NOT NULL,
    chat_show_timestamps boolean NOT NULL,
    chat_highlight_mentions boolean NOT NULL,
    chat_font_size integer NOT NULL CHECK (chat_font_size BETWEEN 8 AND 72),
    alerts_muted boolean NOT NULL,
    alerts_volume integer NOT NULL CHECK (alerts_volume BETWEEN 0 AND 100),
    store_chat boolean NOT NULL,
    store_user_profiles boolean NOT NULL,
    default_overlay_id uuid,
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX memberships_list ON memberships (account_id, joined_at, id);
-- Indexes of the data that a member leaves behind in an account.
CREATE INDEX surface_tokens_member ON surface_tokens (account_id, user_id);
CREATE INDEX sessions_active_account ON sessions (active_account_id) WHERE active_account_id IS NOT NULL;
CREATE INDEX users_active_account ON users (active_account_id) WHERE active_account_id IS NOT NULL;
-- Search of people by the first letters of a name.
CREATE INDEX users_username_prefix ON users (lower(username) text_pattern_ops);
CREATE INDEX users_display_name_prefix ON users (lower(display_name) text_pattern_ops);
CREATE INDEX login_connections_username_prefix ON login_connections (lower(username) text_pattern_ops);

CREATE INDEX audit_log_scope ON audit_log (scope, created_at DESC, id DESC);
CREATE INDEX audit_log_actor ON audit_log (actor_id, created_at DESC, id DESC);

-- Rows are deleted by retention only.
CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit_log is append-only';
END
$$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();

-- Roles of staff and of people (reference/administration.md#staff-roles,
-- reference/permissions.md#user-roles).

-- Name under which a role was seeded. The displayed name may be changed, and seeding must not create the role
-- a second time.
ALTER TABLE admin_roles ADD COLUMN seed text UNIQUE;
UPDATE admin_roles SET seed = 'system-admin' WHERE is_system AND name = 'System Admin';
CREATE UNIQUE INDEX admin_roles_lower_name ON admin_roles (lower(name));

-- Lists of members, newest first.
CREATE INDEX admin_role_members_assigned ON admin_role_members (role_id, assigned_at DESC);
CREATE INDEX user_role_assignments_role ON user_role_assignments (role_id, created_at DESC);
CREATE INDEX account_roles_position ON account_roles (account_id, position);

-- References that are cleared when a person is deleted.
CREATE INDEX user_role_assignments_assigned_by ON user_role_assignments (assigned_by);
CREATE INDEX user_permission_overrides_set_by ON user_permission_overrides (set_by);
CREATE INDEX account_permission_overrides_set_by ON account_permission_overrides (set_by);

-- Lists of people and accounts, newest first.
CREATE INDEX users_created ON users (created_at DESC, id DESC);
CREATE INDEX accounts_created ON accounts (created_at DESC, id DESC);

-- Applications whose hosts people may be sent back to after a connection
-- (reference/administration.md#oauth-clients).
CREATE TABLE oauth_clients (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    redirect_uris text[] NOT NULL,
    allowed_hosts text[] NOT NULL,
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX oauth_clients_hosts ON oauth_clients USING gin (allowed_hosts) WHERE is_active;

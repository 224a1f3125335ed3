-- Teams of developers (reference/teams.md#team).
CREATE TABLE developer_teams (
    id uuid PRIMARY KEY,
    owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    -- One namespace with the slugs of developers.
    slug text NOT NULL UNIQUE CHECK (length(slug) BETWEEN 3 AND 50),
    description text,
    github_url text,
    website_url text,
    avatar_key text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX developer_teams_owner ON developer_teams (owner_id);

CREATE TABLE developer_team_roles (
    id uuid PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES developer_teams ON DELETE CASCADE,
    slug text NOT NULL CHECK (length(slug) BETWEEN 1 AND 100),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    description text,
    permissions text[] NOT NULL DEFAULT '{}',
    -- True for the owner's role, which neither changes nor ends.
    is_system boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (team_id, id),
    UNIQUE (team_id, slug)
);
CREATE UNIQUE INDEX developer_team_roles_name ON developer_team_roles (team_id, lower(name));

CREATE TABLE developer_team_members (
    id uuid PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES developer_teams ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role_id uuid NOT NULL,
    joined_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (team_id, user_id),
    -- Both columns, so that no member has another team's role.
    FOREIGN KEY (team_id, role_id) REFERENCES developer_team_roles (team_id, id)
);
CREATE INDEX developer_team_members_user ON developer_team_members (user_id, joined_at, id);
CREATE INDEX developer_team_members_role ON developer_team_members (team_id, role_id);

CREATE TABLE developer_team_invites (
    id uuid PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES developer_teams ON DELETE CASCADE,
    role_id uuid NOT NULL,
    -- Readable, because members who may invite can pass it on again.
    code text NOT NULL UNIQUE,
    email text,
    max_uses integer NOT NULL CHECK (max_uses BETWEEN 1 AND 100),
    use_count integer NOT NULL DEFAULT 0 CHECK (use_count >= 0),
    expires_at timestamptz NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK (use_count <= max_uses),
    FOREIGN KEY (team_id, role_id) REFERENCES developer_team_roles (team_id, id) ON DELETE CASCADE,
    -- An invite ends when its maker leaves the team.
    FOREIGN KEY (team_id, created_by) REFERENCES developer_team_members (team_id, user_id) ON DELETE CASCADE
);
CREATE INDEX developer_team_invites_list ON developer_team_invites (team_id, created_at DESC, id DESC);
CREATE INDEX developer_team_invites_role ON developer_team_invites (team_id, role_id);
CREATE INDEX developer_team_invites_maker ON developer_team_invites (team_id, created_by);
CREATE INDEX developer_team_invites_expiry ON developer_team_invites (expires_at);

-- An extension belongs to a developer or to a team; a built-in one to neither.
ALTER TABLE extensions ADD COLUMN owner_team_id uuid REFERENCES developer_teams,
    ADD CONSTRAINT extensions_one_owner CHECK (num_nonnulls(owner_developer_id, owner_team_id) <= 1);
CREATE INDEX extensions_team ON extensions (owner_team_id, created_at, id) WHERE owner_team_id IS NOT NULL;

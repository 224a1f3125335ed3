-- Chat commands of accounts and of the deployment (reference/bots.md#bot-commands), and roles that are exempt
-- from bot modules (reference/bots.md#exempt-roles).

CREATE TABLE bot_commands (
    id uuid PRIMARY KEY,
    -- Null: a global command, which every account has.
    account_id uuid REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL CHECK (name ~ '^[a-z0-9_]{1,32}$'),
    aliases text[] NOT NULL DEFAULT '{}',
    description text NOT NULL DEFAULT '',
    response_type text NOT NULL CHECK (response_type IN ('text', 'template', 'automation')),
    response text NOT NULL CHECK (char_length(response) <= 500),
    automation_id uuid,
    platforms text[] NOT NULL
        CHECK (cardinality(platforms) > 0 AND platforms <@ '{twitch,youtube,kick,trovo,discord}'),
    min_role text NOT NULL
        CHECK (min_role IN ('everyone', 'follower', 'subscriber', 'vip', 'moderator', 'broadcaster')),
    -- Seconds.
    cooldown_global integer NOT NULL CHECK (cooldown_global BETWEEN 0 AND 86400),
    cooldown_user integer NOT NULL CHECK (cooldown_user BETWEEN 0 AND 86400),
    enabled boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (account_id, automation_id) REFERENCES automations (account_id, id) ON DELETE SET NULL (automation_id),
    -- A global command has no account whose automation it could start.
    CHECK (account_id IS NOT NULL OR (automation_id IS NULL AND response_type <> 'automation'))
);
CREATE UNIQUE INDEX bot_commands_name ON bot_commands (account_id, name) NULLS NOT DISTINCT;
CREATE INDEX bot_commands_automation ON bot_commands (account_id, automation_id) WHERE automation_id IS NOT NULL;

-- Changes of an account to a global command; null keeps the value of the global command.
CREATE TABLE bot_command_overrides (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    command_id uuid NOT NULL REFERENCES bot_commands ON DELETE CASCADE,
    response text CHECK (char_length(response) BETWEEN 1 AND 500),
    platforms text[] CHECK (cardinality(platforms) > 0 AND platforms <@ '{twitch,youtube,kick,trovo,discord}'),
    min_role text CHECK (min_role IN ('everyone', 'follower', 'subscriber', 'vip', 'moderator', 'broadcaster')),
    cooldown_global integer CHECK (cooldown_global BETWEEN 0 AND 86400),
    cooldown_user integer CHECK (cooldown_user BETWEEN 0 AND 86400),
    enabled boolean,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, command_id)
);
CREATE INDEX bot_command_overrides_command ON bot_command_overrides (command_id);

-- Number of uses of a command in an account, written in batches. Separate from the commands, so that a use is
-- no change.
CREATE TABLE bot_command_uses (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    command_id uuid NOT NULL REFERENCES bot_commands ON DELETE CASCADE,
    use_count bigint NOT NULL CHECK (use_count >= 0),
    PRIMARY KEY (account_id, command_id)
);
CREATE INDEX bot_command_uses_command ON bot_command_uses (command_id);

-- Every chat line that a command replied to, once. With the key, a repeated call returns the first result.
CREATE TABLE bot_command_replies (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- Event of the line.
    event_id uuid NOT NULL,
    command_id uuid NOT NULL,
    -- Null while the reply is being sent.
    result jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, event_id)
);
CREATE INDEX bot_command_replies_created ON bot_command_replies (created_at);

ALTER TABLE extension_installs
    -- Chatters whose messages the module ignores.
    ADD COLUMN exempt_roles text[] NOT NULL DEFAULT '{}' CHECK (exempt_roles <@ '{moderator,vip,subscriber}');
-- An account has every built-in extension at most once. Lookup of installs by account and extension.
CREATE INDEX extension_installs_of_account ON extension_installs (account_id, extension_id);

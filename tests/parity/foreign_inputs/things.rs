//! Objects of a person as a person and as a developer, and objects below an account's connections: a row of each table
//! that names no account.

/// Statement that creates a row of each table; `$1` is the account, `$2` its owner, who is the developer of the
/// account's extension.
pub(super) const THINGS: &[(&str, &str)] = &[
    ("notifications", "INSERT INTO notifications (id, user_id, notification_type, title, message)
        SELECT gen_random_uuid(), $2, 'plan_changed', 't', 'm' WHERE $1 IS NOT NULL RETURNING id"),
    ("notification_preferences", "INSERT INTO notification_preferences (user_id, notification_type, channel)
        SELECT $2, 'plan_changed', 'off' WHERE $1 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("mails", "INSERT INTO mails (id, user_id, template)
        SELECT gen_random_uuid(), $2, '{}' WHERE $1 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("unconfirmed_logins", "INSERT INTO unconfirmed_logins
            (id, user_id, platform, provider_user_id, username, display_name, access_token, created_at)
        SELECT gen_random_uuid(), $2, 'trovo', 'linked-' || $1, 'u', 'U', '', now() RETURNING id"),
    ("watchlist_entries", "INSERT INTO watchlist_entries (id, user_id, platform, platform_channel_id)
        SELECT gen_random_uuid(), $2, 'twitch', 'rows' WHERE $1 IS NOT NULL RETURNING id"),
    ("developer_payouts", "INSERT INTO developer_payouts (id, developer_id, amount, method)
        SELECT gen_random_uuid(), id, 100, 'bank' FROM developer_profiles WHERE user_id = $2 AND $1 IS NOT NULL
        RETURNING id"),
    ("developer_applications", "INSERT INTO developer_applications
            (id, user_id, application_type, display_name, slug, description, motivation, what_to_build, status)
        SELECT gen_random_uuid(), $2, 'solo', 'rows', 'rows', 'd', 'm', 'w', 'rejected' WHERE $1 IS NOT NULL RETURNING id"),
    ("developer_verifications", "INSERT INTO developer_verifications (id, developer_id, details)
        SELECT gen_random_uuid(), id, 'sealed' FROM developer_profiles WHERE user_id = $2 AND $1 IS NOT NULL RETURNING id"),
    ("developer_payout_settings", "INSERT INTO developer_payout_settings (developer_id, details)
        SELECT id, 'sealed' FROM developer_profiles WHERE user_id = $2 AND $1 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("developer_revenue", "INSERT INTO developer_revenue
            (id, developer_id, payment_reference, amount, share, paid_at)
        SELECT gen_random_uuid(), id, 'rows-' || $1, 100, 70, now() FROM developer_profiles WHERE user_id = $2 RETURNING id"),
    ("developer_limits", "INSERT INTO developer_limits (developer_id, limit_key, value)
        SELECT id, 'max_secrets', 21 FROM developer_profiles WHERE user_id = $2 AND $1 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("extension_limits", "INSERT INTO extension_limits (extension_id, limit_key, value)
        SELECT extension_id, 'max_secrets', 22 FROM extension_installs WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("limit_requests", "INSERT INTO limit_requests
            (id, developer_id, requested_by, scope, limit_key, current_value, requested_value, reason)
        SELECT gen_random_uuid(), id, $2, 'developer', 'max_versions', 100, 200, 'a reason of twenty characters'
        FROM developer_profiles WHERE user_id = $2 AND $1 IS NOT NULL RETURNING id"),
    ("developer_teams", "INSERT INTO developer_teams (id, owner_id, name, slug)
        SELECT gen_random_uuid(), $2, 'rows', 'rows-' || $1 WHERE $1 IS NOT NULL RETURNING id"),
    ("developer_team_payout_settings", "INSERT INTO developer_team_payout_settings (team_id, details)
        SELECT id, 'sealed' FROM developer_teams WHERE owner_id = $2 AND $1 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("developer_team_roles", "INSERT INTO developer_team_roles (id, team_id, slug, name, permissions)
        SELECT gen_random_uuid(), id, 'rows', 'rows', ARRAY['team-extensions:create', 'team-extensions:edit',
            'team-extensions:delete', 'team-extensions:publish', 'team-extensions:analytics', 'team-versions:create',
            'team-versions:edit', 'team-secrets:read', 'team-secrets:edit', 'team-testers:read', 'team-testers:invite',
            'team-testers:remove', 'team-members:read', 'team-members:invite', 'team-members:edit',
            'team-members:remove', 'team-settings:read', 'team-settings:edit', 'team-payouts:read',
            'team-payouts:edit'] FROM developer_teams
        WHERE owner_id = $2 AND $1 IS NOT NULL RETURNING id"),
    ("developer_team_members", "INSERT INTO developer_team_members (id, team_id, user_id, role_id)
        SELECT gen_random_uuid(), team_id, $2, roles.id FROM developer_team_roles AS roles
        JOIN developer_teams AS teams ON teams.id = team_id WHERE owner_id = $2 AND $1 IS NOT NULL RETURNING id"),
    ("developer_team_invites", "INSERT INTO developer_team_invites
            (id, team_id, role_id, code, max_uses, expires_at, created_by)
        SELECT gen_random_uuid(), team_id, role_id, 'rows-' || $1, 1, now() + interval '1 day', $2
        FROM developer_team_members WHERE user_id = $2 RETURNING id"),
    ("extension_approvals", "INSERT INTO extension_approvals (version_id, reviewer_id)
        SELECT version_id, $2 FROM extension_installs WHERE account_id = $1 RETURNING NULL::uuid AS id"),
    ("extension_files", "INSERT INTO extension_files
            (id, version_id, file_path, content_type, size_bytes, content_hash, storage_key)
        SELECT gen_random_uuid(), version_id, 'rows.js', 'text/javascript', 1, 'rows', 'rows/' || $1
        FROM extension_installs WHERE account_id = $1 AND $2 IS NOT NULL RETURNING id"),
    ("extension_reviews", "INSERT INTO extension_reviews (id, extension_id, user_id, rating, title, body)
        SELECT gen_random_uuid(), extension_id, $2, 3, 't', 'b' FROM extension_installs WHERE account_id = $1
        RETURNING id"),
    ("extension_secrets", "INSERT INTO extension_secrets (extension_id, key, value)
        SELECT extension_id, 'x', 'sealed' FROM extension_installs WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("extension_testers", "INSERT INTO extension_testers (extension_id, user_id)
        SELECT extension_id, $2 FROM extension_installs WHERE account_id = $1 RETURNING NULL::uuid AS id"),
    ("connection_events", "INSERT INTO connection_events (connection_id, event_type, last_event_at)
        SELECT id, 'rows', now() FROM channel_connections WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("connection_readers", "INSERT INTO connection_readers (connection_id, state, since)
        SELECT id, 'reading', now() FROM channel_connections WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("token_refreshes", "INSERT INTO token_refreshes (connection_id)
        SELECT id FROM channel_connections WHERE account_id = $1 AND $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("youtube_broadcasts", "INSERT INTO youtube_broadcasts (connection_id, broadcast_id, title, started_at, found_at)
        SELECT id, 'rows', 't', now(), now() FROM channel_connections WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("discord_guild_channels", "INSERT INTO discord_guild_channels (discord_guild_id, feature, channel_id)
        SELECT id, 'event_feed', 'rows' FROM discord_guilds WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("idea_votes", "WITH category AS (INSERT INTO idea_categories (id, name, label, color)
            SELECT gen_random_uuid(), 'rows-' || right($1::text, 12), 'Rows', '#000000' RETURNING id),
        idea AS (INSERT INTO ideas (id, author_id, category_id) SELECT gen_random_uuid(), $2, id FROM category RETURNING id)
        INSERT INTO idea_votes (idea_id, user_id, vote_type) SELECT id, $2, 'up' FROM idea RETURNING NULL::uuid AS id"),
    ("idea_comment_votes", "WITH comment AS (INSERT INTO idea_comments (id, idea_id, author_id, body)
            SELECT gen_random_uuid(), idea_id, $2, 'rows' FROM idea_votes WHERE user_id = $2 AND $1 IS NOT NULL RETURNING id)
        INSERT INTO idea_comment_votes (comment_id, user_id, vote_type) SELECT id, $2, 'up' FROM comment
        RETURNING NULL::uuid AS id"),
    ("idea_mentions", "INSERT INTO idea_mentions (user_id, idea_id)
        SELECT $2, idea_id FROM idea_votes WHERE user_id = $2 AND $1 IS NOT NULL RETURNING NULL::uuid AS id"),
];

/// Tables of which the other account has no row, each with the reason: rows added to them are still detected.
pub(super) const BARE: &[(&str, &str)] = &[
    ("admin_role_members", "the owner is no staff"),
    ("audit_chains", "the owner has done nothing"),
    ("audit_checkpoints", "the owner has done nothing"),
    ("audit_links", "the owner has done nothing"),
    ("audit_log", "the owner has done nothing"),
    ("user_permission_overrides", "staff has overridden nothing"),
    ("user_role_assignments", "staff has given no role"),
];

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
    ("developer_payouts", "INSERT INTO developer_payouts (id, developer_id, amount, method)
        SELECT gen_random_uuid(), id, 100, 'bank' FROM developer_profiles WHERE user_id = $2 AND $1 IS NOT NULL
        RETURNING id"),
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
];

/// Tables of which the other account has no row, each with the reason: rows added to them are still detected.
pub(super) const BARE: &[(&str, &str)] = &[
    ("admin_role_members", "the owner is no staff"),
    ("audit_log", "the owner has done nothing"),
    ("user_permission_overrides", "staff has overridden nothing"),
    ("user_role_assignments", "staff has given no role"),
];

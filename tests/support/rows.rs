//! One row of everything that belongs to an account, for tests of isolation and of deletion.

use std::collections::BTreeMap;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Nullable, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::db::Prepare;
use uuid::Uuid;

use crate::{Person, TestApp};

/// Statement that creates a row of each table; `$1` is the account, `$2` its owner. In the order of the foreign keys.
const ROWS: &[(&str, &str)] = &[
    ("login_connections", "INSERT INTO login_connections (id, user_id, platform, provider_user_id, username, display_name)
        SELECT gen_random_uuid(), $2, 'trovo', 'login-' || $1, 'u', 'U' RETURNING id"),
    ("login_assignments", "INSERT INTO login_assignments (id, account_id, user_id, login_connection_id, platform)
        SELECT gen_random_uuid(), $1, $2, id, 'trovo' FROM login_connections WHERE provider_user_id = 'login-' || $1 RETURNING id"),
    ("account_feature_overrides", "INSERT INTO account_feature_overrides (account_id, feature_id, enabled)
        SELECT $1, id, true FROM feature_flags WHERE key = 'feature:events' AND $2 IS NOT NULL
        ON CONFLICT (account_id, feature_id) DO UPDATE SET enabled = true RETURNING NULL::uuid AS id"),
    ("account_permission_overrides", "INSERT INTO account_permission_overrides (account_id, permission, granted)
        SELECT $1, 'chat:read', true WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("account_limits", "INSERT INTO account_limits (account_id, updated_by) VALUES ($1, $2) RETURNING NULL::uuid AS id"),
    ("account_usage", "INSERT INTO account_usage (account_id, quota, used) SELECT $1, 'overlays', 1 WHERE $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("account_settings", "INSERT INTO account_settings (account_id, locale, timezone, currency, command_prefix,
            chat_default_platforms, chat_show_timestamps, chat_highlight_mentions, chat_font_size, alerts_muted,
            alerts_volume, store_chat, store_user_profiles)
        SELECT $1, 'en', 'UTC', 'EUR', '!', '{}', true, true, 14, false, 50, true, true WHERE $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("subscriptions", "INSERT INTO subscriptions (id, account_id, plan_id, status)
        SELECT gen_random_uuid(), $1, id, 'active' FROM plans WHERE slug = 'pro' AND $2 IS NOT NULL RETURNING id"),
    ("account_archives", "INSERT INTO account_archives (id, account_id, requested_by, status, storage_key, size_bytes, sha256,
            finished_at, expires_at)
        VALUES (gen_random_uuid(), $1, $2, 'ready', 'rows/archives/' || $1, 1, 'rows', now(), now() + interval '7 days')
        RETURNING id"),
    ("user_api_keys", "INSERT INTO user_api_keys (id, user_id, account_id, key_hash, key_prefix, label, permissions)
        VALUES (gen_random_uuid(), $2, $1, sha256($1::text::bytea), 'lm_usr_rows', 'rows', '{}') RETURNING id"),
    ("account_service_keys", "INSERT INTO account_service_keys (id, account_id, created_by, key_hash, key_prefix, label, permissions)
        VALUES (gen_random_uuid(), $1, $2, sha256($1::text::bytea), 'lm_svc_rows', 'rows', '{}') RETURNING id"),
    ("popout_tokens", "INSERT INTO popout_tokens (id, account_id, user_id, created_by, token_hash, token_prefix, permissions)
        VALUES (gen_random_uuid(), $1, $2, $2, sha256($1::text::bytea), 'lm_pop_rows', '{}') RETURNING id"),
    ("surface_tokens", "INSERT INTO surface_tokens (id, kind, account_id, subject, user_id, token_hash, token_prefix)
        VALUES (gen_random_uuid(), 'overlay', $1, 'rows', $2, sha256($1::text::bytea), 'lm_overlay_r') RETURNING id"),
    ("invites", "INSERT INTO invites (id, account_id, code, role_id, method, created_by)
        SELECT gen_random_uuid(), $1, 'rows-' || $1, id, 'link', $2 FROM account_roles
        WHERE account_id = $1 AND slug = 'viewer' RETURNING id"),
    ("channel_connections", "INSERT INTO channel_connections (id, account_id, platform, platform_channel_id, channel_name,
            display_name, credential_source, connected_by)
        VALUES (gen_random_uuid(), $1, 'twitch', 'channel-' || $1, 'c', 'C', 'system', $2) RETURNING id"),
    ("channel_statuses", "INSERT INTO channel_statuses (id, account_id, platform, is_online)
        SELECT gen_random_uuid(), $1, 'twitch', false WHERE $2 IS NOT NULL RETURNING id"),
    ("platform_quota_shares", "INSERT INTO platform_quota_shares (platform, client_id, day, account_id, used)
        SELECT 'youtube', 'rows', current_date, $1, 1 WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("bot_pauses", "INSERT INTO bot_pauses (account_id, platform)
        SELECT $1, 'twitch' WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("webhook_subscriptions", "INSERT INTO webhook_subscriptions (connection_id, event_type, account_id)
        SELECT id, 'channel.follow', $1 FROM channel_connections WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("bot_connections", "INSERT INTO bot_connections (id, account_id, platform, bot_user_id, bot_username, display_name,
            credential_source, credential_app, connected_by)
        VALUES (gen_random_uuid(), $1, 'twitch', 'bot', 'bot', 'Bot', 'account', 'bot', $2) RETURNING id"),
    ("app_credentials", "INSERT INTO app_credentials (id, account_id, platform, kind, client_id, client_secret)
        SELECT gen_random_uuid(), $1, 'youtube', 'channel', 'client', 'sealed' WHERE $2 IS NOT NULL RETURNING id"),
    ("token_revocations", "INSERT INTO token_revocations (id, account_id, platform, credential_source, credential_app)
        SELECT gen_random_uuid(), $1, 'twitch', 'system', 'channel' WHERE $2 IS NOT NULL RETURNING id"),
    ("discord_guilds", "INSERT INTO discord_guilds (id, account_id, guild_id, name, connected_by)
        VALUES (gen_random_uuid(), $1, 'guild-' || $1, 'Guild', $2) RETURNING id"),
    ("support_tickets", "INSERT INTO support_tickets (id, user_id, account_id, subject, body)
        VALUES (gen_random_uuid(), $2, $1, 's', 'b') RETURNING id"),
    ("extensions", "INSERT INTO extensions (id, short_id, slug, name)
        SELECT gen_random_uuid(), left($1::text, 13), 'rows-' || $1, 'Rows' WHERE $2 IS NOT NULL RETURNING id"),
    ("extension_versions", "INSERT INTO extension_versions (id, extension_id, version, manifest, bundle_size_bytes)
        SELECT gen_random_uuid(), id, '1.0.0', '{}', 0 FROM extensions WHERE slug = 'rows-' || $1 AND $2 IS NOT NULL
        RETURNING id"),
    ("extension_installs", "INSERT INTO extension_installs (id, account_id, extension_id, version_id, installed_by)
        SELECT gen_random_uuid(), $1, extension_id, versions.id, $2 FROM extension_versions AS versions
        JOIN extensions ON extensions.id = extension_id WHERE slug = 'rows-' || $1 RETURNING id"),
    ("extension_actions", "INSERT INTO extension_actions (invocation_id, install_id, account_id, action)
        SELECT 'rows', id, $1, 'send_chat' FROM extension_installs WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("extension_access_grants", "INSERT INTO extension_access_grants (extension_id, account_id, granted_by)
        SELECT id, $1, $2 FROM extensions WHERE slug = 'rows-' || $1 RETURNING NULL::uuid AS id"),
    ("extension_feedback", "INSERT INTO extension_feedback (id, extension_id, version_id, account_id, user_id, category, body)
        SELECT gen_random_uuid(), extension_id, versions.id, $1, $2, 'bug', 'b' FROM extension_versions AS versions
        JOIN extensions ON extensions.id = extension_id WHERE slug = 'rows-' || $1 RETURNING id"),
    ("extension_uploads", "INSERT INTO extension_uploads (id, extension_id, account_id, filename, content_type, size_bytes,
            sha256, storage_key)
        SELECT gen_random_uuid(), id, $1, 'rows.png', 'image/png', 1, 'rows', 'accounts/' || $1 || '/rows.png'
        FROM extensions WHERE slug = 'rows-' || $1 AND $2 IS NOT NULL RETURNING id"),
    ("extension_storage", "INSERT INTO extension_storage (install_id, account_id, extension_id, value, version)
        SELECT id, $1, extension_id, '{}', 1 FROM extension_installs WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("extension_rows", "INSERT INTO extension_rows (id, extension_id, account_id, install_id, table_name, data, bytes)
        SELECT gen_random_uuid(), extension_id, $1, id, 'rows', '{}', 2 FROM extension_installs
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING id"),
    ("extension_values", "INSERT INTO extension_values (extension_id, scope, subject, key, account_id, value, bytes)
        SELECT extension_id, 'install', id, 'rows', $1, '1', 1 FROM extension_installs
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("extension_usage", "INSERT INTO extension_usage (extension_id, scope, subject, account_id, bytes, keys)
        SELECT extension_id, 'install', id, $1, 3, 1 FROM extension_installs
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("extension_uninstalls", "INSERT INTO extension_uninstalls (install_id, account_id, extension_id, uninstalled_at)
        SELECT gen_random_uuid(), $1, extension_id, now() FROM extension_installs
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("copyright_votes", "WITH song AS (INSERT INTO songs (id, title, artist, title_key, artist_key)
            VALUES (gen_random_uuid(), 'rows', 'rows', $1::text, 'rows') RETURNING id)
        INSERT INTO copyright_votes (id, song_id, user_id, account_id, vote)
        SELECT gen_random_uuid(), id, $2, $1, 'safe' FROM song RETURNING id"),
    ("listed_songs", "INSERT INTO listed_songs (id, account_id, list, title, artist, title_key, artist_key)
        SELECT gen_random_uuid(), $1, 'safe', 'rows', 'rows', 'rows', 'rows' WHERE $2 IS NOT NULL RETURNING id"),
    ("playlist_syncs", "INSERT INTO playlist_syncs (id, account_id, playlist_id, name, list, due_at)
        SELECT gen_random_uuid(), $1, left(md5($1::text), 22), 'rows', 'safe', now() + interval '1 year'
        WHERE $2 IS NOT NULL RETURNING id"),
    ("playlist_sync_songs", "INSERT INTO playlist_sync_songs (account_id, sync_id, song_id)
        SELECT $1, sync.id, song.id FROM playlist_syncs AS sync JOIN listed_songs AS song USING (account_id)
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("uploads", "INSERT INTO uploads
            (id, account_id, filename, content_type, size_bytes, storage_key, purpose, sha256, created_by)
        VALUES (gen_random_uuid(), $1, 'a.png', 'image/png', 1, 'rows/uploads/' || $1, 'other', 'rows', $2) RETURNING id"),
    ("sounds", "INSERT INTO sounds (id, account_id, name, filename, content_type, size_bytes, storage_key, sha256)
        SELECT gen_random_uuid(), $1, 'rows', 'a.wav', 'audio/wav', 1, 'rows/sounds/' || $1, 'rows' WHERE $2 IS NOT NULL
        RETURNING id"),
    ("overlays", "INSERT INTO overlays (id, account_id, name, key, width, height, background, token)
        SELECT gen_random_uuid(), $1, 'rows', left(md5($1::text), 12), 10, 10, 'transparent', 'sealed'
        WHERE $2 IS NOT NULL RETURNING id"),
    ("overlay_layers", "INSERT INTO overlay_layers (id, account_id, overlay_id, layer_type, name, sort_order, width, height)
        SELECT gen_random_uuid(), $1, id, 'text', 'rows', 0, 10, 10 FROM overlays
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING id"),
    ("overlay_shares", "WITH token AS (INSERT INTO surface_tokens
                (id, kind, account_id, subject, token_hash, token_prefix, expires_at)
            SELECT gen_random_uuid(), 'share', $1, key, sha256(('share-' || $1)::bytea), 'lm_share_rows',
                now() + interval '1 day'
            FROM overlays WHERE account_id = $1 RETURNING id)
        INSERT INTO overlay_shares (id, account_id, overlay_id, created_by)
        SELECT token.id, $1, overlays.id, $2 FROM token CROSS JOIN overlays WHERE overlays.account_id = $1 RETURNING id"),
    ("overlay_access", "INSERT INTO overlay_access (id, account_id, overlay_id, user_id, role)
        SELECT gen_random_uuid(), $1, id, $2, 'editor' FROM overlays WHERE account_id = $1 RETURNING id"),
    ("widgets", "INSERT INTO widgets (id, account_id, name, widget_type, width, height, token_prefix)
        SELECT gen_random_uuid(), $1, 'rows', 'text', 10, 10, 'lm_widget_rows' WHERE $2 IS NOT NULL RETURNING id"),
    ("widget_access", "INSERT INTO widget_access (id, account_id, widget_id, user_id, role)
        SELECT gen_random_uuid(), $1, id, $2, 'editor' FROM widgets WHERE account_id = $1 RETURNING id"),
    ("music_alerts", "INSERT INTO music_alerts (account_id, stream_began_at, songs, updated_at)
        SELECT $1, now(), '{}', now() WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("se_tokens", "INSERT INTO se_tokens (id, account_id, platform, token)
        SELECT gen_random_uuid(), $1, 'twitch', 'sealed' WHERE $2 IS NOT NULL RETURNING id"),
    ("integration_configs", "INSERT INTO integration_configs (id, account_id, integration, external_id)
        SELECT gen_random_uuid(), $1, 'shopify', $1 || '.myshopify.com' WHERE $2 IS NOT NULL RETURNING id"),
    ("obs_configs", "INSERT INTO obs_configs (account_id) SELECT $1 WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("webhook_endpoints", "INSERT INTO webhook_endpoints (id, account_id, url, event_types, secret, created_by)
        VALUES (gen_random_uuid(), $1, 'https://hooks.example/', '{*}', 'sealed', $2) RETURNING id"),
    ("webhook_deliveries", "INSERT INTO webhook_deliveries
            (id, account_id, endpoint_id, event_id, event_type, occurred_at, status, expires_at, created_at)
        SELECT gen_random_uuid(), $1, id, gen_random_uuid(), 'custom:rows', now(), 'delivered', now(), now()
        FROM webhook_endpoints WHERE account_id = $1 AND $2 IS NOT NULL RETURNING id"),
    ("usage_hours", "INSERT INTO usage_hours (account_id, subject_kind, subject_id, hour, requests)
        SELECT $1, 'account', $1, date_trunc('hour', now()), 1 WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("usage_storage", "INSERT INTO usage_storage (account_id, subject_kind, subject_id, bytes)
        SELECT $1, 'account', $1, 1 WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("usage_marks", "INSERT INTO usage_marks (account_id) SELECT $1 WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("usage_budgets", "INSERT INTO usage_budgets (id, account_id, subject_kind, subject_id, unit, period, maximum,
            is_stopping, created_by, created_at, updated_at)
        VALUES (gen_random_uuid(), $1, 'extension', gen_random_uuid(), 'fetches', 'day', 9, true, $2, now(), now())
        RETURNING id"),
    ("idempotent_requests", "INSERT INTO idempotent_requests
            (id, request, account_id, user_id, operation, fingerprint, status, answer, started_at, created_at)
        VALUES (gen_random_uuid(), gen_random_uuid(), $1, $2, 'rows', sha256($1::text::bytea), 200, '{}', now(), now())
        RETURNING NULL::uuid AS id"),
    ("automations", "INSERT INTO automations (id, account_id, name, created_by) VALUES (gen_random_uuid(), $1, 'rows', $2)
        RETURNING id"),
    ("automation_trigger_registrations", "INSERT INTO automation_trigger_registrations
            (id, account_id, automation_id, node_id, install_id, mode)
        SELECT gen_random_uuid(), $1, automations.id, gen_random_uuid(), installs.id, 'polling'
        FROM automations JOIN extension_installs AS installs USING (account_id)
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING id"),
    ("bot_commands", "INSERT INTO bot_commands (id, account_id, name, response_type, response, platforms, min_role,
            cooldown_global, cooldown_user, enabled)
        SELECT gen_random_uuid(), $1, 'rows', 'text', 'r', '{twitch}', 'everyone', 0, 0, true WHERE $2 IS NOT NULL
        RETURNING id"),
    ("bot_command_overrides", "INSERT INTO bot_command_overrides (account_id, command_id, enabled)
        SELECT $1, id, false FROM bot_commands WHERE account_id = $1 AND $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("bot_command_uses", "INSERT INTO bot_command_uses (account_id, command_id, use_count)
        SELECT $1, id, 1 FROM bot_commands WHERE account_id = $1 AND $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("bot_command_replies", "INSERT INTO bot_command_replies (account_id, event_id, command_id)
        SELECT $1, gen_random_uuid(), gen_random_uuid() WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("automation_runs", "INSERT INTO automation_runs (id, account_id, automation_id, trigger, dedupe_key)
        SELECT gen_random_uuid(), $1, id, '{}', 'rows' FROM automations WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING id"),
    ("automation_nodes", "INSERT INTO automation_nodes (account_id, automation_id, id, node_type, position)
        SELECT $1, id, gen_random_uuid(), 'manual', 0 FROM automations WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING id"),
    ("automation_edges", "INSERT INTO automation_edges
            (account_id, automation_id, id, source_node_id, source_handle, target_node_id, position)
        SELECT $1, automation_id, gen_random_uuid(), id, 'out', id, 0 FROM automation_nodes
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING id"),
    ("automation_steps", "INSERT INTO automation_steps (account_id, run_id, position, node_id, status, input)
        SELECT $1, id, 0, gen_random_uuid(), 'succeeded', '{}' FROM automation_runs
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("rewards", "INSERT INTO rewards (id, account_id, platform, platform_reward_id, is_managed, title, cost)
        SELECT gen_random_uuid(), $1, 'twitch', 'rows', false, 'rows', 1 WHERE $2 IS NOT NULL RETURNING id"),
    ("reward_redemptions", "INSERT INTO reward_redemptions (reward_id, account_id, redemption_id)
        SELECT id, $1, 'rows' FROM rewards WHERE account_id = $1 AND $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("moderation_log", "INSERT INTO moderation_log (id, account_id, platform, action, target, moderator_type, moderator_id)
        VALUES (gen_random_uuid(), $1, 'twitch', 'ban', 'u', 'user', $2) RETURNING id"),
    ("polls", "INSERT INTO polls (id, account_id, platform, platform_poll_id, title, choices, status, started_at, ends_at)
        SELECT gen_random_uuid(), $1, 'twitch', 'rows', 't', '[]', 'active', now(), now() WHERE $2 IS NOT NULL RETURNING id"),
    ("predictions", "INSERT INTO predictions (id, account_id, platform, platform_prediction_id, title, outcomes, status,
            started_at, locks_at)
        SELECT gen_random_uuid(), $1, 'twitch', 'rows', 't', '[]', 'active', now(), now() WHERE $2 IS NOT NULL RETURNING id"),
    ("stream_transitions", "INSERT INTO stream_transitions (account_id, platform, platform_channel_id, is_online, at)
        SELECT $1, 'twitch', 'channel-' || $1, true, now() + interval '1 day' WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("stream_sessions", "INSERT INTO stream_sessions (id, account_id, session_type, platforms, started_at, ended_at,
            last_off_at, minutes_from, minutes_to)
        SELECT gen_random_uuid(), $1, 'single', '{twitch}', now() - interval '2 hours', now() - interval '1 hour',
            now() - interval '1 hour', date_trunc('minute', now()) - interval '2 hours',
            date_trunc('minute', now()) - interval '1 hour' WHERE $2 IS NOT NULL RETURNING id"),
    ("stream_broadcasts", "INSERT INTO stream_broadcasts (id, account_id, session_id, platform, platform_channel_id,
            broadcast_id, started_at, ended_at, spans)
        SELECT gen_random_uuid(), $1, id, 'twitch', 'channel-' || $1, 'rows', started_at, ended_at, '[]'
        FROM stream_sessions WHERE account_id = $1 AND $2 IS NOT NULL RETURNING id"),
    ("stream_changes", "INSERT INTO stream_changes (account_id, session_id, platform, kind, value, at)
        SELECT $1, id, 'twitch', 'title', 'rows', started_at FROM stream_sessions WHERE account_id = $1 AND $2 IS NOT NULL
        RETURNING NULL::uuid AS id"),
    ("stream_floors", "INSERT INTO stream_floors (account_id, ended_at, minutes_to)
        SELECT $1, now() - interval '1 hour', now() - interval '1 hour' WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("stream_shared_links", "INSERT INTO stream_shared_links (id, account_id, report_id, created_by, token_hash, allow_export,
            created_at, expires_at)
        SELECT gen_random_uuid(), $1, id, $2, sha256($1::text::bytea), true, now(), now() + interval '1 day'
        FROM stream_sessions WHERE account_id = $1 RETURNING id"),
    ("public_channel_settings", "INSERT INTO public_channel_settings (account_id, platform, platform_channel_id)
        SELECT $1, 'twitch', 'channel-' || $1 WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("stream_lines", "INSERT INTO stream_lines (account_id, platform, minute, line, chatter)
        SELECT $1, 'twitch', date_trunc('minute', now()), 1, 1 WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("stream_minute_marks", "INSERT INTO stream_minute_marks (account_id, platform, minute)
        SELECT $1, 'twitch', date_trunc('minute', now()) WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("stream_removals", "INSERT INTO stream_removals (account_id, platform, removed_at, kind, subject)
        SELECT $1, 'twitch', now(), 'ban', 1 WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("stream_samples", "INSERT INTO stream_samples (account_id, platform, at, message_count, unique_chatters, follower_delta)
        SELECT $1, 'twitch', date_trunc('minute', now()), 1, 1, 0 WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("chat_messages", "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
            display_name, text, sent_at)
        SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7' || left(md5($1::text), 3) || '8'
            || left(md5($2::text), 15))::uuid, $1, 'twitch', 'rows', 'u', 'u', 'U', 'hi', now()
        WHERE $2 IS NOT NULL RETURNING id"),
    ("platform_users", "INSERT INTO platform_users (account_id, platform, platform_user_id, username, display_name, message_count,
            first_seen_at, last_seen_at)
        SELECT $1, 'twitch', 'u', 'u', 'U', 1, now(), now() WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("platform_user_profiles", "INSERT INTO platform_user_profiles (account_id, platform, platform_user_id, profile, enriched_at)
        SELECT $1, 'twitch', 'u', '{}', now() WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("youtube_membership_tiers", "INSERT INTO youtube_membership_tiers (account_id, tooltip, tier_name, first_seen_at, last_seen_at)
        SELECT $1, 'New member', 'New member', now(), now() WHERE $2 IS NOT NULL RETURNING NULL::uuid AS id"),
    ("user_notes", "INSERT INTO user_notes (id, account_id, platform, platform_user_id, body, author_id)
        VALUES (gen_random_uuid(), $1, 'twitch', 'u', 'rows', $2) RETURNING id"),
    ("events", "INSERT INTO events (id, account_id, event_type, platform_event_id, occurred_at)
        SELECT gen_random_uuid(), $1, 'twitch:follow', 'rows', now() WHERE $2 IS NOT NULL RETURNING id"),
    ("extension_errors", "INSERT INTO extension_errors (id, extension_id, install_id, account_id, handler, error_type, message,
            occurred_at)
        SELECT gen_random_uuid(), extension_id, id, $1, 'h', 'TypeError', 'm', now() FROM extension_installs
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING id"),
    ("extension_failed_runs", "INSERT INTO extension_failed_runs (id, extension_id, install_id, account_id, version_id,
            handler, run, failed_at)
        SELECT gen_random_uuid(), extension_id, id, $1, version_id, 'h', '{}', now() FROM extension_installs
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING id"),
    ("extension_logs", "INSERT INTO extension_logs (id, extension_id, install_id, account_id, level, message, created_at)
        SELECT gen_random_uuid(), extension_id, id, $1, 'info', 'm', now() FROM extension_installs
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING id"),
    ("extension_invocations", "INSERT INTO extension_invocations (id, extension_id, install_id, account_id, handler,
            bucket_minute, count, errors, duration_ms_sum, duration_hist)
        SELECT gen_random_uuid(), extension_id, id, $1, 'h', now(), 1, 0, 1, '{}' FROM extension_installs
        WHERE account_id = $1 AND $2 IS NOT NULL RETURNING id"),
];

/// Rows that [`TestApp::one_of_everything`] created: ids by table, for tables whose rows have one.
pub type Rows = BTreeMap<&'static str, Uuid>;

#[derive(QueryableByName)]
struct Made {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    id: Option<Uuid>,
}

impl TestApp {
    /// Gives an account one row in every table that belongs to accounts.
    ///
    /// # Panics
    /// A table is missing in the list above: add it, so that isolation and dissolution are tested for it.
    pub async fn one_of_everything(&self, owner: &Person) -> Rows {
        let rows = self.rows(ROWS, owner).await;
        for (table, (count, _)) in self.belongings(owner.account_id).await {
            assert!(count > 0, "`{table}` has an account_id but no row in tests/support/rows.rs: add one");
        }
        rows
    }

    /// Creates a row by each statement; `$1` is the account, `$2` its owner.
    pub async fn rows(&self, statements: &[(&'static str, &str)], owner: &Person) -> Rows {
        let mut db = self.databases.postgres.get().await.unwrap();
        let mut rows = Rows::new();
        for (table, sql) in statements {
            let made: Made = sql_query(*sql)
                .bind::<SqlUuid, _>(owner.account_id)
                .bind::<SqlUuid, _>(owner.user_id)
                .prepared()
                .get_result(&mut *db)
                .await
                .unwrap_or_else(|error| panic!("{table}: {error}"));
            rows.extend(made.id.map(|id| (*table, id)));
        }
        rows
    }
}

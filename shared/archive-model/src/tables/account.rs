//! The account, its members, media and connections.

use super::{ACCOUNT, Column, Mapped, SECRET_OF_ROW, Secret, Table, own, secret};

/// The tables, in the order of their foreign keys.
pub(super) const TABLES: &[Table] = &[
    Table::exported(
        "accounts",
        &[("id", "uuid")],
        "name description created_at updated_at",
        &[
            Column::Account("id"),
            Column::Mapped(SLUG),
            Column::Person("owner_id"),
            // The operators of a deployment assign plans.
            Column::Reset("plan_id", "(SELECT id FROM plans WHERE slug = $3)"),
            // Login connections belong to people.
            Column::Reset("primary_login_connection_id", "NULL"),
        ],
    )
    .rows("t.id = $1"),
    Table::exported(
        "account_roles",
        &[("id", "uuid")],
        "id slug name description color is_system position permissions created_at updated_at",
        &[ACCOUNT],
    ),
    Table::exported(
        "memberships",
        &[("id", "uuid")],
        "id role_id joined_at",
        &[ACCOUNT, Column::Holder("user_id")],
    ),
    // Documents of developers belong to the verification of a person.
    Table::exported(
        "uploads",
        &[("id", "uuid")],
        "id filename content_type size_bytes storage_key purpose sha256 created_at",
        &[ACCOUNT, Column::Person("created_by")],
    )
    .rows("t.account_id = $1 AND t.purpose <> 'developer_document'"),
    Table::exported(
        "sounds",
        &[("id", "uuid")],
        "id name filename content_type size_bytes duration_ms waveform storage_key sha256 created_at",
        &[ACCOUNT],
    ),
    Table::exported(
        "channel_connections",
        &[("id", "uuid")],
        "id platform platform_channel_id channel_name display_name avatar_url scopes credential_source credential_app
         client_id bot_enabled expires_at updated_at channel_since",
        &[
            ACCOUNT,
            Column::Person("connected_by"),
            secret("access_token"),
            secret("refresh_token"),
            // The owner connects again, also with tokens: they prove nothing about the channel.
            Column::Reset("reconnect_required", "true"),
            Column::Reset("flagged_at", "NULL"),
            Column::Reset("token_version", "0"),
            // An archive may name any channel. Until a sign-in here sets the time, the channel counts as unconfirmed.
            Column::Reset("connected_at", "'epoch'"),
        ],
    ),
    Table::exported(
        "bot_connections",
        &[("id", "uuid")],
        "id platform bot_user_id bot_username display_name avatar_url scopes credential_source credential_app client_id
         expires_at connected_at updated_at",
        &[
            ACCOUNT,
            Column::Person("connected_by"),
            Column::Secret(BOT_TOKEN.named("access_token")),
            secret("refresh_token"),
            Column::Reset("reconnect_required", "true"),
            Column::Reset("flagged_at", "NULL"),
            Column::Reset("token_version", "0"),
        ],
    ),
    Table::exported(
        "app_credentials",
        &[("id", "uuid")],
        "id platform kind client_id created_at updated_at",
        &[ACCOUNT, Column::Secret(NEEDED.named("client_secret"))],
    )
    .credentials(),
    Table::exported(
        "discord_guilds",
        &[("id", "uuid")],
        "id guild_id name icon_url connected_at updated_at",
        &[ACCOUNT, Column::Person("connected_by")],
    ),
    Table::exported(
        "discord_guild_channels",
        &[("discord_guild_id", "uuid"), ("feature", "text")],
        "feature channel_id",
        &[own!("discord_guild_id", "discord_guilds")],
    )
    .rows("t.discord_guild_id IN (SELECT id FROM discord_guilds WHERE account_id = $1)"),
    Table::exported(
        "integration_configs",
        &[("id", "uuid")],
        "id integration external_id enabled created_at updated_at",
        &[ACCOUNT],
    ),
    Table::exported(
        "obs_configs",
        &[("account_id", "uuid")],
        "port remote_enabled remote_host revision created_at updated_at",
        &[ACCOUNT, Column::Secret(Secret { name: "password", row: "t.account_id::text", ..SECRET_OF_ROW })],
    ),
    Table::exported(
        "se_tokens",
        &[("id", "uuid")],
        "id platform label created_at updated_at refused_at",
        &[
            ACCOUNT,
            Column::Secret(Secret { name: "token", row: "t.account_id::text || '/' || t.platform", ..NEEDED }),
        ],
    )
    .credentials(),
    Table::exported(
        "webhook_endpoints",
        &[("id", "uuid")],
        "id url description event_types is_enabled disabled_reason skipped_count created_at updated_at",
        &[
            ACCOUNT,
            Column::Person("created_by"),
            Column::Secret(NEEDED.named("secret")),
            // The time in which the former secret signs too is over.
            Column::Reset("previous_secret", "NULL"),
            Column::Reset("previous_secret_until", "NULL"),
            Column::Reset("due_at", "NULL"),
            Column::Reset("retry_at", "NULL"),
            Column::Reset("failure_count", "0"),
            Column::Reset("failing_since", "NULL"),
            Column::Reset("last_attempt_at", "NULL"),
            Column::Reset("lease_until", "NULL"),
            Column::Reset("lease_owner", "NULL"),
            // Deliveries that wait are not in the archive. Those that ended are counted and trimmed anew.
            Column::Reset("free_places", "0"),
            Column::Reset("full_until", "NULL"),
            Column::Reset("trimmed_at", "NULL"),
        ],
    ),
    Table::exported(
        "webhook_deliveries",
        &[("id", "uuid")],
        "id endpoint_id event_id event_type occurred_at status is_immediate attempts next_attempt_at last_attempt_at
         last_status_code last_error response_excerpt duration_ms expires_at created_at",
        // Traces are of one deployment.
        &[ACCOUNT, Column::Reset("traceparent", "NULL"), Column::Reset("tracestate", "NULL")],
    )
    .rows("t.account_id = $1 AND t.status <> 'pending'"),
    Table::exported(
        "account_service_keys",
        &[("id", "uuid")],
        "id key_hash key_prefix label permissions created_at updated_at expires_at last_used_at",
        &[ACCOUNT, Column::Person("created_by")],
    )
    .credentials(),
    // Keys are made anew, and budgets of keys with them.
    Table::exported(
        "usage_budgets",
        &[("id", "uuid")],
        "id subject_kind unit period maximum warn_percent is_stopping created_at updated_at",
        &[
            ACCOUNT,
            Column::Mapped(SUBJECT),
            Column::Person("created_by"),
            Column::Reset("warned_period", "NULL"),
            Column::Reset("reached_period", "NULL"),
            Column::Reset("stopped_until", "NULL"),
        ],
    )
    .rows(
        "t.account_id = $1 AND (t.subject_kind = 'account' OR t.subject_kind = 'extension'
            AND t.subject_id IN (SELECT id FROM extensions))",
    ),
    Table::exported(
        "popout_tokens",
        &[("id", "uuid")],
        "id token_hash token_prefix label permissions created_at expires_at last_used_at",
        &[ACCOUNT, Column::Holder("user_id"), Column::Person("created_by")],
    )
    .credentials(),
    Table::exported(
        "invites",
        &[("id", "uuid")],
        "id code role_id method email max_uses use_count expires_at created_at",
        &[
            ACCOUNT,
            Column::Person("target_user_id"),
            Column::Person("created_by"),
            own!("created_by_key", "account_service_keys"),
        ],
    )
    .credentials(),
    Table::exported(
        "audit_links",
        &[("seq", "bigint")],
        "seq entry_id created_at salt commitment content hash",
        &[ACCOUNT],
    ),
    Table::exported(
        "audit_log",
        &[("id", "uuid")],
        // Actors stay as they are: the chain covers them.
        "id actor_type actor_id action resource_type resource_id metadata ip created_at",
        &[ACCOUNT, Column::Reset("scope", "'account'")],
    )
    .rows("t.account_id = $1 AND t.scope = 'account'"),
    Table::exported(
        "audit_checkpoints",
        &[("seq", "bigint")],
        "seq hash signed_at is_anchor public_key signature began_at",
        &[ACCOUNT],
    ),
];

/// Secret without which the row is of no use: an import that has none makes a new one or removes the row.
const NEEDED: Secret = Secret { without: "''", ..SECRET_OF_ROW };
/// Token of a bot, with which it works again.
const BOT_TOKEN: Secret = Secret { also: ", reconnect_required = false", ..SECRET_OF_ROW };
/// Slug of the account. One that is in use gets a random ending.
const SLUG: Mapped = Mapped {
    name: "slug",
    export: "t.slug",
    import: "(SELECT CASE WHEN EXISTS (SELECT FROM accounts AS other WHERE other.slug = given.slug)
            THEN left(given.slug, 40) || '-' || left(gen_random_uuid()::text, 8) ELSE given.slug END
        FROM (SELECT line.r ->> 'slug' AS slug) AS given)",
};
/// Subject of a budget: the account, or an extension.
const SUBJECT: Mapped = Mapped {
    name: "subject_id",
    export:
        "(CASE t.subject_kind WHEN 'extension' THEN (SELECT short_id FROM extensions WHERE id = t.subject_id)
        ELSE t.subject_id::text END)",
    import: "(SELECT CASE line.r ->> 'subject_kind'
            WHEN 'account' THEN $2
            WHEN 'extension' THEN (SELECT id FROM extensions WHERE short_id = line.r ->> 'subject_id') END)",
};

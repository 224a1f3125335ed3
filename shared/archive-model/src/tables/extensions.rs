//! Installed extensions with their data, automations and bot commands.

use super::{ACCOUNT, Column, Mapped, SECRET_OF_ROW, Secret, Table, install, own};

/// The tables, in the order of their foreign keys.
pub(super) const TABLES: &[Table] = &[
    Table::exported(
        "extension_installs",
        &[("id", "uuid")],
        "id pinned_version enabled killed_at created_at updated_at exempt_roles",
        &[
            ACCOUNT,
            Column::Mapped(EXTENSION),
            Column::Mapped(VERSION),
            Column::Mapped(PERMISSIONS),
            Column::Person("installed_by"),
            Column::Mapped(SETTINGS),
            Column::Reset("offered_version_id", "NULL"),
            Column::Reset("stop_told_at", "NULL"),
        ],
    ),
    Table::exported(
        "extension_storage",
        &[("install_id", "uuid")],
        "value version updated_at",
        &[ACCOUNT, Column::Mapped(EXTENSION), install!("install_id")],
    ),
    Table::exported(
        "extension_rows",
        &[("id", "uuid")],
        "id table_name data bytes created_at updated_at",
        &[ACCOUNT, Column::Mapped(EXTENSION), install!("install_id")],
    ),
    Table::exported(
        "extension_values",
        &[("subject", "uuid"), (EXTENSION.export, "text"), ("scope", "text"), ("owner", "text"), ("key", "text")],
        "scope owner key value bytes updated_at",
        &[ACCOUNT, Column::Mapped(EXTENSION), install!("subject")],
    ),
    Table::exported(
        "extension_usage",
        &[("subject", "uuid"), (EXTENSION.export, "text"), ("scope", "text"), ("owner", "text")],
        "scope owner bytes keys",
        &[ACCOUNT, Column::Mapped(EXTENSION), install!("subject")],
    ),
    Table::exported(
        "extension_uninstalls",
        &[("install_id", "uuid")],
        "uninstalled_at",
        &[ACCOUNT, Column::Mapped(EXTENSION), install!("install_id")],
    ),
    Table::exported(
        "extension_uploads",
        &[("id", "uuid")],
        "id filename content_type size_bytes sha256 storage_key created_at abandoned_at",
        &[ACCOUNT, Column::Mapped(EXTENSION)],
    ),
    Table::exported(
        "automations",
        &[("id", "uuid")],
        "id name description enabled trigger_types version last_run_at run_count created_at updated_at",
        &[
            ACCOUNT,
            Column::Person("created_by"),
            // The scheduler finds the next time by the nodes.
            Column::Reset("next_run_at", "CASE WHEN t.enabled THEN now() END"),
        ],
    ),
    Table::exported(
        "automation_nodes",
        &[("automation_id", "uuid"), ("id", "uuid")],
        "automation_id id node_type label config x y position",
        &[ACCOUNT, install!("install_id")],
    ),
    Table::exported(
        "automation_edges",
        &[("automation_id", "uuid"), ("id", "uuid")],
        "automation_id id source_node_id source_handle target_node_id position",
        &[ACCOUNT],
    ),
    Table::exported(
        "automation_trigger_registrations",
        &[("id", "uuid")],
        "id automation_id node_id mode poll_interval_seconds config state enabled created_at updated_at",
        &[
            ACCOUNT,
            own!("install_id", "extension_installs"),
            Column::Secret(Secret {
                name: "webhook_secret",
                also: ", webhook_secret_hash = $4",
                ..SECRET_OF_ROW
            }),
            Column::Reset("webhook_secret_hash", "NULL"),
        ],
    ),
    Table::exported(
        "automation_runs",
        &[("id", "uuid")],
        "id automation_id status trigger dedupe_key error started_at finished_at created_at depth graph context busy_ms
         cancel_requested_at is_test parent_run_id",
        &[
            ACCOUNT,
            Column::Reset("wake_at", "NULL"),
            Column::Reset("lease_until", "NULL"),
            Column::Reset("lease_owner", "NULL"),
            Column::Reset("publish_end_at", "NULL"),
        ],
    )
    .rows("t.account_id = $1 AND t.finished_at IS NOT NULL"),
    Table::exported(
        "automation_steps",
        &[("run_id", "uuid"), ("position", "integer")],
        "run_id position node_id status input output result branch error started_at duration_ms claimed_at answer",
        &[ACCOUNT],
    )
    .rows(
        "t.account_id = $1 AND EXISTS (SELECT FROM automation_runs AS runs
            WHERE runs.id = t.run_id AND runs.finished_at IS NOT NULL)",
    ),
    Table::exported(
        "bot_commands",
        &[("id", "uuid")],
        "id name aliases description response_type response automation_id platforms min_role cooldown_global
         cooldown_user enabled created_at updated_at",
        &[ACCOUNT],
    ),
    Table::exported(
        "bot_command_overrides",
        &[(COMMAND.export, "text")],
        "response platforms min_role cooldown_global cooldown_user enabled updated_at",
        &[ACCOUNT, Column::Mapped(COMMAND)],
    ),
    Table::exported(
        "bot_command_uses",
        &[(COMMAND.export, "text")],
        "use_count",
        &[ACCOUNT, Column::Mapped(COMMAND)],
    ),
];

/// Extension, by its short id.
const EXTENSION: Mapped = Mapped {
    name: "extension_id",
    export: "(SELECT short_id FROM extensions WHERE id = t.extension_id)",
    import: "(SELECT id FROM extensions WHERE short_id = line.r ->> 'extension_id')",
};
/// Version that an import installs: the one of that number if it was published, else the current one. None of an
/// extension that not every account may install without a purchase.
macro_rules! installed_version {
    () => {
        "(SELECT coalesce((SELECT versions.id FROM extension_versions AS versions
                WHERE versions.extension_id = extensions.id AND versions.version = line.r ->> 'version_id'
                    AND versions.status IN ('approved', 'archived')),
            extensions.current_version_id)
        FROM extensions WHERE short_id = line.r ->> 'extension_id' AND current_version_id IS NOT NULL
            AND pricing_type = 'free'
            AND (visibility IN ('unlisted', 'system') OR visibility = 'public' AND listed_at IS NOT NULL))"
    };
}

/// Version of the extension, by its number. A deployment that has not published it uses the current one.
const VERSION: Mapped = Mapped {
    name: "version_id",
    export: "(SELECT version FROM extension_versions WHERE id = t.version_id)",
    import: installed_version!(),
};
/// Permissions that the account has granted, as far as the installed version asks for them.
const PERMISSIONS: Mapped = Mapped {
    name: "granted_permissions",
    export: "t.granted_permissions",
    import: concat!(
        "ARRAY(SELECT given.permission
            FROM jsonb_array_elements_text(coalesce(line.r -> 'granted_permissions', '[]'))
                WITH ORDINALITY AS given (permission, place)
            WHERE (SELECT asking.manifest -> 'permissions' FROM extension_versions AS asking WHERE asking.id = ",
        installed_version!(),
        ") ? given.permission ORDER BY given.place)"
    ),
};
/// Configuration of an install. Its sealed settings are secrets.
const SETTINGS: Mapped = Mapped {
    name: "config",
    export: "(SELECT coalesce(jsonb_object_agg(setting.key, setting.value)
            FILTER (WHERE jsonb_typeof(setting.value) <> 'object' OR NOT setting.value ? '$sealed'), '{}')
        FROM jsonb_each(t.config) AS setting)",
    import: "(line.r -> 'config')",
};
/// Bot command: one of the account by its id, a global one by its name.
const COMMAND: Mapped = Mapped {
    name: "command_id",
    export: "(SELECT CASE WHEN commands.account_id IS NULL THEN 'global:' || commands.name ELSE commands.id::text END
        FROM bot_commands AS commands WHERE commands.id = t.command_id)",
    import: "(SELECT commands.id FROM bot_commands AS commands
        WHERE commands.account_id = $2 AND commands.id::text = line.r ->> 'command_id'
            OR commands.account_id IS NULL AND 'global:' || commands.name = line.r ->> 'command_id')",
};

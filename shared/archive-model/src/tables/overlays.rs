//! Overlays, widgets and their tokens, and the settings that name an overlay.

use super::{ACCOUNT, Column, SECRET_OF_ROW, Secret, Table, own};

/// The tables, in the order of their foreign keys.
pub(super) const TABLES: &[Table] = &[
    Table::exported(
        "overlays",
        &[("id", "uuid")],
        "id name key width height background version created_at updated_at",
        &[
            ACCOUNT,
            own!("thumbnail_upload_id", "uploads"),
            Column::Secret(Secret { name: "token", without: "''", ..SECRET_OF_ROW }),
        ],
    ),
    Table::exported(
        "overlay_layers",
        &[("id", "uuid")],
        "id overlay_id layer_type name config visible sort_order x y width height rotation opacity locked",
        // The jobs that change layers back are not in the archive.
        &[
            ACCOUNT,
            own!("install_id", "extension_installs"),
            Column::Reset("shown_until", "NULL"),
            Column::Reset("hidden_until", "NULL"),
        ],
    ),
    Table::exported(
        "overlay_access",
        &[("id", "uuid")],
        "id overlay_id role created_at",
        &[ACCOUNT, Column::Holder("user_id"), Column::Person("granted_by")],
    ),
    Table::exported(
        "widgets",
        &[("id", "uuid")],
        "id name widget_type config width height enabled token_prefix created_at updated_at",
        &[ACCOUNT, own!("install_id", "extension_installs")],
    ),
    Table::exported(
        "widget_access",
        &[("id", "uuid")],
        "id widget_id role created_at",
        &[ACCOUNT, Column::Holder("user_id"), Column::Person("granted_by")],
    ),
    Table::exported(
        "account_settings",
        &[("account_id", "uuid")],
        "locale timezone currency command_prefix chat_default_platforms chat_show_timestamps chat_highlight_mentions
         chat_font_size alerts_muted alerts_volume store_chat store_user_profiles default_overlay_id updated_at",
        &[ACCOUNT],
    ),
    // Tokens of extensions live for minutes.
    Table::exported(
        "surface_tokens",
        &[("id", "uuid")],
        "id kind subject token_hash token_prefix surface created_at expires_at",
        &[ACCOUNT, Column::Holder("user_id"), Column::Reset("revoked_at", "NULL")],
    )
    .rows("t.account_id = $1 AND t.kind <> 'extension' AND t.revoked_at IS NULL")
    .credentials(),
    Table::exported(
        "overlay_shares",
        &[("id", "uuid")],
        "overlay_id label created_at",
        &[ACCOUNT, own!("id", "surface_tokens"), Column::Person("created_by")],
    )
    .rows(
        "t.account_id = $1 AND EXISTS (SELECT FROM surface_tokens AS tokens
            WHERE tokens.id = t.id AND tokens.revoked_at IS NULL)",
    )
    .credentials(),
];

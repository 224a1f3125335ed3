//! Rows over time, chatters and their profiles. They are read in pages by their order, for which each has an index.

use super::{ACCOUNT, Column, Table};

/// The tables.
pub(super) const TABLES: &[Table] = &[
    Table::exported(
        "chat_messages",
        &[("sent_at", "timestamptz"), ("id", "uuid")],
        "id platform platform_message_id platform_user_id username display_name color badges text fragments emotes
         reply_to is_deleted is_action sent_at",
        &[ACCOUNT],
    )
    .over_time(),
    Table::exported(
        "events",
        &[("occurred_at", "timestamptz"), ("id", "uuid")],
        "id event_type platform platform_event_id platform_user_id username display_name avatar_url amount currency
         message data is_test occurred_at",
        &[ACCOUNT],
    )
    .over_time(),
    Table::exported(
        "stream_samples",
        &[("at", "timestamptz"), ("platform", "text")],
        "platform at viewer_count message_count unique_chatters follower_delta",
        &[ACCOUNT],
    )
    .over_time(),
    Table::exported(
        "platform_users",
        &[("platform", "text"), ("platform_user_id", "text")],
        "platform platform_user_id username display_name avatar_url message_count first_seen_at last_seen_at",
        // The database generates it.
        &[ACCOUNT, Column::Reset("seen_slot", "DEFAULT")],
    )
    .over_time(),
    Table::exported(
        "platform_user_profiles",
        &[("platform", "text"), ("platform_user_id", "text")],
        "platform platform_user_id profile enriched_at",
        &[ACCOUNT],
    )
    .over_time(),
    Table::exported(
        "youtube_membership_tiers",
        &[("tooltip", "text")],
        "tooltip tier_name badge_url duration_value duration_unit member_months_min first_seen_at last_seen_at",
        &[ACCOUNT],
    )
    .over_time(),
];

//! Rewards, songs, and what moderators have done and written.

use super::{ACCOUNT, Column, Table};

/// The tables, in the order of their foreign keys.
pub(super) const TABLES: &[Table] = &[
    Table::exported(
        "rewards",
        &[("id", "uuid")],
        "id platform platform_reward_id is_managed title cost enabled action created_at updated_at",
        &[ACCOUNT],
    ),
    Table::exported(
        "listed_songs",
        &[("id", "uuid")],
        "id list spotify_track_id isrc title artist title_key artist_key created_at",
        &[ACCOUNT],
    ),
    Table::exported(
        "playlist_syncs",
        &[("id", "uuid")],
        "id playlist_id name list snapshot_id track_count last_synced_at error due_at created_at updated_at",
        &[ACCOUNT, Column::Reset("claimed_until", "NULL")],
    ),
    Table::exported(
        "playlist_sync_songs",
        &[("sync_id", "uuid"), ("song_id", "uuid")],
        "sync_id song_id",
        &[ACCOUNT],
    ),
    Table::exported(
        "user_notes",
        &[("id", "uuid")],
        "id platform platform_user_id body created_at updated_at",
        &[ACCOUNT, Column::Person("author_id")],
    ),
    Table::exported(
        "moderation_log",
        &[("id", "uuid")],
        "id platform action target moderator_type reason duration_secs success details platform_ban_id created_at
         author_id",
        &[ACCOUNT, Column::Actor("moderator_id")],
    ),
    Table::exported(
        "polls",
        &[("id", "uuid")],
        "id platform platform_poll_id title choices status winning_choice_id started_at ends_at ended_at updated_at",
        &[ACCOUNT],
    ),
    Table::exported(
        "predictions",
        &[("id", "uuid")],
        "id platform platform_prediction_id title outcomes status winning_outcome_id started_at locks_at ended_at
         updated_at",
        &[ACCOUNT],
    ),
];

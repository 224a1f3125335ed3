//! Sessions of streams that have ended, with their reports and shared links.

use super::{ACCOUNT, Column, Table};

/// The tables, in the order of their foreign keys.
pub(super) const TABLES: &[Table] = &[
    Table::exported(
        "stream_sessions",
        &[("id", "uuid")],
        "id session_type platforms title category categories started_at ended_at last_off_at minutes_from minutes_to
         duration_secs peak_viewers avg_viewers total_messages unique_chatters new_followers new_subscribers report
         report_made_at",
        &[
            ACCOUNT,
            // A report is made of rows that are not in the archive, so it is not made anew.
            Column::Reset("recount_from", "NULL"),
            Column::Reset("report_due_at", "NULL"),
        ],
    )
    .rows("t.account_id = $1 AND t.ended_at IS NOT NULL"),
    Table::exported(
        "stream_broadcasts",
        &[("id", "uuid")],
        "id session_id platform platform_channel_id broadcast_id title category started_at ended_at stated_start spans
         peak_viewers avg_viewers viewer_sum viewer_minutes sampled_at",
        &[ACCOUNT],
    )
    .rows(OF_ENDED),
    Table::exported(
        "stream_changes",
        &[("session_id", "uuid"), ("id", "bigint")],
        "session_id platform kind value is_first at",
        &[ACCOUNT, Column::Reset("id", "DEFAULT")],
    )
    .rows(OF_ENDED),
    Table::exported("stream_floors", &[("account_id", "uuid")], "ended_at minutes_to", &[ACCOUNT]),
    Table::exported(
        "stream_shared_links",
        &[("id", "uuid")],
        "id report_id token_hash password_hash allow_export created_at expires_at revoked_at view_count last_viewed_at",
        &[ACCOUNT, Column::Person("created_by")],
    )
    .rows(
        "t.account_id = $1 AND EXISTS (SELECT FROM stream_sessions AS sessions
            WHERE sessions.id = t.report_id AND sessions.ended_at IS NOT NULL)",
    )
    .credentials(),
];

/// Rows of sessions that have ended.
const OF_ENDED: &str = "t.account_id = $1 AND EXISTS (SELECT FROM stream_sessions AS sessions
    WHERE sessions.id = t.session_id AND sessions.ended_at IS NOT NULL)";

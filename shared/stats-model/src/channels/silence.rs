//! End of live states that are no longer observed (reference/public-stats.md#samples).

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    sql_query,
    sql_types::{BigInt, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;

/// Time without a first-party observation after which a channel counts as offline. A channel of the crawler
/// has two intervals.
pub const MAX_FIRST_PARTY_SILENCE: TimeDelta = TimeDelta::minutes(5);

/// Ends the live state of at most `limit` channels that were not observed for too long. Returns their number.
///
/// # Errors
/// A failure of the database.
pub async fn end_silent(connection: &mut AsyncPgConnection, now: DateTime<Utc>, limit: i64) -> Result<usize> {
    Ok(sql_query(END_SILENT)
        .bind::<Timestamptz, _>(now)
        .bind::<Timestamptz, _>(now - MAX_FIRST_PARTY_SILENCE)
        .bind::<BigInt, _>(limit)
        .prepared()
        .execute(connection)
        .await?)
}

const END_SILENT: &str = "
    WITH silent AS MATERIALIZED (
        SELECT platform, platform_channel_id FROM public_channels
        WHERE is_live AND live_seen_at < CASE WHEN first_party_at >= live_seen_at THEN $2
            ELSE $1 - 2 * (SELECT interval_secs FROM crawler_scope) * interval '1 second' END
        ORDER BY platform, platform_channel_id LIMIT $3 FOR UPDATE SKIP LOCKED
    )
    UPDATE public_channels AS channel SET is_live = false, current_viewers = NULL, current_title = NULL,
        current_broadcast_id = NULL, live_since = NULL,
        last_streamed_at = greatest(channel.last_streamed_at, channel.live_seen_at)
    FROM silent
    WHERE channel.platform = silent.platform AND channel.platform_channel_id = silent.platform_channel_id";

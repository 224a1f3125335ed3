//! Schedule of channels that a directory lists.

use chrono::{DateTime, Utc};
use diesel::{
    sql_query,
    sql_types::{Array, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{Result, platform::Platform};

/// Rows are written in the order of their keys, so that copies do not wait for each other in circles. A visit
/// that is under way loses its claim.
const SCHEDULE: &str = "
    INSERT INTO crawler_channels AS known (platform, platform_channel_id, next_at, visited_at, profile_next_at)
    SELECT DISTINCT $1, given.id, $4, $3, $3 FROM unnest($2) AS given (id) ORDER BY 2
    ON CONFLICT (platform, platform_channel_id) DO UPDATE SET next_at = excluded.next_at,
        visited_at = excluded.visited_at, failures = 0, lease_owner = NULL, lease_until = NULL,
        profile_next_at = coalesce(known.profile_next_at,
            greatest(excluded.visited_at, known.profiled_at + interval '1 day'))";

const DROP: &str = "
    WITH dropped AS MATERIALIZED (
        SELECT platform, platform_channel_id FROM crawler_channels
        WHERE platform = $1 AND platform_channel_id = ANY ($2) AND next_at IS NOT NULL AND NOT is_watched
        ORDER BY platform_channel_id FOR UPDATE
    )
    UPDATE crawler_channels AS channel
    SET next_at = NULL, profile_next_at = NULL, lease_owner = NULL, lease_until = NULL
    FROM dropped
    WHERE channel.platform = dropped.platform AND channel.platform_channel_id = dropped.platform_channel_id";

/// Stores that channels were listed, and the time at which they are visited otherwise.
pub(super) async fn schedule(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channels: &[&str],
    now: DateTime<Utc>,
    next_at: DateTime<Utc>,
) -> Result<()> {
    if channels.is_empty() {
        return Ok(());
    }
    sql_query(SCHEDULE)
        .bind::<Text, _>(platform.slug())
        .bind::<Array<Text>, _>(channels)
        .bind::<Timestamptz, _>(now)
        .bind::<Timestamptz, _>(next_at)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Ends the visits to channels that are live and not within the scope.
pub(super) async fn drop_excess(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channels: &[String],
) -> Result<()> {
    if channels.is_empty() {
        return Ok(());
    }
    sql_query(DROP)
        .bind::<Text, _>(platform.slug())
        .bind::<Array<Text>, _>(channels)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

//! Entries of the watch list, and the schedule of their channels.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::{Result, platform::Platform};
use uuid::Uuid;

/// Entry whose channel is not known.
#[derive(Debug, QueryableByName)]
pub(super) struct Entry {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = Text)]
    pub channel: String,
}

/// The platform is not requested about the names of channels that were opted out.
const CLAIM: &str = "
    WITH due AS MATERIALIZED (
        SELECT entry.id FROM crawler_watchlist AS entry
        WHERE entry.platform = $1 AND entry.platform_channel_id IS NULL AND entry.resolve_next_at <= $2
            AND NOT EXISTS (SELECT FROM public_channels AS channel
                WHERE channel.platform = $1 AND channel.platform_channel_id = entry.channel AND channel.is_hidden)
            AND NOT EXISTS (SELECT FROM public_channel_settings AS settings
                WHERE settings.platform = $1 AND NOT settings.is_public
                    AND (settings.platform_channel_id = entry.channel
                        OR lower(settings.channel_name) = lower(entry.channel)))
        ORDER BY entry.resolve_next_at LIMIT $4 FOR UPDATE SKIP LOCKED
    )
    UPDATE crawler_watchlist AS entry SET resolve_next_at = $3 FROM due WHERE entry.id = due.id
    RETURNING entry.id, entry.channel";

const SET_FOUND: &str = "
    UPDATE crawler_watchlist AS entry SET platform_channel_id = given.channel
    FROM unnest($1, $2) AS given (id, channel) WHERE entry.id = given.id";

const POSTPONE: &str = "UPDATE crawler_watchlist SET resolve_next_at = $2 WHERE id = ANY ($1)";

/// Channels that an account measures, or has opted out, are not visited.
const SCHEDULE: &str = "
    INSERT INTO crawler_channels AS known (platform, platform_channel_id, is_watched, next_at, profile_next_at)
    SELECT DISTINCT $1, entry.platform_channel_id, true, $2, $2
    FROM crawler_watchlist AS entry
    WHERE entry.platform = $1 AND entry.platform_channel_id IS NOT NULL
        AND NOT EXISTS (SELECT FROM crawler_channels AS crawled
            WHERE crawled.platform = $1 AND crawled.platform_channel_id = entry.platform_channel_id
                AND crawled.is_watched AND crawled.next_at IS NOT NULL)
        AND NOT EXISTS (SELECT FROM channel_connections AS connection
            WHERE connection.platform = $1 AND connection.platform_channel_id = entry.platform_channel_id)
        AND NOT EXISTS (SELECT FROM public_channels AS channel
            WHERE channel.platform = $1 AND channel.platform_channel_id = entry.platform_channel_id
                AND channel.is_hidden)
    ORDER BY 2
    ON CONFLICT (platform, platform_channel_id) DO UPDATE SET is_watched = true,
        next_at = coalesce(known.next_at, excluded.next_at),
        profile_next_at = coalesce(known.profile_next_at,
            greatest(excluded.profile_next_at, known.profiled_at + interval '1 day'))";

const UNWATCH: &str = "
    UPDATE crawler_channels AS channel SET is_watched = false
    WHERE channel.platform = $1 AND channel.is_watched AND NOT EXISTS (
        SELECT FROM crawler_watchlist AS entry
        WHERE entry.platform = $1 AND entry.platform_channel_id = channel.platform_channel_id)";

/// Claims entries whose channels are not known, until a time.
pub(super) async fn claim(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
    limit: usize,
) -> Result<Vec<Entry>> {
    Ok(sql_query(CLAIM)
        .bind::<Text, _>(platform.slug())
        .bind::<Timestamptz, _>(now)
        .bind::<Timestamptz, _>(until)
        .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX))
        .prepared()
        .load(connection)
        .await?)
}

/// Stores the channels of entries.
pub(super) async fn set_found(connection: &mut AsyncPgConnection, found: &[(&Entry, &str)]) -> Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    sql_query(SET_FOUND)
        .bind::<Array<SqlUuid>, _>(column(found, |(entry, _)| entry.id))
        .bind::<Array<Text>, _>(column(found, |(_, channel)| *channel))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Sets the time of the next attempt for entries without a channel.
pub(super) async fn postpone(
    connection: &mut AsyncPgConnection,
    entries: &[&Entry],
    until: DateTime<Utc>,
) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    sql_query(POSTPONE)
        .bind::<Array<SqlUuid>, _>(column(entries, |entry| entry.id))
        .bind::<Timestamptz, _>(until)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Adds the channels of entries to the schedule.
pub(super) async fn schedule(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    now: DateTime<Utc>,
) -> Result<()> {
    sql_query(SCHEDULE)
        .bind::<Text, _>(platform.slug())
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Takes the mark off channels that no entry names any more.
pub(super) async fn unwatch(connection: &mut AsyncPgConnection, platform: Platform) -> Result<()> {
    sql_query(UNWATCH).bind::<Text, _>(platform.slug()).prepared().execute(connection).await?;
    Ok(())
}

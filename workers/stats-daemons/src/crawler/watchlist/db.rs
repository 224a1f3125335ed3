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

#[derive(QueryableByName)]
struct Renewed {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

const CLAIM: &str = "
    WITH due AS MATERIALIZED (
        SELECT entry.id FROM crawler_watchlist AS entry
        WHERE entry.platform = $1 AND entry.platform_channel_id IS NULL AND entry.resolve_next_at <= $2
        ORDER BY entry.resolve_next_at LIMIT $4 FOR UPDATE SKIP LOCKED
    )
    UPDATE crawler_watchlist AS entry SET resolve_next_at = $3 FROM due WHERE entry.id = due.id
    RETURNING entry.id, entry.channel";

/// An entry that another copy has claimed, or found, has another time or none.
const RENEW: &str = "
    WITH claimed AS MATERIALIZED (
        SELECT id FROM crawler_watchlist
        WHERE id = ANY ($1) AND platform_channel_id IS NULL AND resolve_next_at = $2 ORDER BY id FOR UPDATE
    )
    UPDATE crawler_watchlist AS entry SET resolve_next_at = $3 FROM claimed WHERE entry.id = claimed.id
    RETURNING entry.id";

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
            WHERE connection.platform = $1 AND connection.platform_channel_id = entry.platform_channel_id
                AND connection.connected_at > 'epoch')
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

/// Renews claims that end at `held`, until another time. Returns the entries that this copy still has.
pub(super) async fn renew(
    connection: &mut AsyncPgConnection,
    entries: &[Uuid],
    (held, until): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<Uuid>> {
    let renewed: Vec<Renewed> = sql_query(RENEW)
        .bind::<Array<SqlUuid>, _>(entries)
        .bind::<Timestamptz, _>(held)
        .bind::<Timestamptz, _>(until)
        .prepared()
        .load(connection)
        .await?;
    Ok(renewed.into_iter().map(|entry| entry.id).collect())
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

//! Claims on channels, and the results of visits.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use serde::Serialize;
use shared::{Result, platform::Platform};
use uuid::Uuid;

/// Claim on channels that are due.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClaimRequest {
    pub platform: Platform,
    pub owner: Uuid,
    pub now: DateTime<Utc>,
    /// Time up to which channels are claimed when one is due now.
    pub ahead: DateTime<Utc>,
    /// End of the claim.
    pub until: DateTime<Utc>,
    pub limit: usize,
}

/// Channel that this copy has claimed.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Claimed {
    #[diesel(sql_type = Text)]
    pub id: String,
    #[diesel(sql_type = Timestamptz)]
    pub next_at: DateTime<Utc>,
    #[diesel(sql_type = Integer)]
    pub failures: i32,
    #[diesel(sql_type = Bool)]
    pub is_watched: bool,
    #[diesel(sql_type = Array<Text>)]
    pub broadcast_ids: Vec<String>,
    #[diesel(sql_type = Nullable<Text>)]
    pub uploads_id: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub uploads_next_at: Option<DateTime<Utc>>,
}

#[derive(QueryableByName)]
struct Renewed {
    #[diesel(sql_type = Text)]
    id: String,
}

/// Facts about the videos of a channel on YouTube.
#[derive(Debug, Clone, Default)]
pub(super) struct Uploads {
    pub channel_id: String,
    /// Playlist of the newest videos.
    pub playlist: Option<String>,
    /// Time of the next list.
    pub next_at: Option<DateTime<Utc>>,
    /// Broadcasts that are live.
    pub live: Vec<String>,
}

/// Result of a visit, as the row stores it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Visited {
    id: String,
    next_at: Option<DateTime<Utc>>,
    is_visited: bool,
    failures: i32,
    broadcast_ids: Vec<String>,
    uploads_id: Option<String>,
    uploads_next_at: Option<DateTime<Utc>>,
}

/// The oldest first. Rows that another copy is claiming are skipped. They are found by their places, because a
/// plan for any number of rows would read the whole table.
const CLAIM: &str = "
    UPDATE crawler_channels SET lease_owner = $2, lease_until = $5
    WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM crawler_channels
        WHERE platform = $1 AND next_at <= $4 AND (lease_until IS NULL OR lease_until <= $3)
        ORDER BY next_at LIMIT $6 FOR UPDATE SKIP LOCKED))
    RETURNING platform_channel_id AS id, next_at, failures, is_watched, broadcast_ids, uploads_id, uploads_next_at";

/// A claim that has passed to another copy, or that the directory ended, is left as it is.
const FINISH: &str = "
    WITH done AS MATERIALIZED (
        SELECT channel.platform, channel.platform_channel_id, given.*
        FROM jsonb_to_recordset($4) AS given (id text, next_at timestamptz, is_visited boolean, failures integer,
            broadcast_ids text[], uploads_id text, uploads_next_at timestamptz)
        JOIN crawler_channels AS channel
            ON channel.platform = $1 AND channel.platform_channel_id = given.id AND channel.lease_owner = $2
        ORDER BY channel.platform_channel_id FOR UPDATE OF channel
    )
    UPDATE crawler_channels AS channel SET next_at = done.next_at,
        visited_at = CASE WHEN done.is_visited THEN $3 ELSE channel.visited_at END,
        failures = done.failures, broadcast_ids = done.broadcast_ids, uploads_id = done.uploads_id,
        uploads_next_at = done.uploads_next_at, lease_owner = NULL, lease_until = NULL,
        profile_next_at = CASE WHEN done.next_at IS NOT NULL
            THEN coalesce(channel.profile_next_at, greatest($3, channel.profiled_at + interval '1 day')) END
    FROM done
    WHERE channel.platform = done.platform AND channel.platform_channel_id = done.platform_channel_id";

/// Rows are locked in the order of their keys. Claims that last long enough are not written again.
const RENEW: &str = "
    WITH claimed AS MATERIALIZED (
        SELECT platform, platform_channel_id, lease_until FROM crawler_channels
        WHERE platform = $1 AND platform_channel_id = ANY ($3) AND lease_owner = $2
        ORDER BY platform_channel_id FOR UPDATE
    ), renewed AS (
        UPDATE crawler_channels AS channel SET lease_until = $5 FROM claimed
        WHERE channel.platform = claimed.platform AND channel.platform_channel_id = claimed.platform_channel_id
            AND claimed.lease_until < $4
    )
    SELECT platform_channel_id AS id FROM claimed";

const RELEASE: &str = "
    UPDATE crawler_channels SET lease_owner = NULL, lease_until = NULL
    WHERE platform = $1 AND platform_channel_id = ANY ($3) AND lease_owner = $2";

const DELETE: &str = "DELETE FROM crawler_channels WHERE platform = $1 AND platform_channel_id = ANY ($2)";

/// Claims channels that are due, and with them those that are due soon.
pub(super) async fn claim(
    connection: &mut AsyncPgConnection,
    request: &ClaimRequest,
) -> Result<Vec<Claimed>> {
    let mut claimed = claim_until(connection, request, request.now, request.limit).await?;
    let left = request.limit.saturating_sub(claimed.len());
    if !claimed.is_empty() && left > 0 && request.ahead > request.now {
        claimed.extend(claim_until(connection, request, request.ahead, left).await?);
    }
    Ok(claimed)
}

async fn claim_until(
    connection: &mut AsyncPgConnection,
    request: &ClaimRequest,
    due: DateTime<Utc>,
    limit: usize,
) -> Result<Vec<Claimed>> {
    Ok(sql_query(CLAIM)
        .bind::<Text, _>(request.platform.slug())
        .bind::<SqlUuid, _>(request.owner)
        .bind::<Timestamptz, _>(request.now)
        .bind::<Timestamptz, _>(due)
        .bind::<Timestamptz, _>(request.until)
        .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX))
        .prepared()
        .load(connection)
        .await?)
}

/// Stores the results of visits and ends the claims.
pub(super) async fn finish(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    owner: Uuid,
    now: DateTime<Utc>,
    visited: &[Visited],
) -> Result<()> {
    if visited.is_empty() {
        return Ok(());
    }
    sql_query(FINISH)
        .bind::<Text, _>(platform.slug())
        .bind::<SqlUuid, _>(owner)
        .bind::<Timestamptz, _>(now)
        .bind::<Jsonb, _>(serde_json::to_value(visited)?)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Renews claims that end before `least`, until another time. Returns the channels that this copy still has:
/// others were claimed by another copy, listed by a directory, or opted out.
pub(super) async fn renew(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    owner: Uuid,
    channels: &[Claimed],
    (least, until): (DateTime<Utc>, DateTime<Utc>),
) -> Result<HashSet<String>> {
    let renewed: Vec<Renewed> = sql_query(RENEW)
        .bind::<Text, _>(platform.slug())
        .bind::<SqlUuid, _>(owner)
        .bind::<Array<Text>, _>(ids(channels))
        .bind::<Timestamptz, _>(least)
        .bind::<Timestamptz, _>(until)
        .prepared()
        .load(connection)
        .await?;
    Ok(renewed.into_iter().map(|channel| channel.id).collect())
}

/// Ends claims on channels that were not visited.
pub(super) async fn release(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    owner: Uuid,
    channels: &[Claimed],
) -> Result<()> {
    if channels.is_empty() {
        return Ok(());
    }
    sql_query(RELEASE)
        .bind::<Text, _>(platform.slug())
        .bind::<SqlUuid, _>(owner)
        .bind::<Array<Text>, _>(ids(channels))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes the schedule of channels that were opted out.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channels: &[Claimed],
) -> Result<()> {
    if channels.is_empty() {
        return Ok(());
    }
    sql_query(DELETE)
        .bind::<Text, _>(platform.slug())
        .bind::<Array<Text>, _>(ids(channels))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) fn ids(channels: &[Claimed]) -> Vec<&str> {
    channels.iter().map(|channel| channel.id.as_str()).collect()
}

impl Visited {
    /// Result of an answer.
    pub fn at(channel: &Claimed, next_at: Option<DateTime<Utc>>, uploads: Option<&Uploads>) -> Self {
        let mut visited = Self { next_at, is_visited: true, failures: 0, ..Self::unchanged(channel) };
        if let Some(uploads) = uploads {
            visited.broadcast_ids.clone_from(&uploads.live);
            visited.uploads_id.clone_from(&uploads.playlist);
            visited.uploads_next_at = uploads.next_at;
        }
        visited
    }

    /// Channel that its account measures from now on.
    pub fn left(channel: &Claimed) -> Self {
        Self { next_at: None, ..Self::unchanged(channel) }
    }

    /// Channel about which the platform refused to report.
    pub fn refused(channel: &Claimed, next_at: DateTime<Utc>) -> Self {
        let failures = channel.failures.saturating_add(1);
        Self { next_at: Some(next_at), failures, ..Self::unchanged(channel) }
    }

    fn unchanged(channel: &Claimed) -> Self {
        Self {
            id: channel.id.clone(),
            next_at: Some(channel.next_at),
            is_visited: false,
            failures: channel.failures,
            broadcast_ids: channel.broadcast_ids.clone(),
            uploads_id: channel.uploads_id.clone(),
            uploads_next_at: channel.uploads_next_at,
        }
    }
}

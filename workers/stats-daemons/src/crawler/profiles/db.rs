//! Schedule of profiles.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{Result, platform::Platform};

/// Channel whose profile this copy reads.
#[derive(Debug, QueryableByName)]
pub(super) struct Claimed {
    #[diesel(sql_type = Text)]
    pub id: String,
    /// True while the channel is visited.
    #[diesel(sql_type = Bool)]
    pub is_scheduled: bool,
}

#[derive(QueryableByName)]
struct Renewed {
    #[diesel(sql_type = Text)]
    id: String,
}

/// Rows are found by their places, because a plan for any number of rows would read the whole table.
const CLAIM: &str = "
    UPDATE crawler_channels SET profile_next_at = $3
    WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM crawler_channels WHERE platform = $1 AND profile_next_at <= $2
        ORDER BY profile_next_at LIMIT $4 FOR UPDATE SKIP LOCKED))
    RETURNING platform_channel_id AS id, next_at IS NOT NULL AS is_scheduled";

const SET_NEXT: &str = "
    UPDATE crawler_channels SET profile_next_at = $3 WHERE platform = $1 AND platform_channel_id = ANY ($2)";

/// A profile that another copy has claimed or read, or that is read no longer, has another time or none.
const RENEW: &str = "
    WITH claimed AS MATERIALIZED (
        SELECT platform, platform_channel_id FROM crawler_channels
        WHERE platform = $1 AND platform_channel_id = ANY ($2) AND profile_next_at = $3
        ORDER BY platform_channel_id FOR UPDATE
    )
    UPDATE crawler_channels AS channel SET profile_next_at = $4 FROM claimed
    WHERE channel.platform = claimed.platform AND channel.platform_channel_id = claimed.platform_channel_id
    RETURNING channel.platform_channel_id AS id";

/// Claims profiles that are due until a time.
pub(super) async fn claim(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
    limit: usize,
) -> Result<Vec<Claimed>> {
    Ok(sql_query(CLAIM)
        .bind::<Text, _>(platform.slug())
        .bind::<Timestamptz, _>(now)
        .bind::<Timestamptz, _>(until)
        .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX))
        .prepared()
        .load(connection)
        .await?)
}

/// Renews claims that end at `held`, until another time. Returns the channels that this copy still has.
pub(super) async fn renew(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channels: &[&str],
    (held, until): (DateTime<Utc>, DateTime<Utc>),
) -> Result<HashSet<String>> {
    let renewed: Vec<Renewed> = sql_query(RENEW)
        .bind::<Text, _>(platform.slug())
        .bind::<Array<Text>, _>(channels)
        .bind::<Timestamptz, _>(held)
        .bind::<Timestamptz, _>(until)
        .prepared()
        .load(connection)
        .await?;
    Ok(renewed.into_iter().map(|channel| channel.id).collect())
}

/// Sets the time of the next reading; `None` for none.
pub(super) async fn set_next(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channels: &[String],
    next_at: Option<DateTime<Utc>>,
) -> Result<()> {
    if channels.is_empty() {
        return Ok(());
    }
    sql_query(SET_NEXT)
        .bind::<Text, _>(platform.slug())
        .bind::<Array<Text>, _>(channels)
        .bind::<Nullable<Timestamptz>, _>(next_at)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

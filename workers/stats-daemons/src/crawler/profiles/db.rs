//! Schedule of profiles.

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

/// Rows are found by their places, because a plan for any number of rows would read the whole table.
const CLAIM: &str = "
    UPDATE crawler_channels SET profile_next_at = $3
    WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM crawler_channels WHERE platform = $1 AND profile_next_at <= $2
        ORDER BY profile_next_at LIMIT $4 FOR UPDATE SKIP LOCKED))
    RETURNING platform_channel_id AS id, next_at IS NOT NULL AS is_scheduled";

const SET_NEXT: &str = "
    UPDATE crawler_channels SET profile_next_at = $3 WHERE platform = $1 AND platform_channel_id = ANY ($2)";

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

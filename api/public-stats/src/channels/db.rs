//! Queries over the roll-ups of one channel. None reads a sample.

use api_core::{
    Result, Timestamp,
    graphql::{Int64, int},
};
use chrono::NaiveDate;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Date, Double, Jsonb, Nullable, Text, Timestamptz},
};
use foundation::db::{Prepare, Reader};
use serde_json::Value;
use shared::platform::Platform;

use super::{
    PublicChannelStats, PublicRecentStream,
    objects::{PublicPanel, PublicProfileChange},
};
use crate::{lists::rounded, names::Channel};

/// Number of streams in the answer of a channel.
const MAX_RECENT_STREAMS: i64 = 10;
/// Number of listed panels.
const MAX_PANELS: i64 = 500;
/// Number of pictures of a panel.
const MAX_IMAGES: usize = 20;

/// Figures over all days of a channel.
#[derive(QueryableByName)]
pub(super) struct Totals {
    #[diesel(sql_type = BigInt)]
    stream_count: i64,
    #[diesel(sql_type = BigInt)]
    live_secs: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    peak_viewers: Option<i64>,
    #[diesel(sql_type = Nullable<Double>)]
    avg_viewers: Option<f64>,
    #[diesel(sql_type = BigInt)]
    message_count: i64,
}

#[derive(QueryableByName)]
struct StreamRow {
    #[diesel(sql_type = Text)]
    broadcast_id: String,
    #[diesel(sql_type = Nullable<Text>)]
    title: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    category: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    started_at: Timestamp,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    ended_at: Option<Timestamp>,
    #[diesel(sql_type = Nullable<BigInt>)]
    duration_secs: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    peak_viewers: Option<i64>,
    #[diesel(sql_type = Nullable<Double>)]
    avg_viewers: Option<f64>,
    #[diesel(sql_type = BigInt)]
    total_messages: i64,
}

#[derive(QueryableByName)]
struct ChangeRow {
    #[diesel(sql_type = Text)]
    change_type: String,
    #[diesel(sql_type = Nullable<Text>)]
    old_value: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    new_value: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    changed_at: Timestamp,
}

#[derive(QueryableByName)]
struct PanelRow {
    #[diesel(sql_type = Text)]
    panel_id: String,
    #[diesel(sql_type = Text)]
    content: String,
    #[diesel(sql_type = Jsonb)]
    images: Value,
    #[diesel(sql_type = Timestamptz)]
    first_seen_at: Timestamp,
    #[diesel(sql_type = Timestamptz)]
    last_seen_at: Timestamp,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    removed_at: Option<Timestamp>,
}

/// Figures of a day.
#[derive(QueryableByName)]
pub(super) struct Day {
    #[diesel(sql_type = Date)]
    pub day: NaiveDate,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub follower_count: Option<i64>,
    #[diesel(sql_type = Nullable<Double>)]
    pub avg_viewers: Option<f64>,
}

const TOTALS: &str = "
    SELECT streams.stream_count, days.live_secs, days.peak_viewers, days.avg_viewers, days.message_count
    FROM (SELECT count(*) AS stream_count FROM public_streams
          WHERE platform = $1 AND platform_channel_id = $2) AS streams,
         (SELECT coalesce(sum(live_secs), 0)::bigint AS live_secs,
              max(peak_viewers) FILTER (WHERE live_secs > 0) AS peak_viewers,
              sum(viewer_secs)::double precision / nullif(sum(live_secs), 0)::double precision AS avg_viewers,
              coalesce(sum(message_count), 0)::bigint AS message_count
          FROM public_channel_days WHERE platform = $1 AND platform_channel_id = $2) AS days";

const RECENT_STREAMS: &str = "
    SELECT broadcast_id, title, category, started_at, ended_at, duration_secs, peak_viewers, avg_viewers,
        total_messages
    FROM public_streams WHERE platform = $1 AND platform_channel_id = $2
    ORDER BY started_at DESC, broadcast_id DESC LIMIT $3";

const PROFILE_CHANGES: &str = "
    SELECT change_type, old_value, new_value, changed_at
    FROM public_profile_changes WHERE platform = $1 AND platform_channel_id = $2
    ORDER BY changed_at DESC, id DESC LIMIT $3 OFFSET $4";

const PANELS: &str = "
    SELECT panel_id, content, images, first_seen_at, last_seen_at, removed_at
    FROM public_panels WHERE platform = $1 AND platform_channel_id = $2
    ORDER BY removed_at DESC NULLS FIRST, first_seen_at DESC, panel_id LIMIT $3";

const DAYS: &str = "
    SELECT day, follower_count,
        CASE WHEN live_secs > 0 THEN viewer_secs::double precision / live_secs END AS avg_viewers
    FROM public_channel_days
    WHERE platform = $1 AND platform_channel_id = $2 AND day > $3 AND day <= $4 ORDER BY day";

impl Totals {
    /// Answer about a channel.
    pub(super) fn into_stats(
        self,
        channel: Channel,
        recent_streams: Vec<PublicRecentStream>,
    ) -> PublicChannelStats {
        PublicChannelStats {
            platform_channel_id: channel.platform_channel_id,
            channel_display_name: channel.display_name,
            source: channel.source,
            stream_count: int(self.stream_count),
            total_duration_secs: Int64(self.live_secs),
            peak_viewers: self.peak_viewers.map(Int64),
            avg_viewers: self.avg_viewers.map(rounded),
            total_messages: Int64(self.message_count),
            last_streamed_at: channel.last_streamed_at,
            broadcaster_type: channel.broadcaster_type,
            recent_streams,
        }
    }
}

impl From<StreamRow> for PublicRecentStream {
    fn from(row: StreamRow) -> Self {
        Self {
            broadcast_id: row.broadcast_id,
            title: row.title,
            category: row.category,
            started_at: row.started_at,
            ended_at: row.ended_at,
            duration_secs: row.duration_secs.map(Int64),
            peak_viewers: row.peak_viewers.map(Int64),
            avg_viewers: row.avg_viewers.map(rounded),
            total_messages: Int64(row.total_messages),
        }
    }
}

impl From<ChangeRow> for PublicProfileChange {
    fn from(row: ChangeRow) -> Self {
        let ChangeRow { change_type, old_value, new_value, changed_at } = row;
        Self { change_type, old_value, new_value, changed_at }
    }
}

impl From<PanelRow> for PublicPanel {
    fn from(row: PanelRow) -> Self {
        let status = if row.removed_at.is_none() { "active" } else { "removed" };
        Self {
            panel_id: row.panel_id,
            content: row.content,
            first_seen_at: row.first_seen_at,
            last_seen_at: row.last_seen_at,
            status: status.to_owned(),
            removed_at: row.removed_at,
            images: images(&row.images),
        }
    }
}

/// Addresses in the stored list, whose items are addresses or objects with a `url`.
fn images(stored: &Value) -> Vec<String> {
    let addresses = stored.as_array().into_iter().flatten().filter_map(|image| {
        let address = image.as_str().or_else(|| image.get("url")?.as_str())?;
        Some(address.to_owned())
    });
    addresses.take(MAX_IMAGES).collect()
}

pub(super) async fn totals(reader: &mut Reader<'_>, platform: Platform, id: &str) -> Result<Totals> {
    let query = sql_query(TOTALS).bind::<Text, _>(platform.slug()).bind::<Text, _>(id).prepared();
    Ok(reader.row(query).await?)
}

/// Lists the newest streams of a channel.
pub(super) async fn recent_streams(
    reader: &mut Reader<'_>,
    platform: Platform,
    id: &str,
) -> Result<Vec<PublicRecentStream>> {
    let query = sql_query(RECENT_STREAMS)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(id)
        .bind::<BigInt, _>(MAX_RECENT_STREAMS)
        .prepared();
    let rows: Vec<StreamRow> = reader.rows(query).await?;
    Ok(rows.into_iter().map(PublicRecentStream::from).collect())
}

/// Lists changes of a profile, newest first.
pub(super) async fn profile_changes(
    reader: &mut Reader<'_>,
    platform: Platform,
    id: &str,
    (limit, offset): (i64, i64),
) -> Result<Vec<PublicProfileChange>> {
    let query = sql_query(PROFILE_CHANGES)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(id)
        .bind::<BigInt, _>(limit)
        .bind::<BigInt, _>(offset)
        .prepared();
    let rows: Vec<ChangeRow> = reader.rows(query).await?;
    Ok(rows.into_iter().map(PublicProfileChange::from).collect())
}

/// Lists the panels of a channel: the active ones, then the removed ones, each newest first.
pub(super) async fn panels(
    reader: &mut Reader<'_>,
    platform: Platform,
    id: &str,
) -> Result<Vec<PublicPanel>> {
    let query = sql_query(PANELS)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(id)
        .bind::<BigInt, _>(MAX_PANELS)
        .prepared();
    let rows: Vec<PanelRow> = reader.rows(query).await?;
    Ok(rows.into_iter().map(PublicPanel::from).collect())
}

/// Lists the days of a channel after the first and up to the last of `window`, oldest first.
pub(super) async fn days(
    reader: &mut Reader<'_>,
    platform: Platform,
    id: &str,
    (after, until): (NaiveDate, NaiveDate),
) -> Result<Vec<Day>> {
    let query = sql_query(DAYS)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(id)
        .bind::<Date, _>(after)
        .bind::<Date, _>(until)
        .prepared();
    Ok(reader.rows(query).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_addresses() {
        let stored = serde_json::json!(["https://a.example/1.png", { "url": "https://a.example/2.png" }, { "alt": "x" }, 3]);
        assert_eq!(images(&stored), ["https://a.example/1.png", "https://a.example/2.png"]);
        assert_eq!(images(&Value::Null), Vec::<String>::new());
    }
}

//! Opt-out of channels, and deletion of their rows (reference/public-stats.md#hidden-channels).

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::{Result, platform::Platform};

use crate::{Source, emotes, rollups, text::storable_id};

/// Number of rows that one statement deletes.
const BATCH_SIZE: i64 = 5_000;
/// Maximum number of statements for one table, more than a channel has rows for.
const MAX_BATCHES: usize = 1_000;

/// Statement that deletes a batch of a channel's rows.
macro_rules! delete {
    ($table:literal, $condition:literal) => {
        concat!(
            "DELETE FROM ",
            $table,
            " WHERE ctid = ANY (ARRAY(SELECT ctid FROM ",
            $table,
            " WHERE platform = $1 AND platform_channel_id = $2 AND ",
            $condition,
            " LIMIT $3))"
        )
    };
}

#[derive(QueryableByName)]
struct Channel {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
}

/// Hides a channel and empties its row, in the caller's transaction. From its commit on no roll-up of the
/// crawler's samples is written for the channel, and emotes are counted without it.
///
/// # Errors
/// A failure of the database.
pub async fn hide(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    platform_channel_id: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    lock(connection, platform, platform_channel_id).await?;
    sql_query(HIDE)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(platform_channel_id)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    emotes::mark_channel(connection, platform, platform_channel_id).await
}

/// Shows a hidden channel again if no account's settings hide it, in the caller's transaction. Returns true
/// when this ends that it was hidden.
///
/// # Errors
/// A failure of the database.
pub async fn show(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    platform_channel_id: &str,
) -> Result<bool> {
    let shown = sql_query(SHOW)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(platform_channel_id)
        .prepared()
        .execute(connection)
        .await?;
    if shown > 0 {
        emotes::mark_channel(connection, platform, platform_channel_id).await?;
    }
    Ok(shown > 0)
}

/// Returns those of the given channels that are hidden.
///
/// # Errors
/// A failure of the database.
pub async fn hidden(
    connection: &mut AsyncPgConnection,
    channels: &[(Platform, String)],
) -> Result<Vec<(Platform, String)>> {
    let keys = column(channels, |(platform, id)| (platform.slug(), id.as_str()));
    let hidden = hidden_keys(connection, &keys).await?.into_iter();
    Ok(hidden.filter_map(|(platform, id)| Some((platform.parse().ok()?, id))).collect())
}

/// [`hidden`] by the names of platforms.
pub(crate) async fn hidden_keys(
    connection: &mut AsyncPgConnection,
    channels: &[(&str, &str)],
) -> Result<Vec<(String, String)>> {
    let hidden: Vec<Channel> = sql_query(HIDDEN)
        .bind::<Array<Text>, _>(column(channels, |(platform, _)| *platform))
        .bind::<Array<Text>, _>(column(channels, |(_, id)| storable_id(id)))
        .prepared()
        .load(connection)
        .await?;
    Ok(hidden.into_iter().map(|channel| (channel.platform, channel.platform_channel_id)).collect())
}

/// Deletes the rows that the crawler has made of a channel: days, streams, changes of the profile, panels and
/// its schedule. Ranges are made again from what is left. Samples are deleted by
/// [`crate::samples::delete_channel`].
///
/// # Errors
/// A failure of the database.
pub async fn delete_crawled(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    platform_channel_id: &str,
) -> Result<()> {
    delete_rows(connection, platform, platform_channel_id, Source::ExternalCrawler).await
}

/// Deletes the rows of a channel from one source: as [`delete_crawled`], or the days, streams and emotes that
/// its accounts have made.
///
/// # Errors
/// A failure of the database.
pub async fn delete_rows(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    platform_channel_id: &str,
    source: Source,
) -> Result<()> {
    lock(connection, platform, platform_channel_id).await?;
    delete_tables(connection, platform, platform_channel_id, source).await?;
    if source == Source::FirstParty {
        emotes::delete_channel(connection, platform, platform_channel_id).await?;
    }
    rollups::ranges::make(connection, &[(platform.slug(), platform_channel_id)]).await
}

/// Deletes the rows of a locked channel from one source, except emotes and ranges.
pub(super) async fn delete_tables(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    platform_channel_id: &str,
    source: Source,
) -> Result<()> {
    let statements: &[&str] = match source {
        Source::FirstParty => &[
            delete!("public_channel_days", "source = 'first_party'"),
            delete!("public_streams", "source = 'first_party'"),
        ],
        Source::ExternalCrawler => &[
            delete!("public_channel_days", "source = 'external_crawler'"),
            delete!("public_streams", "source = 'external_crawler'"),
            delete!("public_profile_changes", "true"),
            delete!("public_panels", "true"),
            delete!("crawler_channels", "true"),
        ],
    };
    for statement in statements {
        delete(connection, statement, platform, platform_channel_id).await?;
    }
    Ok(())
}

/// Waits for roll-ups of the channel that are being written, and keeps others away until the transaction
/// ends.
pub(super) async fn lock(connection: &mut AsyncPgConnection, platform: Platform, id: &str) -> Result<()> {
    rollups::ranges::mark(connection, &[(platform.slug(), id)]).await
}

async fn delete(
    connection: &mut AsyncPgConnection,
    statement: &str,
    platform: Platform,
    id: &str,
) -> Result<()> {
    for _ in 0..MAX_BATCHES {
        let deleted = sql_query(statement)
            .bind::<Text, _>(platform.slug())
            .bind::<Text, _>(id)
            .bind::<BigInt, _>(BATCH_SIZE)
            .execute(connection)
            .await?;
        if i64::try_from(deleted).is_ok_and(|deleted| deleted < BATCH_SIZE) {
            break;
        }
    }
    Ok(())
}

/// The names stay, so that the crawler does not request the platform about them
/// (reference/public-stats.md#hidden-channels).
const HIDE: &str = "
    INSERT INTO public_channels AS known (platform, platform_channel_id, source, is_hidden, first_seen_at, hidden_names)
    SELECT $1, $2, 'first_party', true, $3, coalesce(array_agg(DISTINCT ltrim(lower(named.name), '@')), '{}')
    FROM (
        SELECT channel_name AS name FROM public_channel_settings WHERE platform = $1 AND platform_channel_id = $2
        UNION
        SELECT channel_name FROM channel_connections
            WHERE platform = $1 AND platform_channel_id = $2 AND connected_at > 'epoch'
    ) AS named WHERE named.name IS NOT NULL
    ON CONFLICT (platform, platform_channel_id) DO UPDATE SET is_hidden = true, login = NULL, display_name = NULL,
        avatar_url = NULL, broadcaster_type = NULL, language = NULL, is_live = false, current_viewers = NULL,
        current_game_id = NULL, current_game = NULL, current_title = NULL, current_broadcast_id = NULL,
        live_since = NULL, live_seen_at = NULL, last_streamed_at = NULL, followers = NULL, followers_at = NULL,
        profile_at = NULL, first_party_at = NULL,
        hidden_names = ARRAY(SELECT DISTINCT name FROM unnest(known.hidden_names || excluded.hidden_names
            || ltrim(lower(known.login), '@')) AS name WHERE name IS NOT NULL ORDER BY name)";

const SHOW: &str = "
    UPDATE public_channels SET is_hidden = false, hidden_names = '{}'
    WHERE platform = $1 AND platform_channel_id = $2 AND is_hidden AND NOT EXISTS (
        SELECT 1 FROM public_channel_settings AS settings
        WHERE settings.platform = $1 AND settings.platform_channel_id = $2 AND NOT settings.is_public)";

const HIDDEN: &str = "
    SELECT channel.platform, channel.platform_channel_id
    FROM unnest($1, $2) AS given (platform, platform_channel_id)
    JOIN public_channels AS channel USING (platform, platform_channel_id)
    WHERE channel.is_hidden";

//! Deletion of what accounts have made of a channel (reference/public-stats.md#dissolution-of-accounts).

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{Result, platform::Platform};

use super::removal::{delete_tables, lock};
use crate::{Source, emotes, rollups};

/// Facts about a channel that decide which of its rows are deleted.
#[derive(QueryableByName)]
struct State {
    /// An account has connected it.
    #[diesel(sql_type = Bool)]
    is_connected: bool,
    /// The crawler has visited it, or does so, and no account has hidden it.
    #[diesel(sql_type = Bool)]
    is_crawled: bool,
}

/// Deletes the rows that accounts have made of a channel, unless one has connected it. Rows of a channel that
/// the crawler visits by itself stay as far as they are the crawler's. A hidden channel stays hidden.
///
/// Returns the sources whose samples the caller then deletes with [`crate::samples::delete_channel`]; they are
/// the same for a repeated call. The connection must not be in a transaction.
///
/// # Errors
/// A failure of the database. Then rows may be left; a repeated call deletes them.
pub async fn delete_unconnected(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    platform_channel_id: &str,
) -> Result<&'static [Source]> {
    let deleted = connection
        .transaction(async |connection| delete_made(connection, platform, platform_channel_id).await)
        .await?;
    if !deleted.is_empty() {
        // Without a transaction: a channel may have a million such rows, and reports wait for their marks.
        emotes::delete_channel(connection, platform, platform_channel_id).await?;
    }
    Ok(deleted)
}

async fn delete_made(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    id: &str,
) -> Result<&'static [Source]> {
    lock(connection, platform, id).await?;
    let State { is_connected, is_crawled } = sql_query(STATE)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(id)
        .prepared()
        .get_result(connection)
        .await?;
    let (sources, of_channel): (&'static [Source], &[&'static str]) = match (is_connected, is_crawled) {
        (true, _) => return Ok(&[]),
        (false, true) => (&[Source::FirstParty], &[END_LIVE_STATE, LEAVE]),
        (false, false) => (&[Source::FirstParty, Source::ExternalCrawler], &[DELETE]),
    };
    for source in sources {
        delete_tables(connection, platform, id, *source).await?;
    }
    for statement in of_channel {
        sql_query(*statement)
            .bind::<Text, _>(platform.slug())
            .bind::<Text, _>(id)
            .prepared()
            .execute(connection)
            .await?;
    }
    rollups::ranges::make(connection, &[(platform.slug(), id)]).await?;
    Ok(sources)
}

/// Of a connected channel the crawler reads only profile and followers. A row of its schedule without a visit
/// is no sign that it crawls the channel, and neither is a day without live time.
const STATE: &str = "
    SELECT EXISTS (SELECT FROM channel_connections AS connection
            WHERE connection.platform = $1 AND connection.platform_channel_id = $2
                AND connection.connected_at > 'epoch') AS is_connected,
        NOT EXISTS (SELECT FROM public_channels AS channel
            WHERE channel.platform = $1 AND channel.platform_channel_id = $2 AND channel.is_hidden)
        AND (EXISTS (SELECT FROM crawler_channels AS crawled
                WHERE crawled.platform = $1 AND crawled.platform_channel_id = $2
                    AND (crawled.visited_at IS NOT NULL OR crawled.next_at IS NOT NULL OR crawled.is_watched))
            OR EXISTS (SELECT FROM crawler_watchlist AS entry
                WHERE entry.platform = $1 AND entry.platform_channel_id = $2)
            OR EXISTS (SELECT FROM public_streams AS stream
                WHERE stream.platform = $1 AND stream.platform_channel_id = $2 AND stream.source = 'external_crawler')
            OR EXISTS (SELECT FROM public_channel_days AS day
                WHERE day.platform = $1 AND day.platform_channel_id = $2 AND day.source = 'external_crawler'
                    AND day.live_secs > 0)) AS is_crawled";

const DELETE: &str = "
    DELETE FROM public_channels WHERE platform = $1 AND platform_channel_id = $2 AND NOT is_hidden";

/// A live state that an account has reported ends. The game and the end of the last stream are then those of
/// the crawler's newest stream.
const END_LIVE_STATE: &str = "
    UPDATE public_channels SET is_live = false, current_viewers = NULL, current_title = NULL,
        current_broadcast_id = NULL, live_since = NULL, live_seen_at = NULL,
        (current_game_id, current_game, last_streamed_at) = (
            SELECT stream.game_id, stream.category, coalesce(stream.ended_at, stream.last_seen_at)
            FROM public_streams AS stream
            WHERE stream.platform = $1 AND stream.platform_channel_id = $2
            ORDER BY stream.started_at DESC, stream.broadcast_id DESC LIMIT 1)
    WHERE platform = $1 AND platform_channel_id = $2 AND first_party_at >= live_seen_at";

const LEAVE: &str = "
    UPDATE public_channels SET source = 'external_crawler', first_party_at = NULL
    WHERE platform = $1 AND platform_channel_id = $2
        AND (source <> 'external_crawler' OR first_party_at IS NOT NULL)";

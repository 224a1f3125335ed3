//! Live figures of games from the live channels.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{sql_query, sql_types::Timestamptz};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;

use super::sweeps;

/// Interval of the live figures, of all copies together.
const INTERVAL: TimeDelta = TimeDelta::seconds(55);

/// Counts the viewers and channels of every game anew, if the last count is a minute old. Returns the number
/// of games that changed; `None` when nothing was due.
///
/// # Errors
/// A failure of the database.
pub async fn live_games(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<Option<usize>> {
    connection
        .transaction(async |connection| {
            // Another copy waits here, and then finds that nothing is due.
            if !sweeps::claim_run(connection, "live_games", now, INTERVAL).await? {
                return Ok(None);
            }
            let changed = sql_query(COUNT).bind::<Timestamptz, _>(now).prepared().execute(connection).await?;
            Ok(Some(changed))
        })
        .await
}

/// Games that have lost their last channel fall to zero.
const COUNT: &str = "
    WITH live AS (
        SELECT platform, current_game_id AS game_id, max(current_game) AS name,
            coalesce(sum(current_viewers), 0)::bigint AS viewers, count(*) AS channels
        FROM public_channels WHERE is_live AND current_game_id IS NOT NULL AND NOT is_hidden
        GROUP BY platform, current_game_id
    ), known AS (
        SELECT platform, game_id, name FROM public_games WHERE live_channels > 0
    )
    INSERT INTO public_games AS game (platform, game_id, name, live_viewers, live_channels, updated_at)
    SELECT platform, game_id, coalesce(live.name, known.name, game_id), coalesce(live.viewers, 0),
        coalesce(live.channels, 0), $1
    FROM live FULL JOIN known USING (platform, game_id)
    ORDER BY platform, game_id
    ON CONFLICT (platform, game_id) DO UPDATE SET live_viewers = excluded.live_viewers,
        live_channels = excluded.live_channels, updated_at = excluded.updated_at
    WHERE (game.live_viewers, game.live_channels) IS DISTINCT FROM (excluded.live_viewers, excluded.live_channels)";

//! Ranges of channels, games and emotes from their days: the last 7, 30 and 90 UTC days with today. A range
//! ends with the day of its sweep, so that a copy with another idea of the day makes the same range.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::Result;

/// Channel or game of a mark.
#[derive(QueryableByName)]
struct Mark {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    id: String,
}

/// Emote of a mark.
#[derive(QueryableByName)]
struct EmoteMark {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    provider: String,
    #[diesel(sql_type = Text)]
    emote_id: String,
}

/// Marks channels whose days change in the caller's transaction, before they change. Waits for passes that
/// make ranges or days of these channels, and keeps others away until the transaction ends.
pub(crate) async fn mark(connection: &mut AsyncPgConnection, channels: &[(&str, &str)]) -> Result<()> {
    execute(connection, MARK_CHANNELS, channels).await
}

/// Makes the ranges of channels that the caller has marked in its transaction.
pub(crate) async fn make(connection: &mut AsyncPgConnection, channels: &[(&str, &str)]) -> Result<()> {
    execute(connection, MAKE_CHANNELS, channels).await
}

/// Makes the ranges of up to `limit` marked channels. Returns their number.
///
/// # Errors
/// A failure of the database. Then all marks are left.
pub async fn channels(connection: &mut AsyncPgConnection, limit: i64) -> Result<usize> {
    pass(connection, [CLAIM_CHANNELS, MAKE_CHANNELS, UNMARK_CHANNELS], limit).await
}

/// Makes the ranges of up to `limit` marked games. Returns their number.
///
/// # Errors
/// A failure of the database. Then all marks are left.
pub async fn games(connection: &mut AsyncPgConnection, limit: i64) -> Result<usize> {
    pass(connection, [CLAIM_GAMES, MAKE_GAMES, UNMARK_GAMES], limit).await
}

/// Makes the ranges of up to `limit` marked emotes. Returns their number.
///
/// # Errors
/// A failure of the database. Then all marks are left.
pub async fn emotes(connection: &mut AsyncPgConnection, limit: i64) -> Result<usize> {
    connection
        .transaction(async |connection| {
            let marks: Vec<EmoteMark> =
                sql_query(CLAIM_EMOTES).bind::<BigInt, _>(limit).prepared().load(connection).await?;
            if !marks.is_empty() {
                for statement in [MAKE_EMOTES, UNMARK_EMOTES] {
                    sql_query(statement)
                        .bind::<Array<Text>, _>(column(&marks, |mark| mark.platform.as_str()))
                        .bind::<Array<Text>, _>(column(&marks, |mark| mark.provider.as_str()))
                        .bind::<Array<Text>, _>(column(&marks, |mark| mark.emote_id.as_str()))
                        .prepared()
                        .execute(connection)
                        .await?;
                }
            }
            Ok(marks.len())
        })
        .await
}

/// Claims marks, and makes and deletes what they name, in one transaction. Ranges are made in a statement of
/// its own, which sees all days that were committed before the marks were locked.
async fn pass(
    connection: &mut AsyncPgConnection,
    [claim, make, unmark]: [&'static str; 3],
    limit: i64,
) -> Result<usize> {
    connection
        .transaction(async |connection| {
            let marks: Vec<Mark> =
                sql_query(claim).bind::<BigInt, _>(limit).prepared().load(connection).await?;
            if !marks.is_empty() {
                let keys = column(&marks, |mark| (mark.platform.as_str(), mark.id.as_str()));
                execute(connection, make, &keys).await?;
                execute(connection, unmark, &keys).await?;
            }
            Ok(marks.len())
        })
        .await
}

async fn execute(
    connection: &mut AsyncPgConnection,
    statement: &'static str,
    keys: &[(&str, &str)],
) -> Result<()> {
    sql_query(statement)
        .bind::<Array<Text>, _>(column(keys, |(platform, _)| *platform))
        .bind::<Array<Text>, _>(column(keys, |(_, id)| *id))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// An existing mark is locked and not changed.
const MARK_CHANNELS: &str = "
    INSERT INTO public_channel_marks AS known (platform, platform_channel_id)
    SELECT DISTINCT platform, platform_channel_id FROM unnest($1, $2) AS given (platform, platform_channel_id)
    ORDER BY 1, 2
    ON CONFLICT (platform, platform_channel_id) DO UPDATE SET platform = excluded.platform WHERE false";

const CLAIM_CHANNELS: &str = "
    SELECT platform, platform_channel_id AS id FROM public_channel_marks
    ORDER BY platform, platform_channel_id LIMIT $1 FOR UPDATE SKIP LOCKED";

const MAKE_CHANNELS: &str = "
    WITH given AS MATERIALIZED (
        SELECT DISTINCT platform, platform_channel_id FROM unnest($1, $2) AS given (platform, platform_channel_id)
    ), made AS MATERIALIZED (
        SELECT ranges.range_days, given.platform, given.platform_channel_id, sums.*
        FROM given
        CROSS JOIN (SELECT range_days, sweep.day - range_days AS after_day
            FROM public_sweeps AS sweep, unnest('{7,30,90}'::smallint[]) AS range_days
            WHERE sweep.sweep = 'channels') AS ranges
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(viewer_secs)::double precision / nullif(sum(live_secs), 0)::double precision, 0)
                    AS avg_viewers,
                max(peak_viewers) AS peak_viewers, sum(live_secs)::bigint AS live_secs,
                sum(message_count)::bigint AS total_messages
            FROM public_channel_days AS day
            WHERE day.platform = given.platform AND day.platform_channel_id = given.platform_channel_id
                AND day.day > ranges.after_day
        ) AS sums
        WHERE sums.peak_viewers IS NOT NULL
    ), gone AS (
        DELETE FROM public_channel_ranges AS known USING given
        WHERE known.range_days IN (7, 30, 90) AND known.platform = given.platform
            AND known.platform_channel_id = given.platform_channel_id AND NOT EXISTS (
                SELECT 1 FROM made WHERE made.range_days = known.range_days AND made.platform = known.platform
                    AND made.platform_channel_id = known.platform_channel_id)
    )
    INSERT INTO public_channel_ranges AS known (range_days, platform, platform_channel_id, avg_viewers, peak_viewers,
        live_secs, total_messages)
    SELECT * FROM made ORDER BY range_days, platform, platform_channel_id
    ON CONFLICT (range_days, platform, platform_channel_id) DO UPDATE SET avg_viewers = excluded.avg_viewers,
        peak_viewers = excluded.peak_viewers, live_secs = excluded.live_secs, total_messages = excluded.total_messages
    WHERE (known.avg_viewers, known.peak_viewers, known.live_secs, known.total_messages)
        IS DISTINCT FROM (excluded.avg_viewers, excluded.peak_viewers, excluded.live_secs, excluded.total_messages)";

const UNMARK_CHANNELS: &str = "
    DELETE FROM public_channel_marks AS known USING unnest($1, $2) AS done (platform, platform_channel_id)
    WHERE known.platform = done.platform AND known.platform_channel_id = done.platform_channel_id";

const CLAIM_GAMES: &str = "
    SELECT platform, game_id AS id FROM public_game_marks ORDER BY platform, game_id LIMIT $1 FOR UPDATE SKIP LOCKED";

const MAKE_GAMES: &str = "
    WITH given AS MATERIALIZED (
        SELECT DISTINCT platform, game_id FROM unnest($1, $2) AS given (platform, game_id)
    ), made AS MATERIALIZED (
        SELECT ranges.range_days, given.platform, given.game_id, sums.*
        FROM given
        CROSS JOIN (SELECT range_days, sweep.day - range_days AS after_day
            FROM public_sweeps AS sweep, unnest('{7,30,90}'::smallint[]) AS range_days
            WHERE sweep.sweep = 'games') AS ranges
        CROSS JOIN LATERAL (
            SELECT sum(viewer_secs)::double precision / nullif(sum(slot_count) * 300, 0)::double precision AS avg_viewers,
                max(peak_viewers) AS peak_viewers, sum(viewer_secs)::double precision / 3600 AS hours_watched,
                max(peak_channels) AS channels
            FROM public_game_days AS day
            WHERE day.platform = given.platform AND day.game_id = given.game_id AND day.day > ranges.after_day
        ) AS sums
        WHERE sums.avg_viewers IS NOT NULL
    ), gone AS (
        DELETE FROM public_game_ranges AS known USING given
        WHERE known.range_days IN (7, 30, 90) AND known.platform = given.platform AND known.game_id = given.game_id
            AND NOT EXISTS (SELECT 1 FROM made WHERE made.range_days = known.range_days
                AND made.platform = known.platform AND made.game_id = known.game_id)
    )
    INSERT INTO public_game_ranges AS known (range_days, platform, game_id, avg_viewers, peak_viewers, hours_watched,
        channels)
    SELECT * FROM made ORDER BY range_days, platform, game_id
    ON CONFLICT (range_days, platform, game_id) DO UPDATE SET avg_viewers = excluded.avg_viewers,
        peak_viewers = excluded.peak_viewers, hours_watched = excluded.hours_watched, channels = excluded.channels
    WHERE (known.avg_viewers, known.peak_viewers, known.hours_watched, known.channels)
        IS DISTINCT FROM (excluded.avg_viewers, excluded.peak_viewers, excluded.hours_watched, excluded.channels)";

const UNMARK_GAMES: &str = "
    DELETE FROM public_game_marks AS known USING unnest($1, $2) AS done (platform, game_id)
    WHERE known.platform = done.platform AND known.game_id = done.game_id";

const CLAIM_EMOTES: &str = "
    SELECT platform, provider, emote_id FROM public_emote_marks
    ORDER BY platform, provider, emote_id LIMIT $1 FOR UPDATE SKIP LOCKED";

/// Hidden channels do not count, although their days stay: a change of that marks their emotes.
const MAKE_EMOTES: &str = "
    WITH given AS MATERIALIZED (
        SELECT DISTINCT platform, provider, emote_id FROM unnest($1, $2, $3) AS given (platform, provider, emote_id)
    ), made AS MATERIALIZED (
        SELECT ranges.range_days, given.platform, given.provider, given.emote_id, sums.*
        FROM given
        CROSS JOIN (SELECT range_days, sweep.day - range_days AS after_day
            FROM public_sweeps AS sweep, unnest('{7,30,90}'::smallint[]) AS range_days
            WHERE sweep.sweep = 'emotes') AS ranges
        CROSS JOIN LATERAL (
            SELECT sum(usage_count)::bigint AS usage_count, count(*) AS channel_count
            FROM (
                SELECT platform_channel_id, sum(usage_count) AS usage_count FROM public_emote_days AS day
                WHERE day.provider = given.provider AND day.emote_id = given.emote_id
                    AND day.platform = given.platform AND day.day > ranges.after_day
                GROUP BY platform_channel_id
            ) AS used
            WHERE NOT EXISTS (SELECT FROM public_channels AS channel
                WHERE channel.platform = given.platform AND channel.platform_channel_id = used.platform_channel_id
                    AND channel.is_hidden)
        ) AS sums
        WHERE sums.usage_count IS NOT NULL
    ), gone AS (
        DELETE FROM public_emote_ranges AS known USING given
        WHERE known.range_days IN (7, 30, 90) AND known.platform = given.platform
            AND known.provider = given.provider AND known.emote_id = given.emote_id AND NOT EXISTS (
                SELECT 1 FROM made WHERE made.range_days = known.range_days AND made.platform = known.platform
                    AND made.provider = known.provider AND made.emote_id = known.emote_id)
    )
    INSERT INTO public_emote_ranges AS known (range_days, platform, provider, emote_id, usage_count, channel_count)
    SELECT * FROM made ORDER BY range_days, platform, provider, emote_id
    ON CONFLICT (range_days, platform, provider, emote_id) DO UPDATE SET usage_count = excluded.usage_count,
        channel_count = excluded.channel_count
    WHERE (known.usage_count, known.channel_count) IS DISTINCT FROM (excluded.usage_count, excluded.channel_count)";

const UNMARK_EMOTES: &str = "
    DELETE FROM public_emote_marks AS known USING unnest($1, $2, $3) AS done (platform, provider, emote_id)
    WHERE known.platform = done.platform AND known.provider = done.provider AND known.emote_id = done.emote_id";

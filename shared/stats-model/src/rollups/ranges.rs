//! Ranges of channels, games and emotes from their days: the last 7, 30 and 90 UTC days with today. A range
//! ends with the day of its sweep, so that a copy with another idea of the day makes the same range.

use std::collections::HashSet;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::{Error, Result};

use super::{
    marks::{self, Marks},
    parts::Parts,
};

/// Mark of a channel, game or emote.
#[derive(Debug, QueryableByName)]
struct Mark {
    #[diesel(sql_type = Text)]
    place: String,
    /// Platform and id; of an emote platform, provider and id.
    #[diesel(sql_type = Array<Text>)]
    key: Vec<String>,
}

/// Statements of the ranges of one kind.
struct Kind {
    claim: &'static str,
    make: &'static str,
    marks: Marks,
}

impl marks::Mark for Mark {
    fn place(&self) -> &str {
        &self.place
    }
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

/// Makes the ranges of up to `limit` marked channels. Returns their number. One that fails by itself is set aside for
/// ten minutes.
///
/// # Errors
/// A failure of the database. Then all marks are left.
pub async fn channels(connection: &mut AsyncPgConnection, limit: i64) -> Result<usize> {
    pass(connection, &CHANNELS, limit).await
}

/// Makes the ranges of up to `limit` marked games. Returns their number. One that fails by itself is set aside for ten
/// minutes.
///
/// # Errors
/// A failure of the database. Then all marks are left.
pub async fn games(connection: &mut AsyncPgConnection, limit: i64) -> Result<usize> {
    pass(connection, &GAMES, limit).await
}

/// Makes the ranges of up to `limit` marked emotes. Returns their number. One that fails by itself is set aside for ten
/// minutes.
///
/// # Errors
/// A failure of the database. Then all marks are left.
pub async fn emotes(connection: &mut AsyncPgConnection, limit: i64) -> Result<usize> {
    pass(connection, &EMOTES, limit).await
}

/// Claims marks, makes what they name, and deletes them, in one transaction. Ranges are made in a statement of its
/// own, which sees all days that were committed before the marks were locked.
async fn pass(connection: &mut AsyncPgConnection, kind: &'static Kind, limit: i64) -> Result<usize> {
    connection
        .transaction(async |connection| {
            let marks: Vec<Mark> =
                sql_query(kind.claim).bind::<BigInt, _>(limit).prepared().load(connection).await?;
            let made: Vec<&Mark> = marks.iter().collect();
            let failed = make_parts(connection, kind, &made).await?;
            kind.marks.settle(connection, &marks, &failed, &HashSet::new()).await?;
            Ok(marks.len())
        })
        .await
}

/// Makes all ranges, in parts when they fail together. Returns the marks that were not made.
async fn make_parts<'a>(
    connection: &mut AsyncPgConnection,
    kind: &'static Kind,
    marks: &[&'a Mark],
) -> Result<Vec<(&'a Mark, Error)>> {
    let mut parts = Parts::of(marks);
    while let Some(part) = parts.next() {
        let made =
            connection.transaction(async |connection| make_marked(connection, kind.make, part).await).await;
        parts.record(part, made, connection).await?;
    }
    Ok(parts.set_aside())
}

async fn make_marked(
    connection: &mut AsyncPgConnection,
    statement: &'static str,
    marks: &[&Mark],
) -> Result<()> {
    let is_emote = marks.iter().any(|mark| mark.key.len() == 3);
    let keys = |part: usize| column(marks, |mark| mark.key.get(part).map_or("", String::as_str));
    let query = sql_query(statement).bind::<Array<Text>, _>(keys(0)).bind::<Array<Text>, _>(keys(1));
    if is_emote {
        query.bind::<Array<Text>, _>(keys(2)).prepared().execute(connection).await?;
    } else {
        query.prepared().execute(connection).await?;
    }
    Ok(())
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

static CHANNELS: Kind = Kind {
    claim: "
        SELECT ctid::text AS place, ARRAY[platform, platform_channel_id] AS key
        FROM public_channel_marks WHERE marked_at <= now()
        ORDER BY platform, platform_channel_id LIMIT $1 FOR UPDATE SKIP LOCKED",
    make: MAKE_CHANNELS,
    marks: Marks {
        subject: "ranges of a channel",
        delete: "DELETE FROM public_channel_marks WHERE ctid = ANY ($1::tid[])",
        set_aside: "
            UPDATE public_channel_marks SET marked_at = now() + interval '10 minutes'
            WHERE ctid = ANY ($1::tid[])",
    },
};

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

static GAMES: Kind = Kind {
    claim: "
        SELECT ctid::text AS place, ARRAY[platform, game_id] AS key
        FROM public_game_marks WHERE marked_at <= now()
        ORDER BY platform, game_id LIMIT $1 FOR UPDATE SKIP LOCKED",
    make: MAKE_GAMES,
    marks: Marks {
        subject: "ranges of a game",
        delete: "DELETE FROM public_game_marks WHERE ctid = ANY ($1::tid[])",
        set_aside: "
            UPDATE public_game_marks SET marked_at = now() + interval '10 minutes'
            WHERE ctid = ANY ($1::tid[])",
    },
};

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

static EMOTES: Kind = Kind {
    claim: "
        SELECT ctid::text AS place, ARRAY[platform, provider, emote_id] AS key
        FROM public_emote_marks WHERE marked_at <= now()
        ORDER BY platform, provider, emote_id LIMIT $1 FOR UPDATE SKIP LOCKED",
    make: MAKE_EMOTES,
    marks: Marks {
        subject: "ranges of an emote",
        delete: "DELETE FROM public_emote_marks WHERE ctid = ANY ($1::tid[])",
        set_aside: "
            UPDATE public_emote_marks SET marked_at = now() + interval '10 minutes'
            WHERE ctid = ANY ($1::tid[])",
    },
};

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

//! Slots and days of games from samples.

use std::collections::{BTreeSet, HashSet};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Date, Nullable, Text, Timestamptz},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::{Error, Result};

use super::{
    marks::{self, Marks},
    parts::Parts,
};

/// Length of a slot.
const SLOT_LENGTH: TimeDelta = TimeDelta::minutes(5);
/// Time from the start of a slot to its roll-up: its five minutes, and half a minute for its last samples.
pub const SLOT_DELAY: TimeDelta = TimeDelta::seconds(330);

/// Slot with changed samples.
#[derive(Debug, QueryableByName)]
struct Mark {
    #[diesel(sql_type = Text)]
    place: String,
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Timestamptz)]
    slot: DateTime<Utc>,
}

/// Day of a game of which a slot changed.
#[derive(QueryableByName)]
struct Touched {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    game_id: String,
    #[diesel(sql_type = Date)]
    day: NaiveDate,
    #[diesel(sql_type = Text)]
    name: String,
}

/// Sums of a day; `slot_count` is 0 when nothing is left of it.
#[derive(QueryableByName)]
struct Day {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    game_id: String,
    #[diesel(sql_type = Date)]
    day: NaiveDate,
    #[diesel(sql_type = BigInt)]
    viewer_secs: i64,
    #[diesel(sql_type = BigInt)]
    slot_count: i64,
    #[diesel(sql_type = BigInt)]
    peak_viewers: i64,
    #[diesel(sql_type = BigInt)]
    peak_channels: i64,
}

#[derive(QueryableByName)]
struct Unconfirmed {
    #[diesel(sql_type = Nullable<Array<Text>>)]
    after_key: Option<Vec<String>>,
}

#[derive(QueryableByName)]
struct Written {
    #[diesel(sql_type = Timestamptz)]
    run_at: DateTime<Utc>,
}

impl marks::Mark for Mark {
    fn place(&self) -> &str {
        &self.place
    }
}

/// Day of a game by platform and id.
type GameDay = (String, String, NaiveDate);

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Bool)]
    is_locked: bool,
}

/// Makes up to `limit` marked slots anew that have ended, and the days of their games. Returns the number of
/// slots. One that fails by itself is set aside for ten minutes. One copy works at a time, because slots of
/// different marks make one day; others return 0.
///
/// Slots whose samples may have been dropped stay as they are. Neither connection may be in a transaction.
///
/// # Errors
/// A failure of a database. Then all marks are left, or the next call makes the same days once more.
pub async fn games(
    timeseries: &mut AsyncPgConnection,
    postgres: &mut AsyncPgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<usize> {
    let (number, written_at) = pass(timeseries, postgres, now, limit).await?;
    if let Some(written_at) = written_at {
        sql_query(CONFIRM).bind::<Timestamptz, _>(written_at).prepared().execute(postgres).await?;
    }
    Ok(number)
}

/// Returns the number of marks, and the time at which days were written.
async fn pass(
    timeseries: &mut AsyncPgConnection,
    postgres: &mut AsyncPgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<(usize, Option<DateTime<Utc>>)> {
    timeseries
        .transaction(async |timeseries| {
            super::without_compilation(timeseries).await?;
            let lock: Locked = sql_query(LOCK).prepared().get_result(timeseries).await?;
            if !lock.is_locked {
                return Ok((0, None));
            }
            let marks: Vec<Mark> = sql_query(CLAIM)
                .bind::<Timestamptz, _>(now - SLOT_DELAY)
                .bind::<BigInt, _>(limit)
                .prepared()
                .load(timeseries)
                .await?;
            let made = marks::with_samples(&marks, |mark| mark.slot.date_naive(), now);
            let (written_at, failed) = make_parts(timeseries, postgres, &made, now).await?;
            MARKS.settle(timeseries, &marks, &failed, &HashSet::new()).await?;
            Ok((marks.len(), written_at))
        })
        .await
}

/// Makes all slots, in parts when they fail together. Returns the time at which days were written, and the
/// marks that were not made.
async fn make_parts<'a>(
    timeseries: &mut AsyncPgConnection,
    postgres: &mut AsyncPgConnection,
    marks: &[&'a Mark],
    now: DateTime<Utc>,
) -> Result<(Option<DateTime<Utc>>, Vec<(&'a Mark, Error)>)> {
    let (mut parts, mut written_at) = (Parts::of(marks), None);
    while let Some(part) = parts.next() {
        let made = timeseries
            .transaction(async |timeseries| {
                postgres.transaction(async |postgres| make(timeseries, postgres, part, now).await).await
            })
            .await;
        written_at = parts.record(part, made, postgres).await?.flatten().or(written_at);
    }
    Ok((written_at, parts.set_aside()))
}

/// Reads the samples only after the lock of the primary database, as for the days of channels. Returns the time
/// at which days were written.
///
/// The primary database commits first. Until the other one has committed too, days may hold slots that no
/// longer come into being, also of games that no slot names any more. They are listed in the row `game_days` of
/// the table of sweeps, and the next call makes them once more.
async fn make(
    timeseries: &mut AsyncPgConnection,
    postgres: &mut AsyncPgConnection,
    marks: &[&Mark],
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    sql_query(LOCK_GAMES).prepared().execute(postgres).await?;
    let touched = make_slots(timeseries, marks).await?;
    let mut made = unconfirmed(postgres).await?;
    made.extend(touched.iter().map(|of| (of.platform.clone(), of.game_id.clone(), of.day)));
    if made.is_empty() {
        return Ok(None);
    }
    let days: Vec<Day> = sql_query(SUM)
        .bind::<Array<Text>, _>(column(&made, |(platform, _, _)| platform))
        .bind::<Array<Text>, _>(column(&made, |(_, game, _)| game))
        .bind::<Array<Date>, _>(column(&made, |(_, _, day)| *day))
        .prepared()
        .load(timeseries)
        .await?;
    add_games(postgres, &touched, now).await?;
    write(postgres, &days).await?;
    let keys = made.into_iter().flat_map(|(platform, game, day)| [platform, game, day.to_string()]);
    let written: Written = sql_query(WRITTEN)
        .bind::<Array<Text>, _>(keys.collect::<Vec<_>>())
        .prepared()
        .get_result(postgres)
        .await?;
    Ok(Some(written.run_at))
}

/// Days that were written by calls that may have been cut off before the commit of the time-series database.
async fn unconfirmed(connection: &mut AsyncPgConnection) -> Result<BTreeSet<GameDay>> {
    let found: Vec<Unconfirmed> = sql_query(UNCONFIRMED).prepared().load(connection).await?;
    let keys: Vec<String> = found.into_iter().filter_map(|row| row.after_key).flatten().collect();
    let (keys, _) = keys.as_chunks::<3>();
    let of_key =
        |[platform, game, day]: &[String; 3]| Some((platform.clone(), game.clone(), day.parse().ok()?));
    Ok(keys.iter().filter_map(of_key).collect())
}

/// Replaces the slots; returns the days of games with a changed slot.
async fn make_slots(connection: &mut AsyncPgConnection, marks: &[&Mark]) -> Result<Vec<Touched>> {
    let slots = || marks.iter().map(|mark| mark.slot);
    let (Some(first), Some(last)) = (slots().min(), slots().max()) else { return Ok(Vec::new()) };
    sql_query(ENSURE).bind::<Timestamptz, _>(first).prepared().execute(connection).await?;
    Ok(sql_query(MAKE_SLOTS)
        .bind::<Array<Text>, _>(column(marks, |mark| mark.platform.as_str()))
        .bind::<Array<Timestamptz>, _>(column(marks, |mark| mark.slot))
        .bind::<Timestamptz, _>(first)
        .bind::<Timestamptz, _>(last + SLOT_LENGTH)
        .prepared()
        .load(connection)
        .await?)
}

/// Adds games that the catalogue does not know.
async fn add_games(connection: &mut AsyncPgConnection, games: &[Touched], now: DateTime<Utc>) -> Result<()> {
    sql_query(ADD_GAMES)
        .bind::<Array<Text>, _>(column(games, |game| game.platform.as_str()))
        .bind::<Array<Text>, _>(column(games, |game| game.game_id.as_str()))
        .bind::<Array<Text>, _>(column(games, |game| game.name.as_str()))
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

async fn write(connection: &mut AsyncPgConnection, days: &[Day]) -> Result<()> {
    sql_query(WRITE)
        .bind::<Array<Text>, _>(column(days, |day| day.platform.as_str()))
        .bind::<Array<Text>, _>(column(days, |day| day.game_id.as_str()))
        .bind::<Array<Date>, _>(column(days, |day| day.day))
        .bind::<Array<BigInt>, _>(column(days, |day| day.viewer_secs))
        .bind::<Array<BigInt>, _>(column(days, |day| day.slot_count))
        .bind::<Array<BigInt>, _>(column(days, |day| day.peak_viewers))
        .bind::<Array<BigInt>, _>(column(days, |day| day.peak_channels))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

const LOCK: &str = "SELECT pg_try_advisory_xact_lock(hashtext('public_stats:games')) AS is_locked";

const CLAIM: &str = "
    SELECT ctid::text AS place, platform, slot FROM slot_marks WHERE slot <= $1 AND marked_at <= now()
    ORDER BY slot LIMIT $2 FOR UPDATE SKIP LOCKED";

const LOCK_GAMES: &str = "SELECT 1 FROM public_sweeps WHERE sweep = 'games' FOR UPDATE";

const ENSURE: &str = "
    SELECT timeseries_ensure('game_slots', greatest($1, now() - interval '90 days'), now())
    WHERE $1 < now() - interval '7 days'";

/// A sample counts for the part of its time that lies in the slot. Few samples stand for more than five
/// minutes, so these have an index of their own and the others are read from ten minutes. Of a channel with
/// first-party samples in the slot only these count. The bounds of all slots let the statement open the
/// partitions of these alone.
const MAKE_SLOTS: &str = "
    WITH mark AS MATERIALIZED (
        SELECT platform, slot, slot + interval '5 minutes' AS slot_end FROM unnest($1, $2) AS mark (platform, slot)
    ), covering AS (
        SELECT mark.platform, mark.slot, mark.slot_end, sample.*
        FROM mark CROSS JOIN LATERAL (
            SELECT platform_channel_id, source, game_id, game_name, viewer_count, at,
                at + weight_secs * interval '1 second' AS until
            FROM channel_samples AS sample
            WHERE sample.platform = mark.platform AND sample.game_id IS NOT NULL
                AND sample.at > mark.slot - interval '5 minutes' AND sample.at < mark.slot_end
                AND sample.at > $3::timestamptz - interval '5 minutes' AND sample.at < $4::timestamptz
            UNION ALL
            SELECT platform_channel_id, source, game_id, game_name, viewer_count, at,
                at + weight_secs * interval '1 second' AS until
            FROM channel_samples AS sample
            WHERE sample.platform = mark.platform AND sample.game_id IS NOT NULL AND sample.weight_secs > 300
                AND sample.at > mark.slot - interval '1 hour' AND sample.at <= mark.slot - interval '5 minutes'
                AND sample.at > $3::timestamptz - interval '1 hour' AND sample.at < $4::timestamptz
        ) AS sample
        WHERE sample.until > mark.slot AND sample.viewer_count IS NOT NULL
    ), counted AS (
        SELECT platform, slot, platform_channel_id, game_id, game_name, viewer_count, source,
            extract(epoch FROM least(until, slot_end) - greatest(at, slot)) AS secs,
            max(source) OVER (PARTITION BY platform, slot, platform_channel_id) AS counted_source
        FROM covering
    ), of_channels AS (
        SELECT platform, slot, game_id, platform_channel_id, max(game_name) AS name,
            sum(viewer_count * secs) AS viewer_secs, sum(secs) AS secs
        FROM counted WHERE source = counted_source
        GROUP BY platform, slot, game_id, platform_channel_id
    ), made AS MATERIALIZED (
        SELECT platform, game_id, slot, max(name) AS name, round(sum(viewer_secs / secs))::bigint AS viewers,
            round(sum(viewer_secs))::bigint AS viewer_secs, count(*) AS channels
        FROM of_channels GROUP BY platform, game_id, slot
    ), gone AS (
        DELETE FROM game_slots AS known USING mark
        WHERE known.platform = mark.platform AND known.slot = mark.slot AND NOT EXISTS (
            SELECT 1 FROM made WHERE made.platform = known.platform AND made.slot = known.slot
                AND made.game_id = known.game_id)
        RETURNING known.platform, known.game_id, known.slot
    ), written AS (
        INSERT INTO game_slots AS known (platform, game_id, slot, viewers, viewer_secs, channels)
        SELECT platform, game_id, slot, viewers, viewer_secs, channels FROM made ORDER BY platform, game_id, slot
        ON CONFLICT (platform, game_id, slot) DO UPDATE SET viewers = excluded.viewers,
            viewer_secs = excluded.viewer_secs, channels = excluded.channels
        WHERE (known.viewers, known.viewer_secs, known.channels)
            IS DISTINCT FROM (excluded.viewers, excluded.viewer_secs, excluded.channels)
        RETURNING platform, game_id, slot
    )
    SELECT changed.platform, changed.game_id, (changed.slot AT TIME ZONE 'UTC')::date AS day,
        coalesce(max(made.name), changed.game_id) AS name
    FROM (SELECT platform, game_id, slot FROM written UNION ALL SELECT platform, game_id, slot FROM gone) AS changed
    LEFT JOIN made USING (platform, game_id, slot)
    GROUP BY 1, 2, 3";

/// Each day reads a range of the primary key.
const SUM: &str = "
    SELECT given.platform, given.game_id, given.day, sums.*
    FROM unnest($1, $2, $3) AS given (platform, game_id, day)
    CROSS JOIN LATERAL (
        SELECT least(coalesce(sum(viewer_secs), 0), 9223372036854775807)::bigint AS viewer_secs,
            count(*) AS slot_count, coalesce(max(viewers), 0) AS peak_viewers, coalesce(max(channels), 0) AS peak_channels
        FROM game_slots AS slot
        WHERE slot.platform = given.platform AND slot.game_id = given.game_id
            AND slot.slot >= given.day::timestamp AT TIME ZONE 'UTC'
            AND slot.slot < (given.day + 1)::timestamp AT TIME ZONE 'UTC'
    ) AS sums";

const ADD_GAMES: &str = "
    INSERT INTO public_games (platform, game_id, name, updated_at)
    SELECT platform, game_id, max(name), $4 FROM unnest($1, $2, $3) AS given (platform, game_id, name)
    GROUP BY platform, game_id ORDER BY platform, game_id
    ON CONFLICT (platform, game_id) DO NOTHING";

const WRITE: &str = "
    WITH given AS MATERIALIZED (
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7)
            AS given (platform, game_id, day, viewer_secs, slot_count, peak_viewers, peak_channels)
    ), marked AS (
        INSERT INTO public_game_marks AS known (platform, game_id)
        SELECT DISTINCT platform, game_id FROM given ORDER BY 1, 2
        ON CONFLICT (platform, game_id) DO UPDATE SET platform = excluded.platform WHERE false
    ), gone AS (
        DELETE FROM public_game_days AS known USING given
        WHERE known.platform = given.platform AND known.game_id = given.game_id AND known.day = given.day
            AND given.slot_count = 0
    )
    INSERT INTO public_game_days AS known (platform, game_id, day, viewer_secs, slot_count, peak_viewers, peak_channels)
    SELECT * FROM given WHERE slot_count > 0 ORDER BY platform, game_id, day
    ON CONFLICT (platform, game_id, day) DO UPDATE SET viewer_secs = excluded.viewer_secs,
        slot_count = excluded.slot_count, peak_viewers = excluded.peak_viewers, peak_channels = excluded.peak_channels
    WHERE (known.viewer_secs, known.slot_count, known.peak_viewers, known.peak_channels)
        IS DISTINCT FROM (excluded.viewer_secs, excluded.slot_count, excluded.peak_viewers, excluded.peak_channels)";

const UNCONFIRMED: &str = "SELECT after_key FROM public_sweeps WHERE sweep = 'game_days'";

const WRITTEN: &str = "
    INSERT INTO public_sweeps AS known (sweep, day, previous_day, after_key, run_at)
    VALUES ('game_days', '2000-01-01', '2000-01-01', $1, clock_timestamp())
    ON CONFLICT (sweep) DO UPDATE SET after_key = excluded.after_key, run_at = excluded.run_at
    RETURNING run_at";

/// Another call may have written days meanwhile.
const CONFIRM: &str = "UPDATE public_sweeps SET after_key = NULL WHERE sweep = 'game_days' AND run_at = $1";

const MARKS: Marks = Marks {
    subject: "slot of games",
    delete: "DELETE FROM slot_marks WHERE ctid = ANY ($1::tid[])",
    set_aside: "UPDATE slot_marks SET marked_at = now() + interval '10 minutes' WHERE ctid = ANY ($1::tid[])",
};

//! Change of the UTC day: what leaves a range is marked, page by page. The last key of a page is stored in
//! its transaction, so that a sweep that was cut off is continued.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Date, Nullable, Text, Timestamptz},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;

/// Rows whose ranges a sweep passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweep {
    /// Channels.
    Channels,
    /// Games.
    Games,
    /// Emotes.
    Emotes,
}

/// State of a sweep.
#[derive(QueryableByName)]
struct State {
    #[diesel(sql_type = Date)]
    day: NaiveDate,
    #[diesel(sql_type = Date)]
    previous_day: NaiveDate,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    after_key: Option<Vec<String>>,
}

#[derive(QueryableByName)]
struct Due {
    #[diesel(sql_type = Bool)]
    is_due: bool,
}

#[derive(QueryableByName)]
struct Last {
    #[diesel(sql_type = Array<Text>)]
    last_key: Vec<String>,
    #[diesel(sql_type = BigInt)]
    passed: i64,
}

impl Sweep {
    /// Every sweep.
    pub const ALL: [Self; 3] = [Self::Channels, Self::Games, Self::Emotes];

    /// Name in metrics and in the table of sweeps.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Channels => "channels",
            Self::Games => "games",
            Self::Emotes => "emotes",
        }
    }

    /// Number of parts of a key.
    const fn key_length(self) -> usize {
        match self {
            Self::Channels | Self::Games => 2,
            Self::Emotes => 3,
        }
    }

    const fn page(self) -> &'static str {
        match self {
            Self::Channels => CHANNELS,
            Self::Games => GAMES,
            Self::Emotes => EMOTES,
        }
    }
}

/// Lets all ranges end with `today`, if they end with an earlier day. Ranges that are made from now on do so;
/// those that a day leaves are marked by [`page`]. A sweep of the day before that has not ended begins again.
///
/// # Errors
/// A failure of the database.
pub async fn begin_day(connection: &mut AsyncPgConnection, today: NaiveDate) -> Result<()> {
    sql_query(BEGIN_DAY).bind::<Date, _>(today).prepared().execute(connection).await?;
    Ok(())
}

/// Passes up to `limit` rows of a sweep that has not ended. Returns true when another page is left, false
/// also when another copy is at work.
///
/// # Errors
/// A failure of the database. Then the page is passed again.
pub async fn page(connection: &mut AsyncPgConnection, sweep: Sweep, limit: i64) -> Result<bool> {
    connection
        .transaction(async |connection| {
            let found: Vec<State> =
                sql_query(CLAIM).bind::<Text, _>(sweep.name()).prepared().load(connection).await?;
            let Some(State { day, previous_day, after_key: Some(mut key) }) = found.into_iter().next() else {
                return Ok(false);
            };
            key.resize(sweep.key_length(), String::new());
            let last: Vec<Last> = sql_query(sweep.page())
                .bind::<Array<Text>, _>(&key)
                .bind::<BigInt, _>(limit)
                .bind::<Date, _>(previous_day)
                .bind::<Date, _>(day)
                .prepared()
                .load(connection)
                .await?;
            let next = last.into_iter().next().filter(|last| last.passed == limit).map(|last| last.last_key);
            sql_query(KEEP_KEY)
                .bind::<Text, _>(sweep.name())
                .bind::<Nullable<Array<Text>>, _>(&next)
                .prepared()
                .execute(connection)
                .await?;
            Ok(next.is_some())
        })
        .await
}

/// Claims a run of what one copy does once in an interval, by the name of a row of the table of sweeps. Returns
/// false when the last run is not that old.
///
/// # Errors
/// A failure of the database.
pub(super) async fn claim_run(
    connection: &mut AsyncPgConnection,
    name: &str,
    now: DateTime<Utc>,
    interval: TimeDelta,
) -> Result<bool> {
    let claimed = sql_query(CLAIM_RUN)
        .bind::<Text, _>(name)
        .bind::<Timestamptz, _>(now)
        .bind::<Timestamptz, _>(now - interval)
        .prepared()
        .execute(connection)
        .await?;
    Ok(claimed > 0)
}

/// Returns true when the last run of a pass has ended an `interval` ago, by the name of a row of the table of
/// sweeps. Any number of copies then run it until one of them finds nothing left and calls [`end_run`].
///
/// # Errors
/// A failure of the database.
pub async fn is_run_due(
    connection: &mut AsyncPgConnection,
    name: &str,
    now: DateTime<Utc>,
    interval: TimeDelta,
) -> Result<bool> {
    let due: Due = sql_query(IS_RUN_DUE)
        .bind::<Text, _>(name)
        .bind::<Timestamptz, _>(now - interval)
        .prepared()
        .get_result(connection)
        .await?;
    Ok(due.is_due)
}

/// Ends a run.
///
/// # Errors
/// A failure of the database.
pub async fn end_run(connection: &mut AsyncPgConnection, name: &str, now: DateTime<Utc>) -> Result<()> {
    sql_query(END_RUN)
        .bind::<Text, _>(name)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

const BEGIN_DAY: &str = "
    UPDATE public_sweeps SET previous_day = CASE WHEN after_key IS NULL THEN day ELSE previous_day END, day = $1,
        after_key = '{}'
    WHERE sweep IN ('channels', 'games', 'emotes') AND day < $1";

const CLAIM: &str = "
    SELECT day, previous_day, after_key FROM public_sweeps
    WHERE sweep = $1 AND after_key IS NOT NULL FOR UPDATE SKIP LOCKED";

const CLAIM_RUN: &str = "UPDATE public_sweeps SET run_at = $2 WHERE sweep = $1 AND run_at <= $3";

const IS_RUN_DUE: &str = "
    SELECT EXISTS (SELECT FROM public_sweeps WHERE sweep = $1 AND run_at <= $2) AS is_due";

const END_RUN: &str = "UPDATE public_sweeps SET run_at = $2 WHERE sweep = $1 AND run_at < $2";

const KEEP_KEY: &str = "UPDATE public_sweeps SET after_key = $2 WHERE sweep = $1";

/// The range of 90 days has a row for everything that another range has.
const CHANNELS: &str = "
    WITH page AS MATERIALIZED (
        SELECT platform, platform_channel_id FROM public_channel_ranges
        WHERE range_days = 90 AND (platform, platform_channel_id) > (($1::text[])[1], ($1::text[])[2])
        ORDER BY platform, platform_channel_id LIMIT $2
    ), marked AS (
        INSERT INTO public_channel_marks AS known (platform, platform_channel_id)
        SELECT page.platform, page.platform_channel_id FROM page
        WHERE EXISTS (
            SELECT 1 FROM unnest('{7,30,90}'::int[]) AS range_days
            JOIN public_channel_days AS day ON day.platform = page.platform
                AND day.platform_channel_id = page.platform_channel_id
                AND day.day > $3 - range_days AND day.day <= $4 - range_days)
        ORDER BY 1, 2
        ON CONFLICT (platform, platform_channel_id) DO UPDATE SET platform = excluded.platform WHERE false
    )
    SELECT ARRAY[platform, platform_channel_id] AS last_key, (SELECT count(*) FROM page) AS passed
    FROM page ORDER BY platform DESC, platform_channel_id DESC LIMIT 1";

const GAMES: &str = "
    WITH page AS MATERIALIZED (
        SELECT platform, game_id FROM public_game_ranges
        WHERE range_days = 90 AND (platform, game_id) > (($1::text[])[1], ($1::text[])[2])
        ORDER BY platform, game_id LIMIT $2
    ), marked AS (
        INSERT INTO public_game_marks AS known (platform, game_id)
        SELECT page.platform, page.game_id FROM page
        WHERE EXISTS (
            SELECT 1 FROM unnest('{7,30,90}'::int[]) AS range_days
            JOIN public_game_days AS day ON day.platform = page.platform AND day.game_id = page.game_id
                AND day.day > $3 - range_days AND day.day <= $4 - range_days)
        ORDER BY 1, 2
        ON CONFLICT (platform, game_id) DO UPDATE SET platform = excluded.platform WHERE false
    )
    SELECT ARRAY[platform, game_id] AS last_key, (SELECT count(*) FROM page) AS passed
    FROM page ORDER BY platform DESC, game_id DESC LIMIT 1";

const EMOTES: &str = "
    WITH page AS MATERIALIZED (
        SELECT platform, provider, emote_id FROM public_emote_ranges
        WHERE range_days = 90
            AND (platform, provider, emote_id) > (($1::text[])[1], ($1::text[])[2], ($1::text[])[3])
        ORDER BY platform, provider, emote_id LIMIT $2
    ), marked AS (
        INSERT INTO public_emote_marks AS known (platform, provider, emote_id)
        SELECT page.platform, page.provider, page.emote_id FROM page
        WHERE EXISTS (
            SELECT 1 FROM unnest('{7,30,90}'::int[]) AS range_days
            JOIN public_emote_days AS day ON day.provider = page.provider AND day.emote_id = page.emote_id
                AND day.platform = page.platform
                AND day.day > $3 - range_days AND day.day <= $4 - range_days)
        ORDER BY 1, 2, 3
        ON CONFLICT (platform, provider, emote_id) DO UPDATE SET platform = excluded.platform WHERE false
    )
    SELECT ARRAY[platform, provider, emote_id] AS last_key, (SELECT count(*) FROM page) AS passed
    FROM page ORDER BY platform DESC, provider DESC, emote_id DESC LIMIT 1";

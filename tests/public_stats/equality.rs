//! Roll-ups equal plain SQL over the raw rows, whatever was late, repeated, replaced, deleted or hidden, in whatever
//! order two copies made them, and wherever one of them was killed.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Duration, NaiveDate, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use lumio_tests::TestDatabase;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use shared::{config::DatabasesConfig, platform::Platform, secret::Secret};
use stats_model::{
    Source, channels,
    emotes::{self, EmoteDay, EmoteUse},
    rollups,
    rollups::sweeps::{self, Sweep},
    samples::{self, ChannelSample},
};

use super::passes::{Rollups, connect, count, execute, lines, this_minute};

/// Channels, each with a course of its own.
const CASES: usize = 1_000;
/// Cases at the beginning that are also hidden and shown, use emotes, and have a game of their own.
const FEW: usize = CASES / 20;
/// Rounds of changes, each followed by some passes.
const STEPS: usize = 12;
/// Days before today that have samples.
const DAYS: [i64; 8] = [0, 0, 0, 1, 6, 7, 29, 30];
/// The server with TimescaleDB on which tests may create databases.
const TIMESCALEDB: &str = "LUMIO_TEST_TIMESCALEDB_URL";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equality_of_roll_ups_and_plain_sql_holds_in_a_thousand_cases() {
    let database = TestDatabase::create().await;
    compare(&database.url, &database.url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equality_of_roll_ups_and_plain_sql_holds_on_timescaledb() {
    let Ok(server) = std::env::var(TIMESCALEDB) else {
        eprintln!("SKIPPED: {TIMESCALEDB} is not set");
        return;
    };
    let Ok(mut admin) = AsyncPgConnection::establish(&server).await else {
        eprintln!("SKIPPED: the server of {TIMESCALEDB} does not answer");
        return;
    };
    let database = TestDatabase::create().await;
    let name = format!("lumio_test_{}", uuid::Uuid::now_v7().simple());
    execute(&mut admin, &format!("CREATE DATABASE {name}")).await;
    let mut url = url::Url::parse(&server).expect("a URL");
    url.set_path(&name);
    let config = DatabasesConfig::new(Secret::new(&database.url), Secret::new(url.as_str()));
    foundation::db::migrate(&config).await.expect("the migrations run");
    let mut timeseries = connect(url.as_str()).await;
    let engine = lines(&mut timeseries, "SELECT timeseries_engine() AS engine").await;
    assert_eq!(engine, [r#"{"engine":"timescaledb"}"#], "{TIMESCALEDB} names a server without TimescaleDB");
    drop(timeseries);
    compare(&database.url, url.as_str()).await;
    execute(&mut admin, &format!("DROP DATABASE {name} WITH (FORCE)")).await;
}

/// Emotes as they were reported, by platform, channel and day.
type Used = BTreeMap<(Platform, String, NaiveDate), Vec<EmoteUse>>;

/// Changes samples at random, with passes of two copies in between, and compares all roll-ups in the end.
async fn compare(postgres: &str, timeseries: &str) {
    let (mut dice, now) = (StdRng::seed_from_u64(20), this_minute());
    let (mut one, mut other) =
        (Rollups::open(postgres, timeseries).await, Rollups::open(postgres, timeseries).await);
    let (mut writer, mut owners) = (connect(timeseries).await, connect(postgres).await);
    one.allow_kills().await;
    let (mut used, mut hidden) = (Used::new(), BTreeSet::new());
    let yesterday = now.date_naive() - Duration::days(1);
    sweeps::begin_day(&mut one.postgres, yesterday).await.unwrap();
    let mut written = BTreeMap::new();
    for step in 0..STEPS {
        let changes = changes(&mut dice, &mut written, now);
        let slots_until = now + Duration::hours(dice.random_range(0..2));
        // A writer and two copies at the same time.
        let writing = async {
            for part in changes.chunks(700) {
                samples::write(&mut writer, part).await.expect("samples are written");
            }
        };
        tokio::join!(
            writing,
            some_passes(&mut one, now, slots_until),
            some_passes(&mut other, now, slots_until)
        );
        if step % 3 == 2 {
            other.killed(now, slots_until).await;
        }
        for _ in 0..CASES / 100 {
            let cases = *[CASES, FEW].choose(&mut dice).expect("a number");
            let (platform, channel) = channel(dice.random_range(0..cases));
            let source = [Source::FirstParty, Source::ExternalCrawler][dice.random_range(0..2)];
            let deleting = samples::delete_channel(&mut writer, platform, &channel, source);
            tokio::join!(
                async { deleting.await.expect("samples are deleted") },
                one.days(now, dice.random_range(1..300))
            );
        }
        for day in emote_days(&mut dice, &mut used, now) {
            let (used, made) = tokio::join!(
                emotes::use_counts(&mut owners, &day),
                rollups::ranges::emotes(&mut one.postgres, 3)
            );
            used.and(made).expect("emotes are counted");
        }
        for _ in 0..CASES / 200 {
            let case = dice.random_range(0..FEW);
            let is_shown = hidden.remove(&case) || !hidden.insert(case);
            tokio::join!(
                async {
                    if is_shown {
                        show(&mut owners, case).await
                    } else {
                        hide(&mut owners, &mut writer, case, now).await
                    }
                },
                one.days(now, 50),
                async {
                    rollups::ranges::emotes(&mut other.postgres, 10).await.expect("the ranges are made")
                }
            );
        }
        if step == STEPS / 2 {
            sweeps::begin_day(&mut other.postgres, now.date_naive()).await.unwrap();
        }
    }
    one.drain(now).await;
    for marks in ["channel_marks", "slot_marks"] {
        assert_eq!(count(&mut one.timeseries, marks).await, 0, "{marks}");
    }
    let number = i64::try_from(hidden.len()).expect("a number");
    assert!(number > 5 && count(&mut one.postgres, "public_channels WHERE is_hidden").await == number);
    let today = now.date_naive();
    for (table, plain) in [
        ("public_channel_days", format!("WITH {DAYS_OF_CHANNELS} SELECT * FROM days")),
        ("public_channel_ranges", ranges(&format!(
            "SELECT range_days::smallint, platform, platform_channel_id,
                coalesce(sum(viewer_secs)::float8 / nullif(sum(live_secs), 0)::float8, 0) AS avg_viewers,
                max(peak_viewers) AS peak_viewers, sum(live_secs)::bigint AS live_secs,
                sum(message_count)::bigint AS total_messages
             FROM days, unnest('{{7,30,90}}'::int[]) AS range_days WHERE day > '{today}'::date - range_days
             GROUP BY 1, 2, 3"), DAYS_OF_CHANNELS)),
        ("public_game_days", ranges("SELECT * FROM game_days", DAYS_OF_GAMES)),
        ("public_game_ranges", ranges(&format!(
            "SELECT range_days::smallint, platform, game_id,
                sum(viewer_secs)::float8 / (sum(slot_count) * 300)::float8 AS avg_viewers,
                max(peak_viewers) AS peak_viewers, sum(viewer_secs)::float8 / 3600 AS hours_watched,
                max(peak_channels) AS channels
             FROM game_days, unnest('{{7,30,90}}'::int[]) AS range_days WHERE day > '{today}'::date - range_days
             GROUP BY 1, 2, 3"), DAYS_OF_GAMES)),
    ] {
        let expected = lines(&mut one.timeseries, &plain).await;
        let made = lines(&mut one.postgres, &format!("SELECT * FROM {table}")).await;
        assert!(made.len() > 20, "{table} has rows");
        assert_eq!(made.len(), expected.len(), "{table}");
        for (made, expected) in made.iter().zip(&expected) {
            assert_eq!(made, expected, "{table}");
        }
    }
    let expected = lines(&mut one.timeseries, &ranges("SELECT * FROM slots", DAYS_OF_GAMES)).await;
    assert_eq!(lines(&mut one.timeseries, "SELECT * FROM game_slots").await, expected, "game_slots");
    assert_eq!(lines(&mut one.postgres, "SELECT * FROM public_emote_days").await, lines_of(&used));
    let expected = lines(&mut one.postgres, &EMOTE_RANGES.replace("$DAY", &today.to_string())).await;
    assert!(expected.len() > 20, "emotes have ranges");
    assert_eq!(lines(&mut one.postgres, "SELECT * FROM public_emote_ranges").await, expected);
}

/// Reports of emotes of some days, which replace earlier ones.
fn emote_days(dice: &mut StdRng, used: &mut Used, now: DateTime<Utc>) -> Vec<EmoteDay> {
    let report = |_| {
        let (platform, platform_channel_id) = channel(dice.random_range(0..FEW));
        let day = (now - Duration::days(*DAYS.choose(dice).expect("a day"))).date_naive();
        let emote = |_| EmoteUse {
            provider: "7tv".to_owned(),
            emote_id: format!("e{}", dice.random_range(0..30)),
            usage_count: dice.random_range(0..9),
        };
        let uses: Vec<EmoteUse> = (0..4).map(emote).collect();
        used.insert((platform, platform_channel_id.clone(), day), uses.clone());
        EmoteDay { platform, platform_channel_id, day, uses }
    };
    (0..12).map(report).collect()
}

/// Days of emotes as rows of JSON, sorted.
fn lines_of(used: &Used) -> Vec<String> {
    let mut lines = Vec::new();
    for ((platform, channel, day), uses) in used {
        let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
        for used in uses {
            *counts.entry(&used.emote_id).or_default() += used.usage_count;
        }
        lines.extend(counts.into_iter().filter(|(_, count)| *count > 0).map(|(emote, count)| {
            format!(
                r#"{{"provider":"7tv","emote_id":"{emote}","platform":"{platform}","platform_channel_id":"{channel}","day":"{day}","usage_count":{count}}}"#
            )
        }));
    }
    lines.sort_unstable();
    lines
}

/// Hides a channel as the operation does.
async fn hide(
    owners: &mut AsyncPgConnection,
    writer: &mut AsyncPgConnection,
    case: usize,
    now: DateTime<Utc>,
) {
    let (platform, id) = channel(case);
    owners
        .transaction(async |connection| {
            channels::hide(connection, platform, &id, now).await?;
            channels::delete_crawled(connection, platform, &id).await
        })
        .await
        .expect("the channel is hidden");
    samples::delete_channel(writer, platform, &id, Source::ExternalCrawler)
        .await
        .expect("samples are deleted");
}

async fn show(owners: &mut AsyncPgConnection, case: usize) {
    let (platform, id) = channel(case);
    let shown = owners.transaction(async |connection| channels::show(connection, platform, &id).await).await;
    assert!(shown.expect("the channel is shown"));
}

/// A few passes, as a copy runs them.
async fn some_passes(copy: &mut Rollups, now: DateTime<Utc>, slots_until: DateTime<Utc>) {
    copy.days(now, 150).await;
    copy.games(slots_until, 20).await;
    rollups::ranges::channels(&mut copy.postgres, 40).await.unwrap();
    rollups::ranges::games(&mut copy.postgres, 3).await.unwrap();
    rollups::ranges::emotes(&mut copy.postgres, 10).await.unwrap();
    copy.page(Sweep::Channels, 100).await;
    copy.page(Sweep::Games, 2).await;
    copy.page(Sweep::Emotes, 10).await;
    copy.days(now, 150).await;
}

fn ranges(select: &str, tables: &str) -> String {
    format!("WITH {tables} {select}")
}

fn channel(case: usize) -> (Platform, String) {
    ([Platform::Twitch, Platform::Kick][case % 2], format!("case{case}"))
}

/// New samples of some cases, with repeated and replaced ones between them.
fn changes(
    dice: &mut StdRng,
    written: &mut BTreeMap<usize, Vec<ChannelSample>>,
    now: DateTime<Utc>,
) -> Vec<ChannelSample> {
    let mut changes = Vec::new();
    for case in 0..CASES {
        let known = written.entry(case).or_default();
        match dice.random_range(0..10) {
            0..5 => {
                for _ in 0..dice.random_range(1..4) {
                    known.push(random_sample(dice, case, now));
                    changes.extend(known.last().cloned());
                }
            }
            5 => changes.extend(known.choose(dice).cloned()),
            6..8 => {
                if let Some(replaced) = known.choose(dice) {
                    let ChannelSample { at, source, .. } = *replaced;
                    changes.push(ChannelSample { at, source, ..random_sample(dice, case, now) });
                }
            }
            _ => {}
        }
    }
    changes
}

fn random_sample(dice: &mut StdRng, case: usize, now: DateTime<Utc>) -> ChannelSample {
    let (platform, platform_channel_id) = channel(case);
    let source = [Source::FirstParty, Source::ExternalCrawler][dice.random_range(0..2)];
    let days = *DAYS.choose(dice).expect("a day");
    let back = Duration::days(days) + Duration::minutes(dice.random_range(1..20));
    let (offset, weight_secs) = match source {
        Source::FirstParty => (0, 60),
        Source::ExternalCrawler => {
            (dice.random_range(0..60_000), *[1, 60, 300, 301, 600, 3_600].choose(dice).expect("a weight"))
        }
    };
    let game = dice.random_range(0..6);
    ChannelSample {
        platform,
        platform_channel_id,
        at: now - back + Duration::milliseconds(offset),
        source,
        viewer_count: dice.random_bool(0.9).then(|| dice.random_range(0..5_000)),
        message_count: dice.random_range(0..50),
        game_id: (game > 0)
            .then(|| if game == 5 && case < FEW { format!("of{case}") } else { format!("g{game}") }),
        game_name: (game > 0).then(|| format!("Game {game}")),
        weight_secs,
        follower_count: dice.random_bool(0.3).then(|| dice.random_range(0..1_000_000)),
    }
}

/// Ranges of emotes: hidden channels do not count.
const EMOTE_RANGES: &str = "
    SELECT range_days::smallint, platform, provider, emote_id, sum(usage_count)::bigint AS usage_count,
        count(DISTINCT platform_channel_id) AS channel_count
    FROM public_emote_days, unnest('{7,30,90}'::int[]) AS range_days
    WHERE day > date '$DAY' - range_days AND (platform, platform_channel_id) NOT IN (
        SELECT platform, platform_channel_id FROM public_channels WHERE is_hidden)
    GROUP BY 1, 2, 3, 4";

/// Days of channels: of a day with first-party samples only these count.
const DAYS_OF_CHANNELS: &str = "
    samples AS (SELECT sample.*, (at AT TIME ZONE 'UTC')::date AS day FROM channel_samples AS sample),
    own AS (SELECT DISTINCT platform, platform_channel_id, day FROM samples WHERE source = 'first_party'),
    counted AS (SELECT * FROM samples WHERE source = 'first_party'
        OR (platform, platform_channel_id, day) NOT IN (SELECT platform, platform_channel_id, day FROM own)),
    followers AS (SELECT DISTINCT ON (platform, platform_channel_id, day) platform, platform_channel_id, day, follower_count
        FROM samples WHERE follower_count IS NOT NULL
        ORDER BY platform, platform_channel_id, day, (source = 'first_party') DESC, at DESC),
    sums AS (SELECT platform, platform_channel_id, day, min(source) AS source,
            coalesce(sum(weight_secs) FILTER (WHERE viewer_count IS NOT NULL), 0)::bigint AS live_secs,
            coalesce(sum(viewer_count * weight_secs), 0)::bigint AS viewer_secs,
            coalesce(max(viewer_count), 0) AS peak_viewers, sum(message_count)::bigint AS message_count,
            count(*) AS sample_count
        FROM counted GROUP BY 1, 2, 3),
    days AS (SELECT platform, platform_channel_id, day, source, live_secs, viewer_secs, peak_viewers, message_count,
            follower_count, sample_count
        FROM sums LEFT JOIN followers USING (platform, platform_channel_id, day))";

/// Slots and days of games: of a slot with first-party samples of a channel only these count for the channel.
const DAYS_OF_GAMES: &str = "
    starts AS (SELECT DISTINCT slot FROM channel_samples, generate_series(
        date_bin('5 minutes', at, timestamptz '2000-01-01Z'),
        at + weight_secs * interval '1 second' - interval '1 microsecond', interval '5 minutes') AS slot),
    parts AS (SELECT sample.*, slot, extract(epoch FROM
            least(at + weight_secs * interval '1 second', slot + interval '5 minutes') - greatest(at, slot)) AS secs
        FROM starts JOIN channel_samples AS sample
            ON at < slot + interval '5 minutes' AND at + weight_secs * interval '1 second' > slot
        WHERE game_id IS NOT NULL AND viewer_count IS NOT NULL),
    own AS (SELECT DISTINCT platform, platform_channel_id, slot FROM parts WHERE source = 'first_party'),
    counted AS (SELECT * FROM parts WHERE source = 'first_party'
        OR (platform, platform_channel_id, slot) NOT IN (SELECT platform, platform_channel_id, slot FROM own)),
    channels AS (SELECT platform, game_id, slot, platform_channel_id, sum(viewer_count * secs) AS viewer_secs,
            sum(secs) AS secs
        FROM counted GROUP BY 1, 2, 3, 4),
    slots AS (SELECT platform, game_id, slot, round(sum(viewer_secs / secs))::bigint AS viewers,
            round(sum(viewer_secs))::bigint AS viewer_secs, count(*) AS channels
        FROM channels GROUP BY 1, 2, 3),
    game_days AS (SELECT platform, game_id, (slot AT TIME ZONE 'UTC')::date AS day,
            sum(viewer_secs)::bigint AS viewer_secs, count(*) AS slot_count, max(viewers) AS peak_viewers,
            max(channels) AS peak_channels
        FROM slots GROUP BY 1, 2, 3)";

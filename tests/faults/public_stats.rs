//! `kill -9` of worker processes that sum samples up.

use std::ops::Range;

use chrono::{DateTime, TimeDelta, Utc};
use lumio_tests::{TestApp, is_slow};
use shared::{clock::Clock, platform::Platform};
use stack::sums::{DAYS, RANGES, STORED_DAYS, STORED_RANGES};
use stats_model::{
    Source,
    samples::{self, ChannelSample},
};

use super::{
    eventually,
    streams::{Victims, is_writing, number, write_slowly},
};

/// More than a transaction takes.
const CHANNELS: usize = 600;
const GAMES: usize = 7;
/// Time that a worker lives from its first write on, in milliseconds: a round lasts for most of it.
const LIFE: Range<u64> = 0..900;
/// Samples that are written in the life of a worker.
const SAMPLES: usize = 300;
/// Tables that the daemon writes to, without the marks that writers of samples make.
const TABLES: [(&str, &str); 10] = [
    ("channel_marks", "DELETE"),
    ("slot_marks", "DELETE"),
    ("game_slots", "INSERT OR DELETE"),
    ("public_channel_days", "INSERT OR DELETE"),
    ("public_channel_marks", "DELETE"),
    ("public_channel_ranges", "INSERT OR DELETE"),
    ("public_game_days", "INSERT OR DELETE"),
    ("public_game_marks", "DELETE"),
    ("public_game_ranges", "INSERT OR DELETE"),
    ("public_sweeps", "UPDATE"),
];
const MARKS: [&str; 4] = ["channel_marks", "slot_marks", "public_channel_marks", "public_game_marks"];

/// Slots of games by plain SQL. Each sample is one of the accounts, and lies in one slot.
const SLOTS: &str = "
    SELECT platform, game_id, slot, sum(viewer_secs / secs)::bigint AS viewers, sum(viewer_secs)::bigint AS viewer_secs,
        count(*) AS channels
    FROM (
        SELECT platform, game_id, platform_channel_id, date_bin('5 minutes', at, timestamptz '2000-01-01Z') AS slot,
            sum(viewer_count * weight_secs) AS viewer_secs, sum(weight_secs) AS secs
        FROM channel_samples WHERE game_id IS NOT NULL GROUP BY 1, 2, 3, 4
    ) AS of_channels
    GROUP BY 1, 2, 3";
const STORED_SLOTS: &str = "SELECT platform, game_id, slot, viewers, viewer_secs, channels FROM game_slots";
const STORED_GAME_DAYS: &str = "SELECT platform, game_id, day, viewer_secs, slot_count, peak_viewers, peak_channels FROM public_game_days";

/// Begin of an hour of yesterday whose slots have ended.
fn noon() -> DateTime<Utc> {
    let day = Clock::default().now().date_naive() - TimeDelta::days(1);
    day.and_hms_opt(12, 0, 0).expect("a time").and_utc()
}

/// Random samples of an hour; many replace an earlier one. Viewers are multiples of sixty, so that the average of up to
/// five of them is whole.
fn random_samples(noon: DateTime<Utc>) -> Vec<ChannelSample> {
    let sample = |_| {
        let (place, is_own) = (rand::random_range(0..CHANNELS), rand::random_bool(0.7));
        let game = is_own.then_some(place % GAMES);
        ChannelSample {
            platform: [Platform::Twitch, Platform::Kick][place % 2],
            platform_channel_id: format!("channel{place}"),
            at: noon + TimeDelta::minutes(rand::random_range(0..60)),
            source: if is_own { Source::FirstParty } else { Source::ExternalCrawler },
            viewer_count: Some(60 * rand::random_range(0..10_000)),
            message_count: rand::random_range(0..50),
            game_id: game.map(|game| format!("g{game}")),
            game_name: game.map(|game| format!("Game {game}")),
            weight_secs: if is_own { 60 } else { 300 },
            follower_count: None,
        }
    };
    (0..SAMPLES).map(sample).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn public_stats_of_killed_workers_equal_plain_sql() {
    let kills = if is_slow() { 40 } else { 10 };
    let (app, noon) = (TestApp::start().await, noon());
    let database = &app.databases.postgres;
    write_slowly(database, &TABLES).await;
    let write = async || {
        let mut connection = app.databases.timescaledb.get().await.expect("a connection");
        samples::write(&mut connection, &random_samples(noon)).await.expect("samples are written");
    };
    write().await;
    let mut victims = Victims::of("public-stats", LIFE, &app);
    victims.kill(&app, kills, write).await;

    eventually("nothing is written", async || !is_writing(database).await).await;
    let survivors = [victims.start(), victims.start()];
    for marks in MARKS {
        eventually("no mark is left", async || number(database, marks).await == 0).await;
    }
    for mut survivor in survivors {
        survivor.terminate();
        assert!(survivor.ended().await.success());
    }
    let game_days = format!(
        "SELECT platform, game_id, (slot AT TIME ZONE 'UTC')::date AS day, sum(viewer_secs)::bigint AS viewer_secs,
            count(*) AS slot_count, max(viewers) AS peak_viewers, max(channels) AS peak_channels
         FROM ({SLOTS}) AS slots GROUP BY 1, 2, 3"
    );
    for (stored, plain) in
        [(STORED_DAYS, DAYS), (STORED_RANGES, RANGES), (STORED_SLOTS, SLOTS), (STORED_GAME_DAYS, &game_days)]
    {
        assert!(number(database, &format!("({stored}) AS stored")).await > 0, "{stored}");
        for (one, other) in [(stored, plain), (plain, stored)] {
            let differing = format!("(({one}) EXCEPT ALL ({other})) AS differing");
            assert_eq!(number(database, &differing).await, 0, "{differing}");
        }
    }
    eprintln!("{} kills, {} inside a write", victims.all, victims.inside);
    app.stop().await;
}

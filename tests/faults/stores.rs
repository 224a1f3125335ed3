//! Each store away and back while a streamer is on air and public channels are crawled. The daemons of streams and of
//! public statistics resume without a restart.

use std::time::Duration;

use chrono::TimeDelta;
use history_model::minutes::begin;
use lumio_tests::{PostgresServer, RedisServer, TestApp, world::workers};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::Platform;
use stack::sums::{DAYS, RANGES, STORED_DAYS, STORED_RANGES};

use super::{
    eventually,
    streams::{Streamer, execute, is_writing, number, objects, write_slowly},
};

/// Longer than the interval of the daemons that work on streams.
const OUTAGE: Duration = Duration::from_secs(6);
/// Time before the present at which the broadcast begins.
const LEAD: TimeDelta = TimeDelta::seconds(300);
const MINUTE: TimeDelta = TimeDelta::minutes(1);
/// Time in which a session ends, and slots of games.
const ENDING: TimeDelta = TimeDelta::minutes(11);
/// Channels that are crawled, less than a page lists.
const CHANNELS: i64 = 200;
/// Writes of the daemons that last, in each database.
const SLOW_PRIMARY: [(&str, &str); 2] = [("public_channel_days", "INSERT"), ("stream_broadcasts", "UPDATE")];
const SLOW_TIMESERIES: [(&str, &str); 2] = [("channel_marks", "DELETE"), ("stream_samples", "INSERT")];
/// Seconds of the crawler's visits by its samples.
const SAMPLED: &str = "
    SELECT platform_channel_id, 60 * count(*) AS viewed_secs FROM channel_samples
    WHERE source = 'external_crawler' AND viewer_count IS NOT NULL GROUP BY platform_channel_id";
/// The same by its streams.
const VIEWED: &str =
    "SELECT platform_channel_id, viewed_secs FROM public_streams WHERE source = 'external_crawler'";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Store {
    Postgres,
    Redis,
    Timeseries,
}

struct Stores {
    postgres: PostgresServer,
    redis: RedisServer,
    timeseries: PostgresServer,
}

impl Stores {
    async fn start() -> Self {
        let (postgres, redis, timeseries) =
            tokio::join!(PostgresServer::start(), RedisServer::start(), PostgresServer::start());
        Self { postgres, redis, timeseries }
    }

    async fn app(&self) -> TestApp {
        TestApp::builder()
            .with("DATABASE_URL", self.postgres.url())
            .with("LUMIO_TIMESCALEDB_URL", self.timeseries.url())
            .with("REDIS_URL", self.redis.url())
            .with("LUMIO_DATABASE_POOL", 8)
            .with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 2000)
            .start()
            .await
    }

    fn kill(&mut self, store: Store) {
        match store {
            Store::Postgres => self.postgres.kill(),
            Store::Redis => self.redis.kill(),
            Store::Timeseries => self.timeseries.kill(),
        }
    }

    async fn restart(&mut self, store: Store) {
        match store {
            Store::Postgres => self.postgres.restart().await,
            Store::Redis => self.redis.restart().await,
            Store::Timeseries => self.timeseries.restart().await,
        }
    }
}

/// Sum of the counters of a process whose lines have all of these parts.
async fn counted(app: &TestApp, running: &Running, parts: &[&str]) -> u64 {
    let metrics = app.anonymous().at(format!("http://{}", running.metrics_address)).get("/metrics").await;
    let lines = metrics.text.lines().filter(|line| parts.iter().all(|part| line.contains(part)));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// Number of rounds of roll-ups, by the last pass of each.
async fn rounds(app: &TestApp, running: &Running) -> u64 {
    counted(app, running, &["lumio_rollup_batch_seconds_count{", r#"pass="game_ranges""#]).await
}

/// Takes a store away while the daemons write, and brings it back.
async fn outage(app: &TestApp, stores: &mut Stores, store: Store, streamer: &mut Streamer) {
    let databases = &app.databases;
    let written = if store == Store::Timeseries { &databases.timescaledb } else { &databases.postgres };
    eventually("something is written", async || is_writing(written).await).await;
    tokio::time::sleep(Duration::from_millis(rand::random_range(0..60))).await;
    stores.kill(store);
    let away = async {
        tokio::time::sleep(OUTAGE).await;
        stores.restart(store).await;
    };
    // What a delivery enqueues waits for a sweep when Redis is away, which is tested beside it.
    let hearing = async {
        if store != Store::Redis {
            streamer.hear(app, 0..60).await;
        }
    };
    tokio::join!(away, hearing);
    eventually("the API serves", async || streamer.is_served().await).await;
}

/// Waits until the viewers of a new minute are sampled, and every crawled channel.
async fn next_minute(app: &TestApp, streamer: &mut Streamer) {
    app.clock.advance(MINUTE);
    streamer.change(app).await;
    let since = begin(app.clock.now()).to_rfc3339();
    let viewers = format!("stream_samples WHERE viewer_count IS NOT NULL AND at >= '{since}'");
    let crawled = format!(
        "channel_samples WHERE source = 'external_crawler' AND viewer_count IS NOT NULL AND at >= '{since}'"
    );
    eventually("the minute is sampled", async || {
        let timeseries = &app.databases.timescaledb;
        number(timeseries, &viewers).await > 0 && number(timeseries, &crawled).await >= CHANNELS
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stores_away_lose_and_double_nothing_of_streams_and_statistics() {
    let mut stores = Stores::start().await;
    let app = stores.app().await;
    let (primary, timeseries) = (&app.databases.postgres, &app.databases.timescaledb);
    write_slowly(primary, &SLOW_PRIMARY).await;
    write_slowly(timeseries, &SLOW_TIMESERIES).await;
    let channels = usize::try_from(CHANNELS).expect("a number");
    app.platforms.seed_directory(Platform::Kick, channels, channels);
    app.switch("system:crawler", true).await;
    execute(primary, "UPDATE crawler_scope SET platforms = '{kick}', interval_secs = 60").await;
    let mut streamer = Streamer::open(&app).await;
    streamer.begin(&app, app.clock.now() - LEAD).await;
    let live = workers(&app, &[Daemon::Ingest, Daemon::History, Daemon::Crawler]).await;
    next_minute(&app, &mut streamer).await;

    let mut running = Vec::new();
    for store in [Store::Timeseries, Store::Postgres, Store::Redis] {
        streamer.hear(&app, 0..60).await;
        streamer.wait_until_stored(&app).await;
        app.clock.advance(MINUTE);
        streamer.change(&app).await;
        // A round of roll-ups begins with the daemon, the next one half a minute later.
        running.push(workers(&app, &[Daemon::PublicStats]).await);
        outage(&app, &mut stores, store, &mut streamer).await;
        streamer.wait_until_stored(&app).await;
        next_minute(&app, &mut streamer).await;
    }
    app.switch("system:crawler", false).await;
    streamer.end(&app).await;
    app.clock.advance(ENDING);
    streamer.wait_until_counted(&app).await;
    app.clock.advance(MINUTE);
    streamer.wait_until_reported(&app).await;

    for copy in &running {
        let before = rounds(&app, copy).await;
        eventually("each copy sums up again", async || rounds(&app, copy).await > before).await;
    }
    // A visit in progress when the crawler stops may begin another slot, which has to end.
    app.clock.advance(ENDING);
    eventually("no mark is left", async || {
        number(timeseries, "channel_marks").await
            + number(timeseries, "slot_marks").await
            + number(primary, "public_channel_marks").await
            + number(primary, "public_game_marks").await
            == 0
    })
    .await;
    streamer.check(&app).await;
    eventually("each visit is in its stream, once", async || {
        objects(primary, VIEWED).await == objects(timeseries, SAMPLED).await
    })
    .await;
    assert_eq!(number(primary, &format!("({VIEWED}) AS viewed")).await, CHANNELS);
    assert_eq!(objects(primary, STORED_DAYS).await, objects(timeseries, DAYS).await);
    assert_eq!(objects(primary, STORED_RANGES).await, objects(primary, RANGES).await);
    running.push(live);
    for process in running {
        assert_eq!(
            counted(&app, &process, &["lumio_worker_restarts_total{"]).await,
            0,
            "none was started again"
        );
        process.stop().await.unwrap();
    }
    app.stop().await;
}

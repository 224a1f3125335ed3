//! `kill -9` of worker processes that make sessions, samples and reports. They have the clock of the machine: the
//! platform states times of minutes ago, so that a session is minutes long, and each new process works immediately.

use std::ops::Range;

use chrono::TimeDelta;
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use lumio_tests::{TestApp, is_slow, world::workers};
use lumio_worker::Daemon;

use super::{
    eventually,
    streams::{Streamer, Victims, execute, is_writing, number, rows, write_slowly},
};

/// Time before the present at which the broadcast begins.
const LEAD: TimeDelta = TimeDelta::seconds(200);
/// Time from the end of a broadcast to that of its session, the shortest permitted one.
const CLOSE_SECS: u64 = 10;
/// Time that a worker lives from its first write on, in milliseconds: a step lasts for most of it.
const LIFE: Range<u64> = 0..400;
/// The same off air, where a step has few writes.
const LIFE_OFF_AIR: Range<u64> = 0..80;
/// Number of workers by whose end the session is closed: each lives for more than a second.
const MAX_CLOSING: usize = 100;
/// Tables that the daemon writes to, without the writes of the daemon `ingest`.
const TABLES: [(&str, &str); 9] = [
    ("stream_transitions", "DELETE"),
    ("stream_sessions", "INSERT OR UPDATE"),
    ("stream_broadcasts", "INSERT OR UPDATE"),
    ("stream_changes", "INSERT"),
    ("stream_minute_marks", "DELETE"),
    ("stream_samples", "INSERT"),
    ("channel_samples", "INSERT"),
    ("public_channels", "INSERT"),
    ("public_streams", "INSERT"),
];

/// Makes the report due: the claim of a dead worker ends after ten minutes, and late lines gather for half a minute.
async fn make_due(app: &TestApp) {
    let due = "UPDATE stream_sessions SET report_due_at = now() WHERE ended_at IS NOT NULL";
    execute(&app.databases.postgres, due).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_of_killed_workers_loses_and_doubles_nothing() {
    let kills = if is_slow() { 12 } else { 3 };
    let app = TestApp::start().await;
    write_slowly(&app.databases.postgres, &TABLES).await;
    let mut streamer = Streamer::open(&app).await;
    let ingest = workers(&app, &[Daemon::Ingest]).await;
    let mut victims = Victims::of("history", LIFE, &app);

    streamer.begin(&app, app.clock.now() - LEAD).await;
    let on_air = async || {
        streamer.change(&app).await;
        streamer.hear(&app, 20..180).await;
    };
    victims.kill(&app, kills, on_air).await;
    // The wait for the next broadcast has not passed when it comes.
    streamer.end(&app).await;
    victims.life = LIFE_OFF_AIR;
    victims.kill(&app, kills, async || streamer.hear(&app, 0..20).await).await;
    victims.life = LIFE;
    streamer.begin(&app, app.clock.now()).await;
    let on_air = async || {
        streamer.change(&app).await;
        streamer.hear(&app, 0..60).await;
    };
    victims.kill(&app, kills, on_air).await;

    streamer.end(&app).await;
    let ended_at = tokio::time::Instant::now();
    victims.set("LUMIO_SESSION_CLOSE_SECS", CLOSE_SECS);
    let mut late = async || {
        let since = ended_at.elapsed().as_secs();
        streamer.hear(&app, since + 20..since + 80).await;
    };
    let mut closing = 0;
    while number(&app.databases.postgres, "stream_sessions WHERE ended_at IS NOT NULL").await == 0 {
        assert!(closing < MAX_CLOSING, "the session is never closed");
        // One that is killed in its first write brings nothing forward.
        victims.life = if closing % 2 == 0 { LIFE } else { LIFE_OFF_AIR };
        victims.kill_one(&app, &mut late).await;
        closing += 1;
    }
    for kill in 0..kills {
        make_due(&app).await;
        victims.life = if kill % 2 == 0 { LIFE } else { LIFE_OFF_AIR };
        victims.kill_one(&app, &mut late).await;
    }
    streamer.wait_until_stored(&app).await;
    eventually("nothing is written", async || !is_writing(&app.databases.postgres).await).await;
    let mut survivor = victims.start();
    streamer.wait_until_counted(&app).await;
    make_due(&app).await;
    streamer.wait_until_reported(&app).await;
    survivor.terminate();
    assert!(survivor.ended().await.success());
    streamer.check(&app).await;
    eprintln!("{} kills, {} inside a write", victims.all, victims.inside);
    ingest.stop().await.unwrap();
    app.stop().await;
}

/// Lock on what is read between the sample of a session and the public one.
struct Hold(AsyncPgConnection);

impl Hold {
    async fn begin(app: &TestApp) -> Self {
        let mut connection = AsyncPgConnection::establish(&app.database.url).await.expect("a connection");
        connection.batch_execute("BEGIN; LOCK TABLE public_games IN ACCESS EXCLUSIVE MODE").await.unwrap();
        Self(connection)
    }

    /// Kills a worker that has come to the lock, and ends the lock.
    async fn kill(mut self, app: &TestApp, victims: &Victims) {
        let mut worker = victims.start();
        eventually("it waits", async || waiting(app).await > 0).await;
        worker.kill();
        self.0.batch_execute("ROLLBACK").await.unwrap();
        eventually("the server notices its death", async || waiting(app).await == 0).await;
    }
}

async fn waiting(app: &TestApp) -> i64 {
    let locks = "pg_locks WHERE NOT granted AND relation = 'public_games'::regclass
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    number(&app.databases.postgres, locks).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_killed_between_a_sample_and_its_public_one_leaves_a_mark() {
    let app = TestApp::start().await;
    let timeseries = &app.databases.timescaledb;
    let mut streamer = Streamer::open(&app).await;
    let ingest = workers(&app, &[Daemon::Ingest]).await;
    let victims = Victims::of("history", LIFE, &app);
    streamer.begin(&app, app.clock.now() - LEAD).await;
    streamer.change(&app).await;
    // While viewers are sampled.
    Hold::begin(&app).await.kill(&app, &victims).await;
    assert_eq!(number(timeseries, "channel_samples").await, 0);
    assert_eq!(streamer.unpublished(&app).await, 0, "a sample that is not public is marked");

    let mut worker = victims.start();
    eventually("viewers are sampled", async || number(timeseries, "channel_samples").await > 0).await;
    worker.kill();
    // Lines of the sampled minute.
    let age =
        "SELECT to_jsonb(floor(extract(epoch FROM now() - max(at)))::bigint) AS row FROM stream_samples";
    let age = rows(timeseries, age).await[0].as_u64().expect("an age").saturating_sub(50);
    streamer.hear(&app, age..age + 1).await;
    streamer.wait_until_stored(&app).await;
    // While they are counted: nothing is sampled off air.
    streamer.end(&app).await;
    Hold::begin(&app).await.kill(&app, &victims).await;
    assert!(number(timeseries, "stream_minute_marks").await > 0, "the minute is to be counted again");
    assert_eq!(streamer.unpublished(&app).await, 0);

    let mut survivor = victims.start();
    eventually("it is counted", async || number(timeseries, "stream_minute_marks").await == 0).await;
    assert_eq!(streamer.unpublished(&app).await, 0);
    assert_eq!(number(timeseries, "channel_samples WHERE message_count = 2").await, 1);
    survivor.terminate();
    assert!(survivor.ended().await.success());
    ingest.stop().await.unwrap();
    app.stop().await;
}

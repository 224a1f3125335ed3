//! Passes of the roll-ups over connections of their own, as those of a copy of the daemon: copies that are killed,
//! marks that fail, days that stay.

use chrono::{DateTime, Duration, NaiveDate, Timelike, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use lumio_tests::{Program, TestApp, TestDatabase, eventually, world::workers};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::{clock::Clock, platform::Platform};
use stats_model::{
    Source, rollups,
    rollups::sweeps::{self, Sweep},
    samples::{self, ChannelSample},
};

/// Lets a connection refuse the deletion of marks, which follows the commit of the primary database.
const END_BEFORE_DELETION: &str = "
    CREATE FUNCTION end_for_the_test() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF current_setting('lumio_test.is_killed', true) = 'true' THEN
            RAISE EXCEPTION 'killed for the test';
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER end_for_the_test BEFORE DELETE ON channel_marks
        FOR EACH STATEMENT EXECUTE FUNCTION end_for_the_test();
    CREATE TRIGGER end_for_the_test BEFORE DELETE ON slot_marks
        FOR EACH STATEMENT EXECUTE FUNCTION end_for_the_test()";

/// Connections of one copy.
pub struct Rollups {
    pub timeseries: AsyncPgConnection,
    pub postgres: AsyncPgConnection,
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

impl Rollups {
    pub async fn open(postgres: &str, timeseries: &str) -> Self {
        Self { timeseries: connect(timeseries).await, postgres: connect(postgres).await }
    }

    pub async fn days(&mut self, now: DateTime<Utc>, limit: i64) -> usize {
        rollups::days(&mut self.timeseries, &mut self.postgres, now, limit).await.expect("the days are made")
    }

    pub async fn games(&mut self, now: DateTime<Utc>, limit: i64) -> usize {
        rollups::games(&mut self.timeseries, &mut self.postgres, now, limit)
            .await
            .expect("the slots are made")
    }

    /// Passes a page of a sweep; true when another is left.
    pub async fn page(&mut self, sweep: Sweep, limit: i64) -> bool {
        sweeps::page(&mut self.postgres, sweep, limit).await.expect("a page is passed")
    }

    /// Prepares for [`Self::killed`].
    pub async fn allow_kills(&mut self) {
        execute(&mut self.timeseries, END_BEFORE_DELETION).await;
    }

    /// Runs passes that end between the commits of the two databases, as those of a killed copy.
    pub async fn killed(&mut self, now: DateTime<Utc>, slots_until: DateTime<Utc>) {
        execute(&mut self.timeseries, "SET lumio_test.is_killed = 'true'").await;
        let (postgres, timeseries) = (&mut self.postgres, &mut self.timeseries);
        // A pass without marks is not cut off, and neither is one that leaves all of them.
        drop(rollups::days(timeseries, postgres, now, 500).await);
        let games = rollups::games(timeseries, postgres, slots_until, 200).await;
        assert!(!matches!(games, Ok(1..)), "it was cut off");
        execute(&mut self.timeseries, "SET lumio_test.is_killed = 'false'").await;
    }

    /// Does everything that waits, as the daemon does after a while.
    pub async fn drain(&mut self, now: DateTime<Utc>) {
        sweeps::begin_day(&mut self.postgres, now.date_naive()).await.expect("the day begins");
        for sweep in Sweep::ALL {
            while self.page(sweep, 500).await {}
        }
        while self.days(now, 500).await > 0 {}
        // Also the slots that have not ended.
        while self.games(now + Duration::hours(2), 60).await > 0 {}
        while rollups::ranges::channels(&mut self.postgres, 500).await.expect("the ranges are made") > 0 {}
        while rollups::ranges::games(&mut self.postgres, 500).await.expect("the ranges are made") > 0 {}
        while rollups::ranges::emotes(&mut self.postgres, 500).await.expect("the ranges are made") > 0 {}
    }
}

pub async fn connect(url: &str) -> AsyncPgConnection {
    AsyncPgConnection::establish(url).await.expect("the database answers")
}

/// Rows of a query in one text each, sorted.
pub async fn lines(connection: &mut AsyncPgConnection, query: &str) -> Vec<String> {
    let sql = format!("SELECT row_to_json(found)::text AS line FROM ({query}) AS found");
    let found: Vec<Line> =
        sql_query(sql).load(connection).await.unwrap_or_else(|error| panic!("{query}: {error}"));
    let mut lines: Vec<String> = found.into_iter().map(|line| line.line).collect();
    lines.sort_unstable();
    lines
}

/// Rows of a query of the primary database.
pub async fn rows(copy: &mut Rollups, query: &str) -> Vec<Value> {
    let rows = lines(&mut copy.postgres, query).await;
    rows.iter().map(|row| serde_json::from_str(row).expect("JSON")).collect()
}

/// Number of rows of a table, with its condition.
pub async fn count(connection: &mut AsyncPgConnection, rows: &str) -> i64 {
    let found: Count =
        sql_query(format!("SELECT count(*) AS count FROM {rows}")).get_result(connection).await.unwrap();
    found.count
}

/// Executes statements without parameters.
pub async fn execute(connection: &mut AsyncPgConnection, sql: &str) {
    connection.batch_execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Noon of a day before today, in UTC.
pub fn noon(days_ago: i64) -> DateTime<Utc> {
    let day: NaiveDate = Clock::default().now().date_naive() - Duration::days(days_ago);
    day.and_hms_opt(12, 0, 0).expect("a time").and_utc()
}

/// Present time without parts of a minute.
pub fn this_minute() -> DateTime<Utc> {
    Clock::default().now().with_second(0).and_then(|now| now.with_nanosecond(0)).expect("a time")
}

/// Sample of a live Twitch channel without a game.
pub fn sample(channel: &str, at: DateTime<Utc>, source: Source, viewers: i64) -> ChannelSample {
    ChannelSample {
        platform: Platform::Twitch,
        platform_channel_id: channel.to_owned(),
        at,
        source,
        viewer_count: Some(viewers),
        message_count: 0,
        game_id: None,
        game_name: None,
        weight_secs: if source == Source::FirstParty { 60 } else { 300 },
        follower_count: None,
    }
}

/// Makes the deletion of marks wait, which follows the commit of the primary database.
const WAIT_BEFORE_DELETION: &str = "
    CREATE FUNCTION wait_for_the_test() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(20); RETURN NULL; END $$";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rollups_of_a_killed_daemon_lose_and_double_nothing() {
    let app = TestApp::start().await;
    let mut copy = Rollups::open(&app.database.url, &app.database.url).await;
    execute(&mut copy.timeseries, WAIT_BEFORE_DELETION).await;
    for table in ["channel_marks", "slot_marks"] {
        let trigger = format!(
            "CREATE TRIGGER wait_for_the_test BEFORE DELETE ON {table} EXECUTE FUNCTION wait_for_the_test()"
        );
        execute(&mut copy.timeseries, &trigger).await;
    }
    let mut holder = connect(&app.database.url).await;
    let game = |viewers| ChannelSample {
        game_id: Some("g".to_owned()),
        game_name: Some("A game".to_owned()),
        ..sample("one", noon(1), Source::FirstParty, viewers)
    };
    // More ranges of emotes than a round makes.
    let emotes =
        "INSERT INTO public_emote_marks SELECT 'twitch', '7tv', 'e' || n FROM generate_series(1, 25500) AS n";
    execute(&mut copy.postgres, emotes).await;
    let days = "SELECT viewer_secs FROM public_channel_days";
    for viewers in [10, 20] {
        execute(&mut holder, "SELECT pg_advisory_lock(20)").await;
        samples::write(&mut copy.timeseries, &[game(viewers)]).await.unwrap();
        let mut worker = Program::start("lumio-worker", &["public-stats"], &app.variables());
        let expected = [json!({ "viewer_secs": viewers * 60 })];
        eventually("the primary database has the day", async || rows(&mut copy, days).await == expected)
            .await;
        assert_eq!(count(&mut copy.timeseries, "channel_marks").await, 1, "and the mark is not deleted yet");
        worker.kill();
        execute(&mut holder, "SELECT pg_advisory_unlock(20)").await;
    }
    // Two copies: one has the mark, the other skips it.
    let survivors =
        [workers(&app, &[Daemon::PublicStats]).await, workers(&app, &[Daemon::PublicStats]).await];
    eventually("no mark is left", async || {
        count(&mut copy.timeseries, "channel_marks").await + count(&mut copy.timeseries, "slot_marks").await
            == 0
    })
    .await;
    eventually("the ranges are made", async || {
        count(&mut copy.postgres, "public_game_ranges").await == 3
            && count(&mut copy.postgres, "public_channel_ranges WHERE avg_viewers = 20").await == 3
    })
    .await;
    eventually("all ranges of emotes are made without a wait", async || {
        count(&mut copy.postgres, "public_emote_marks").await == 0
    })
    .await;
    assert_eq!(rows(&mut copy, days).await, [json!({ "viewer_secs": 1200 })]);
    let of_game = "SELECT viewer_secs, slot_count, peak_viewers FROM public_game_days";
    assert_eq!(
        rows(&mut copy, of_game).await,
        [json!({ "viewer_secs": 1200, "slot_count": 1, "peak_viewers": 20 })]
    );
    for survivor in survivors {
        survivor.stop().await.unwrap();
    }
    app.stop().await;
}

#[tokio::test]
async fn rollups_leave_days_whose_samples_may_be_gone() {
    let database = TestDatabase::create().await;
    let mut copy = Rollups::open(&database.url, &database.url).await;
    let old = noon(95).date_naive();
    execute(
        &mut copy.postgres,
        &format!(
            "INSERT INTO public_channel_days VALUES ('twitch', 'one', '{old}', 'external_crawler', 60, 600, 10, 0, NULL, 1);
             INSERT INTO public_game_days VALUES ('twitch', 'g', '{old}', 600, 1, 10, 1)"
        ),
    )
    .await;
    execute(
        &mut copy.timeseries,
        &format!(
            "INSERT INTO channel_marks VALUES ('twitch', 'one', '{old}');
             INSERT INTO slot_marks VALUES ('twitch', '{old} 12:00Z')"
        ),
    )
    .await;
    // Too late, and of the future: no sample is written.
    let strange =
        [sample("one", noon(95), Source::FirstParty, 1), sample("one", noon(-3), Source::FirstParty, 1)];
    samples::write(&mut copy.timeseries, &strange).await.unwrap();
    let waiting = rollups::backlog(&mut copy.timeseries).await.unwrap();
    assert_eq!((waiting.channel_days, waiting.slots), (1, 1));
    assert!(waiting.oldest_secs > 0.0);
    copy.drain(this_minute()).await;
    let done = rollups::backlog(&mut copy.timeseries).await.unwrap();
    assert_eq!((done.channel_days, done.slots, done.oldest_secs), (0, 0, 0.0));
    assert_eq!(count(&mut copy.timeseries, "channel_samples").await, 0);
    assert_eq!(count(&mut copy.postgres, "public_channel_days").await, 1);
    assert_eq!(count(&mut copy.postgres, "public_game_days").await, 1);
    let is_due = async |copy: &mut Rollups, minutes| {
        let now = noon(0) + Duration::minutes(minutes);
        sweeps::is_run_due(&mut copy.postgres, "emotes", now, Duration::minutes(10)).await.unwrap()
    };
    assert!(
        is_due(&mut copy, 0).await && is_due(&mut copy, 0).await,
        "every copy runs until nothing is left"
    );
    sweeps::end_run(&mut copy.postgres, "emotes", noon(0)).await.unwrap();
    assert!(!is_due(&mut copy, 9).await && is_due(&mut copy, 10).await);
}

/// A sample and marks that no caller can write: its sums are no numbers of 64 bits. They are the first in line.
const POISON: &str = "
    INSERT INTO channel_samples (platform, platform_channel_id, at, source, viewer_count, game_id, weight_secs)
    VALUES ('twitch', 'poison', $AT, 'first_party', 9000000000000000000, 'p', 300);
    INSERT INTO channel_marks VALUES ('twitch', 'poison', ($AT AT TIME ZONE 'UTC')::date, now() - interval '1 day');
    INSERT INTO slot_marks VALUES ('twitch', $AT)";

#[tokio::test]
async fn rollups_that_fail_or_are_cut_off_leave_the_others_correct() {
    let database = TestDatabase::create().await;
    let mut copy = Rollups::open(&database.url, &database.url).await;
    copy.allow_kills().await;
    let now = this_minute();
    let game = |channel: &str, game: &str, viewers| ChannelSample {
        game_id: Some(game.to_owned()),
        ..sample(channel, noon(1), Source::FirstParty, viewers)
    };
    // A copy is killed after the commit of a day whose only sample is then deleted.
    let kept = [game("one", "only", 10), game("two", "g", 5), game("one", "g", 20)];
    samples::write(&mut copy.timeseries, &kept[..1]).await.unwrap();
    copy.killed(now, now).await;
    let games = "SELECT game_id, viewer_secs FROM public_game_days";
    assert_eq!(rows(&mut copy, games).await, [json!({ "game_id": "only", "viewer_secs": 600 })]);
    assert_eq!(count(&mut copy.timeseries, "game_slots").await, 0);
    samples::delete_channel(&mut copy.timeseries, Platform::Twitch, "one", Source::FirstParty).await.unwrap();
    copy.drain(now).await;
    assert!(rows(&mut copy, games).await.is_empty());
    assert_eq!(count(&mut copy.postgres, "public_channel_days").await, 0);
    // The same with a game that keeps another sample, whose slot is then as before.
    samples::write(&mut copy.timeseries, &kept[1..2]).await.unwrap();
    copy.drain(now).await;
    samples::write(&mut copy.timeseries, &kept[2..]).await.unwrap();
    copy.killed(now, now).await;
    samples::delete_channel(&mut copy.timeseries, Platform::Twitch, "one", Source::FirstParty).await.unwrap();
    copy.drain(now).await;
    assert_eq!(rows(&mut copy, games).await, [json!({ "game_id": "g", "viewer_secs": 300 })]);
    let unconfirmed = "public_sweeps WHERE sweep = 'game_days' AND after_key IS NOT NULL";
    assert_eq!(count(&mut copy.postgres, unconfirmed).await, 0);

    let mut huge: Vec<ChannelSample> = (0..9).map(|n| game(&format!("c{n}"), "g", 10)).collect();
    let bound = 1_000_000_000_i64;
    huge.push(ChannelSample {
        message_count: i64::MAX,
        follower_count: Some(i64::MAX),
        ..game("huge", "huge", i64::MAX)
    });
    samples::write(&mut copy.timeseries, &huge).await.unwrap();
    let before = noon(1) - Duration::minutes(30);
    execute(&mut copy.timeseries, &POISON.replace("$AT", &format!("timestamptz '{before}'"))).await;
    copy.drain(now).await;
    assert_eq!(count(&mut copy.postgres, "public_channel_days WHERE platform_channel_id LIKE 'c%'").await, 9);
    let clamped = "SELECT viewer_secs, peak_viewers, message_count, follower_count FROM public_channel_days
        WHERE platform_channel_id = 'huge'";
    let expected = json!({ "viewer_secs": 60 * bound, "peak_viewers": bound, "message_count": bound,
        "follower_count": bound });
    assert_eq!(rows(&mut copy, clamped).await, [expected]);
    assert_eq!(count(&mut copy.postgres, "public_game_days WHERE game_id IN ('g', 'huge')").await, 2);
    for marks in ["channel_marks", "slot_marks"] {
        assert_eq!(count(&mut copy.timeseries, marks).await, 1, "{marks}: the one that fails");
        let set_aside = format!("{marks} WHERE marked_at > now() + interval '9 minutes'");
        assert_eq!(count(&mut copy.timeseries, &set_aside).await, 1, "{marks}");
        execute(&mut copy.timeseries, &format!("UPDATE {marks} SET marked_at = now() - interval '1 second'"))
            .await;
    }
    // Alone it is an error, which is counted, and the mark stays.
    rollups::days(&mut copy.timeseries, &mut copy.postgres, now, 500).await.unwrap_err();
    rollups::games(&mut copy.timeseries, &mut copy.postgres, now, 12).await.unwrap_err();
    execute(&mut copy.timeseries, "UPDATE channel_samples SET viewer_count = 1 WHERE game_id = 'p'").await;
    copy.drain(now).await;
    let poison = "SELECT viewer_secs FROM public_channel_days WHERE platform_channel_id = 'poison'";
    assert_eq!(rows(&mut copy, poison).await, [json!({ "viewer_secs": 300 })]);
    assert_eq!(count(&mut copy.timeseries, "slot_marks").await, 0);
}

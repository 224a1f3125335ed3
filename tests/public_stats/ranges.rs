//! Ranges of days: what leaves them when the UTC day changes, and how statements find their rows.

use chrono::Duration;
use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use lumio_tests::{Statements, TestApp, TestDatabase};
use stats_model::{
    Source,
    rollups::{
        ranges,
        sweeps::{self, Sweep},
    },
    samples::{self, ChannelSample},
};

use super::passes::{Rollups, count, execute, lines, noon, sample, this_minute};

/// Days of 60 channels, games and emotes around the bounds of the ranges.
const FILL: &str = "
    INSERT INTO public_channel_days (platform, platform_channel_id, day, source, live_secs, viewer_secs, peak_viewers,
        message_count, sample_count)
    SELECT 'twitch', 'c' || c, $DAY - back, 'first_party', 60, 60 * (c + back), c + back, back, 1
    FROM generate_series(1, 60) AS c, unnest('{0,5,6,7,8,28,29,30,31,88,89,90,91,200}'::int[]) AS back
    WHERE (c + back) % 3 <> 0;
    INSERT INTO public_game_days (platform, game_id, day, viewer_secs, slot_count, peak_viewers, peak_channels)
    SELECT 'twitch', 'g' || g, $DAY - back, 300 * (g + back), 1 + back, g + back, back
    FROM generate_series(1, 60) AS g, unnest('{0,5,6,7,8,28,29,30,31,88,89,90,91,200}'::int[]) AS back
    WHERE (g + back) % 3 <> 0;
    INSERT INTO public_emote_days (provider, emote_id, platform, platform_channel_id, day, usage_count)
    SELECT '7tv', 'e' || e, 'twitch', 'c' || c, $DAY - back, e + back
    FROM generate_series(1, 60) AS e, generate_series(1, 2) AS c,
        unnest('{0,5,6,7,8,28,29,30,31,88,89,90,91,200}'::int[]) AS back
    WHERE (e + c + back) % 3 <> 0;
    INSERT INTO public_channel_marks SELECT DISTINCT platform, platform_channel_id FROM public_channel_days;
    INSERT INTO public_game_marks SELECT DISTINCT platform, game_id FROM public_game_days;
    INSERT INTO public_emote_marks SELECT DISTINCT platform, provider, emote_id FROM public_emote_days";

/// Ranges by plain SQL.
const PLAIN: [(&str, &str); 3] = [
    (
        "public_channel_ranges",
        "SELECT range_days::smallint, platform, platform_channel_id,
            sum(viewer_secs)::float8 / sum(live_secs)::float8 AS avg_viewers, max(peak_viewers) AS peak_viewers,
            sum(live_secs)::bigint AS live_secs, sum(message_count)::bigint AS total_messages
         FROM public_channel_days, unnest('{7,30,90}'::int[]) AS range_days WHERE day > $DAY - range_days
         GROUP BY 1, 2, 3",
    ),
    (
        "public_game_ranges",
        "SELECT range_days::smallint, platform, game_id,
            sum(viewer_secs)::float8 / (sum(slot_count) * 300)::float8 AS avg_viewers,
            max(peak_viewers) AS peak_viewers, sum(viewer_secs)::float8 / 3600 AS hours_watched,
            max(peak_channels) AS channels
         FROM public_game_days, unnest('{7,30,90}'::int[]) AS range_days WHERE day > $DAY - range_days
         GROUP BY 1, 2, 3",
    ),
    (
        "public_emote_ranges",
        "SELECT range_days::smallint, platform, provider, emote_id, sum(usage_count)::bigint AS usage_count,
            count(DISTINCT platform_channel_id) AS channel_count
         FROM public_emote_days, unnest('{7,30,90}'::int[]) AS range_days WHERE day > $DAY - range_days
         GROUP BY 1, 2, 3, 4",
    ),
];

async fn make(copy: &mut Rollups) {
    while ranges::channels(&mut copy.postgres, 25).await.unwrap() > 0 {}
    while ranges::games(&mut copy.postgres, 25).await.unwrap() > 0 {}
    while ranges::emotes(&mut copy.postgres, 25).await.unwrap() > 0 {}
}

async fn compare(copy: &mut Rollups, day: &str) {
    for (table, plain) in PLAIN {
        let expected = lines(&mut copy.postgres, &plain.replace("$DAY", day)).await;
        assert_eq!(
            lines(&mut copy.postgres, &format!("SELECT * FROM {table}")).await,
            expected,
            "{table} {day}"
        );
        assert!(expected.len() > 100, "{table} has rows");
    }
}

#[tokio::test]
async fn ranges_end_with_the_day_after_a_sweep_that_was_cut_off() {
    let database = TestDatabase::create().await;
    let mut copy = Rollups::open(&database.url, &database.url).await;
    let start = this_minute().date_naive() - Duration::days(10);
    let text = |days: i64| format!("'{}'::date", start + Duration::days(days));
    sweeps::begin_day(&mut copy.postgres, start).await.unwrap();
    for sweep in Sweep::ALL {
        assert!(!copy.page(sweep, 100).await, "nothing is there yet");
    }
    execute(&mut copy.postgres, &FILL.replace("$DAY", &text(0))).await;
    make(&mut copy).await;
    compare(&mut copy, &text(0)).await;

    // The sweep of the first day is cut off after a page, and continued by another copy.
    let mut other = Rollups::open(&database.url, &database.url).await;
    sweeps::begin_day(&mut copy.postgres, start + Duration::days(1)).await.unwrap();
    assert!(copy.page(Sweep::Channels, 20).await);
    let marked = count(&mut copy.postgres, "public_channel_marks").await;
    assert!((1..=20).contains(&marked), "{marked} of the page have a day that leaves a range");
    drop(copy);
    for sweep in Sweep::ALL {
        while other.page(sweep, 20).await {}
    }
    make(&mut other).await;
    compare(&mut other, &text(1)).await;

    // A day begins before the sweep of the last one has ended, then the daemon is away for some days.
    sweeps::begin_day(&mut other.postgres, start + Duration::days(2)).await.unwrap();
    assert!(other.page(Sweep::Channels, 20).await);
    make(&mut other).await;
    for day in [3, 9] {
        sweeps::begin_day(&mut other.postgres, start + Duration::days(day)).await.unwrap();
        for sweep in Sweep::ALL {
            while other.page(sweep, 45).await {}
        }
        make(&mut other).await;
        compare(&mut other, &text(day)).await;
    }
    // A copy whose day is behind changes nothing.
    sweeps::begin_day(&mut other.postgres, start).await.unwrap();
    assert_eq!(count(&mut other.postgres, &format!("public_sweeps WHERE day = {}", text(9))).await, 3);
}

/// Lets the ranges of one channel, game and emote fail, which are the first of their batches.
const FAIL: &str = "
    CREATE FUNCTION fail_for_the_test() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF to_jsonb(NEW) ->> TG_ARGV[0] IN ('c1', 'g1', 'e1') THEN
            RAISE EXCEPTION 'failed for the test';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER fail_for_the_test BEFORE INSERT ON public_channel_ranges
        FOR EACH ROW EXECUTE FUNCTION fail_for_the_test('platform_channel_id');
    CREATE TRIGGER fail_for_the_test BEFORE INSERT ON public_game_ranges
        FOR EACH ROW EXECUTE FUNCTION fail_for_the_test('game_id');
    CREATE TRIGGER fail_for_the_test BEFORE INSERT ON public_emote_ranges
        FOR EACH ROW EXECUTE FUNCTION fail_for_the_test('emote_id')";

#[tokio::test]
async fn ranges_that_fail_are_set_aside_and_leave_those_of_their_batch_correct() {
    const TABLES: [(&str, &str); 3] = [
        ("public_channel_marks", "platform_channel_id = 'c1'"),
        ("public_game_marks", "game_id = 'g1'"),
        ("public_emote_marks", "emote_id = 'e1'"),
    ];
    let database = TestDatabase::create().await;
    let mut copy = Rollups::open(&database.url, &database.url).await;
    let day = this_minute().date_naive();
    let text = format!("'{day}'::date");
    sweeps::begin_day(&mut copy.postgres, day).await.unwrap();
    execute(&mut copy.postgres, &FILL.replace("$DAY", &text)).await;
    execute(&mut copy.postgres, FAIL).await;
    make(&mut copy).await;
    for ((marks, failed), (table, plain)) in TABLES.into_iter().zip(PLAIN) {
        let others = |rows: &str| format!("SELECT * FROM ({rows}) AS ranges WHERE NOT {failed}");
        let expected = lines(&mut copy.postgres, &others(&plain.replace("$DAY", &text))).await;
        assert_eq!(lines(&mut copy.postgres, &format!("SELECT * FROM {table}")).await, expected, "{table}");
        assert_eq!(count(&mut copy.postgres, marks).await, 1, "{marks}: the one that fails");
        let set_aside = format!("{marks} WHERE {failed} AND marked_at > now() + interval '9 minutes'");
        assert_eq!(count(&mut copy.postgres, &set_aside).await, 1, "{marks}");
        execute(&mut copy.postgres, &format!("UPDATE {marks} SET marked_at = now() - interval '1 second'"))
            .await;
    }
    // Alone it is an error, which is counted, and the mark stays.
    ranges::channels(&mut copy.postgres, 25).await.unwrap_err();
    ranges::games(&mut copy.postgres, 25).await.unwrap_err();
    ranges::emotes(&mut copy.postgres, 25).await.unwrap_err();
    execute(&mut copy.postgres, "DROP FUNCTION fail_for_the_test CASCADE").await;
    make(&mut copy).await;
    compare(&mut copy, &text).await;
    for (marks, _) in TABLES {
        assert_eq!(count(&mut copy.postgres, marks).await, 0, "{marks}");
    }
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    #[diesel(column_name = "QUERY PLAN")]
    line: String,
}

/// Plan of a prepared statement that holds for any parameters.
async fn plan(connection: &mut AsyncPgConnection, sql: &str, types: &str, values: &str) -> Vec<String> {
    execute(
        connection,
        &format!("SET plan_cache_mode = force_generic_plan; PREPARE planned({types}) AS {sql}"),
    )
    .await;
    let found: Vec<Line> =
        sql_query(format!("EXPLAIN EXECUTE planned({values})")).load(connection).await.unwrap();
    execute(connection, "DEALLOCATE planned").await;
    found.into_iter().map(|line| line.line).collect()
}

#[tokio::test]
async fn ranges_days_and_slots_are_made_through_indexes() {
    let watched = Statements::watch();
    let app = TestApp::start().await;
    watched.to(&app);
    let mut copy = Rollups::open(&app.database.url, &app.database.url).await;
    let (morning, partition) =
        (noon(1) - Duration::hours(9), noon(1).format("channel_samples_p%Y%m%d").to_string());
    let fill = format!(
        "INSERT INTO channel_samples (platform, platform_channel_id, at, source, viewer_count, game_id, weight_secs)
         SELECT 'twitch', 'c' || c, timestamptz '{morning}' + minute * interval '1 minute', 'first_party', c,
            'g' || c % 9, 60
         FROM generate_series(1, 100) AS c, generate_series(0, 400) AS minute;
         INSERT INTO public_channel_days (platform, platform_channel_id, day, source, live_secs, viewer_secs,
            peak_viewers, message_count, sample_count)
         SELECT 'twitch', 'c' || c, current_date - back, 'first_party', 60, 60, 1, 1, 1
         FROM generate_series(1, 200) AS c, generate_series(1, 200) AS back;
         ANALYZE channel_samples; ANALYZE public_channel_days"
    );
    execute(&mut copy.timeseries, &fill).await;
    let one =
        ChannelSample { game_id: Some("g".to_owned()), ..sample("one", noon(1), Source::FirstParty, 1) };
    samples::write(&mut copy.timeseries, &[one]).await.unwrap();
    copy.drain(this_minute()).await;
    let sent = watched.take();
    let statement = |part: &str| {
        let found =
            sent.iter().find(|sql| sql.contains(part)).unwrap_or_else(|| panic!("{part} in {sent:#?}"));
        found.split("-- binds").next().expect("a statement").trim().to_owned()
    };
    let day = noon(1).date_naive();
    let (from, to) = (morning, morning + Duration::minutes(5));
    let channel = "'{twitch}', '{c1}'";
    for (part, types, values, table) in [
        (
            "OVER () AS is_counted",
            "text[], text[], date[], date, date",
            format!("{channel}, '{{{day}}}', '{day}', '{day}'"),
            partition.as_str(),
        ),
        (
            "INSERT INTO game_slots",
            "text[], timestamptz[], timestamptz, timestamptz",
            format!("'{{twitch}}', ARRAY[timestamptz '{from}'], '{from}', '{to}'"),
            partition.as_str(),
        ),
        ("INSERT INTO public_channel_ranges", "text[], text[]", channel.to_owned(), "public_channel_days"),
    ] {
        let plan = plan(&mut copy.postgres, &statement(part), types, &values).await;
        let reads = |kind: &str| {
            let named = format!("{table}_");
            plan.iter().any(|line| {
                line.contains(kind) && (line.contains(&named) || line.contains(&format!("{table} ")))
            })
        };
        assert!(reads("Index") && !reads("Seq Scan"), "{plan:#?}");
    }
    drop(copy);
    app.stop().await;
}

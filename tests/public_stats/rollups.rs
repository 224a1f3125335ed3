//! Roll-ups of samples: sources, hidden channels, live states, streams, and daemons that are killed.

use chrono::Duration;
use lumio_tests::{Program, TestApp, TestDatabase, eventually, world::workers};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::platform::Platform;
use stats_model::{
    Source,
    channels::{self, Broadcast, LiveState, SeenChannel},
    emotes::{self, Emote, EmoteDay, EmoteUse},
    games::{self, Game},
    rollups::{self, sweeps},
    samples::{self, ChannelSample},
    streams::{self, PublicStream, StreamVisit},
};

use super::passes::{Rollups, connect, count, execute, lines, noon, sample, this_minute};

const TWITCH: Platform = Platform::Twitch;

/// Observation of a channel of the first party, without names.
fn seen(channel: &str, state: LiveState, after: Duration) -> SeenChannel {
    SeenChannel {
        platform: TWITCH,
        platform_channel_id: channel.to_owned(),
        source: Source::FirstParty,
        login: None,
        display_name: None,
        avatar_url: None,
        broadcaster_type: None,
        language: None,
        followers: None,
        state,
        seen_at: noon(0) + after,
    }
}

fn live(viewers: i64, game: &str) -> LiveState {
    LiveState::Live(Broadcast {
        viewers: Some(viewers),
        game: Some(game.to_owned()),
        title: Some(format!("{viewers} watch")),
        ..Broadcast::default()
    })
}

async fn rows(copy: &mut Rollups, query: &str) -> Vec<Value> {
    let rows = lines(&mut copy.postgres, query).await;
    rows.iter().map(|row| serde_json::from_str(row).expect("JSON")).collect()
}

async fn channel(copy: &mut Rollups) -> Value {
    rows(copy, "SELECT * FROM public_channels WHERE platform_channel_id = 'one'").await.remove(0)
}

#[tokio::test]
async fn rollups_count_one_source_a_day_and_nothing_of_the_crawler_in_hidden_channels() {
    let database = TestDatabase::create().await;
    let mut copy = Rollups::open(&database.url, &database.url).await;
    let (now, today, before) = (this_minute(), noon(0) - Duration::hours(12), noon(1));
    let written = [
        ChannelSample { follower_count: Some(70), ..sample("one", before, Source::ExternalCrawler, 500) },
        sample("one", before + Duration::minutes(1), Source::FirstParty, 10),
        ChannelSample {
            viewer_count: None,
            message_count: 4,
            ..sample("one", before + Duration::minutes(2), Source::FirstParty, 0)
        },
        sample("one", noon(2), Source::ExternalCrawler, 20),
        sample("other", noon(2), Source::ExternalCrawler, 30),
    ];
    samples::write(&mut copy.timeseries, &written).await.unwrap();
    copy.drain(now).await;
    let days = "SELECT day, source, live_secs, viewer_secs, peak_viewers, message_count, follower_count, sample_count
        FROM public_channel_days WHERE platform_channel_id = 'one'";
    let day = |days_ago: i64| noon(days_ago).date_naive().to_string();
    let own = json!({ "day": day(1), "source": "first_party", "live_secs": 60, "viewer_secs": 600, "peak_viewers": 10,
        "message_count": 4, "follower_count": 70, "sample_count": 2 });
    let crawled = json!({ "day": day(2), "source": "external_crawler", "live_secs": 300, "viewer_secs": 6000,
        "peak_viewers": 20, "message_count": 0, "follower_count": null, "sample_count": 1 });
    assert_eq!(rows(&mut copy, days).await, [crawled.clone(), own.clone()]);

    // The owner opts out, while the crawler has a sample under way.
    channels::hide(&mut copy.postgres, TWITCH, "one", now).await.unwrap();
    channels::delete_crawled(&mut copy.postgres, TWITCH, "one").await.unwrap();
    samples::delete_channel(&mut copy.timeseries, TWITCH, "one", Source::ExternalCrawler).await.unwrap();
    let late =
        ChannelSample { game_id: Some("g".to_owned()), ..sample("one", today, Source::ExternalCrawler, 99) };
    samples::write(&mut copy.timeseries, &[late.clone(), ChannelSample { at: noon(2), ..late }])
        .await
        .unwrap();
    copy.drain(now).await;
    assert_eq!(count(&mut copy.timeseries, "channel_samples WHERE platform_channel_id = 'one'").await, 2);
    assert_eq!(count(&mut copy.timeseries, "game_slots").await, 0, "the game has lost the sample too");
    let kept = json!({ "follower_count": null, "sample_count": 2 });
    let [left] = &rows(&mut copy, days).await[..] else { panic!("one day is left") };
    assert_eq!(
        (&left["follower_count"], &left["sample_count"]),
        (&kept["follower_count"], &kept["sample_count"])
    );
    assert_eq!(
        rows(&mut copy, "SELECT day FROM public_channel_days WHERE platform_channel_id = 'other'")
            .await
            .len(),
        1
    );
    let of_ranges =
        "SELECT range_days, live_secs FROM public_channel_ranges WHERE platform_channel_id = 'one'";
    let ranges = [7, 30, 90].map(|range_days| json!({ "range_days": range_days, "live_secs": 60 }));
    assert_eq!(rows(&mut copy, of_ranges).await, [ranges[1].clone(), ranges[0].clone(), ranges[2].clone()]);
    channels::seen(&mut copy.postgres, &[seen("one", live(5, "Chess"), Duration::zero())]).await.unwrap();
    assert_eq!(channel(&mut copy).await["is_live"], false, "a hidden channel shows nothing");
    let queried = [(TWITCH, "one".to_owned()), (TWITCH, "other".to_owned())];
    assert_eq!(channels::hidden(&mut copy.postgres, &queried).await.unwrap(), queried[..1]);

    assert!(channels::show(&mut copy.postgres, TWITCH, "one").await.unwrap());
    assert!(channels::hidden(&mut copy.postgres, &queried).await.unwrap().is_empty());
    channels::delete_rows(&mut copy.postgres, TWITCH, "one", Source::FirstParty).await.unwrap();
    assert!(rows(&mut copy, days).await.is_empty() && rows(&mut copy, of_ranges).await.is_empty());
}

#[tokio::test]
async fn rollups_of_live_states_prefer_the_first_party_and_end_with_silence() {
    let database = TestDatabase::create().await;
    let mut copy = Rollups::open(&database.url, &database.url).await;
    let (start, minutes) = (noon(0), Duration::minutes);
    let chess =
        Game { platform: TWITCH, game_id: "77".to_owned(), name: "Chess".to_owned(), box_art_url: None };
    games::catalogue(&mut copy.postgres, &[chess], start).await.unwrap();
    let found =
        games::ids(&mut copy.postgres, &[(TWITCH, "cHESS".to_owned()), (TWITCH, "Go".to_owned())]).await;
    assert_eq!(found.unwrap(), [(TWITCH, "cHESS".to_owned(), "77".to_owned())]);

    let crawled = |after: i64, viewers: i64| SeenChannel {
        source: Source::ExternalCrawler,
        login: Some(format!("login{after}")),
        avatar_url: Some("https://pictures.example/1".to_owned()),
        followers: Some(after),
        ..seen("one", live(viewers, "Go"), minutes(after))
    };
    channels::seen(&mut copy.postgres, &[crawled(0, 1)]).await.unwrap();
    assert_eq!(channel(&mut copy).await["source"], "external_crawler");
    let own = SeenChannel { login: Some("own\0".to_owned()), ..seen("one", live(5, "Chess"), minutes(1)) };
    channels::seen(&mut copy.postgres, &[own]).await.unwrap();
    channels::seen(&mut copy.postgres, &[crawled(2, 9)]).await.unwrap();
    let now = channel(&mut copy).await;
    let fields =
        ["source", "login", "avatar_url", "current_viewers", "current_game_id", "current_title", "followers"];
    assert_eq!(
        fields.map(|field| now[field].clone()),
        [
            json!("first_party"),
            json!("own"),
            json!("https://pictures.example/1"),
            json!(5),
            json!("77"),
            json!("5 watch"),
            json!(2)
        ]
    );
    rollups::live_games(&mut copy.postgres, start).await.unwrap();
    let games = "SELECT name, live_viewers, live_channels FROM public_games";
    let alive = json!({ "name": "Chess", "live_viewers": 5, "live_channels": 1 });
    assert_eq!(rows(&mut copy, games).await, [alive]);
    assert_eq!(rollups::live_games(&mut copy.postgres, start).await.unwrap(), None, "once a minute");

    // The first party is silent for more than five minutes: the crawler's state counts, then ends after two intervals.
    assert_eq!(channels::end_silent(&mut copy.postgres, start + minutes(6), 10).await.unwrap(), 0);
    channels::seen(&mut copy.postgres, &[crawled(7, 8)]).await.unwrap();
    assert_eq!(channel(&mut copy).await["current_viewers"], 8);
    assert_eq!(channels::end_silent(&mut copy.postgres, start + minutes(16), 10).await.unwrap(), 0);
    assert_eq!(channels::end_silent(&mut copy.postgres, start + minutes(18), 10).await.unwrap(), 1);
    let ended = channel(&mut copy).await;
    assert_eq!(
        (&ended["is_live"], &ended["current_viewers"], &ended["current_game"]),
        (&json!(false), &json!(null), &json!("Go"))
    );
    assert_eq!(ended["last_streamed_at"], ended["live_seen_at"]);
    rollups::live_games(&mut copy.postgres, start + minutes(1)).await.unwrap();
    let over = json!({ "name": "Chess", "live_viewers": 0, "live_channels": 0 });
    assert_eq!(rows(&mut copy, games).await, [over]);

    // A silent first-party channel ends after five minutes; an offline one at once, unless its state is newer.
    channels::seen(&mut copy.postgres, &[seen("one", live(5, "Chess"), minutes(30))]).await.unwrap();
    let ids = ["one".to_owned()];
    let offline = async |copy: &mut Rollups, source, after| {
        channels::offline(&mut copy.postgres, TWITCH, &ids, source, start + minutes(after)).await.unwrap()
    };
    assert_eq!(offline(&mut copy, Source::FirstParty, 29).await, 0);
    assert_eq!(offline(&mut copy, Source::ExternalCrawler, 31).await, 0);
    assert_eq!(offline(&mut copy, Source::FirstParty, 31).await, 1);
    channels::seen(&mut copy.postgres, &[seen("one", live(5, "Chess"), minutes(40))]).await.unwrap();
    assert_eq!(channels::end_silent(&mut copy.postgres, start + minutes(46), 10).await.unwrap(), 1);
    // A month later the channel is the crawler's.
    channels::seen(&mut copy.postgres, &[crawled(60 * 24 * 31, 1)]).await.unwrap();
    assert_eq!(channel(&mut copy).await["source"], "external_crawler");
}

#[tokio::test]
async fn rollups_of_streams_and_emotes_are_replaced_and_forget_chatters() {
    let database = TestDatabase::create().await;
    let mut copy = Rollups::open(&database.url, &database.url).await;
    let start = noon(0);
    let visit = |broadcast: &str, viewers: i64, after: i64| StreamVisit {
        platform: TWITCH,
        broadcast_id: broadcast.to_owned(),
        platform_channel_id: "one".to_owned(),
        title: Some("A title".to_owned()),
        game_id: None,
        category: None,
        language: None,
        started_at: start,
        viewers: Some(viewers),
        weight_secs: 300,
        seen_at: start + Duration::minutes(after),
    };
    for visits in
        [[visit("own", 10, 0), visit("crawled", 10, 0)], [visit("crawled", 40, 5), visit("crawled", 1, 0)]]
    {
        streams::observe(&mut copy.postgres, &visits).await.unwrap();
    }
    let chatter = |id: &str| json!({ "platform": "twitch", "platform_user_id": id, "username": id, "message_count": 3 });
    let own = PublicStream {
        platform: TWITCH,
        broadcast_id: "own".to_owned(),
        platform_channel_id: "one".to_owned(),
        source: Source::FirstParty,
        title: Some("Its title".to_owned()),
        game_id: None,
        category: Some("Chess".to_owned()),
        language: None,
        started_at: start,
        ended_at: Some(start + Duration::minutes(2)),
        peak_viewers: Some(7),
        avg_viewers: Some(3.5),
        total_messages: 6,
        emote_count: 1,
        top_emotes: json!([]),
        gif_count: 0,
        top_gifs: json!([]),
        top_chatters: Some(json!([chatter("u1"), chatter("u2")])),
    };
    let crawled = PublicStream { source: Source::ExternalCrawler, title: None, ..own.clone() };
    for stream in [own.clone(), own, crawled] {
        streams::upsert(&mut copy.postgres, &[stream]).await.unwrap();
    }
    assert_eq!(streams::end_silent(&mut copy.postgres, start + Duration::minutes(16), 10).await.unwrap(), 1);
    let figures =
        "SELECT broadcast_id, source, title, duration_secs, peak_viewers, avg_viewers FROM public_streams";
    assert_eq!(
        rows(&mut copy, figures).await,
        [
            json!({ "broadcast_id": "crawled", "source": "external_crawler", "title": "A title", "duration_secs": 300,
                "peak_viewers": 40, "avg_viewers": 25 }),
            json!({ "broadcast_id": "own", "source": "first_party", "title": "Its title", "duration_secs": 120,
                "peak_viewers": 7, "avg_viewers": 3.5 }),
        ]
    );
    assert_eq!(streams::forget_chatter(&mut copy.postgres, TWITCH, "u1").await.unwrap(), 1);
    assert_eq!(streams::forget_chatter(&mut copy.postgres, TWITCH, "u1").await.unwrap(), 0);
    assert_eq!(count(&mut copy.postgres, "public_streams WHERE top_chatters::text LIKE '%u1%'").await, 0);
    assert_eq!(count(&mut copy.postgres, "public_streams WHERE top_chatters::text LIKE '%u2%'").await, 1);

    let used = |emote: &str, usage_count| EmoteUse {
        provider: if emote == "unknown" { "other".to_owned() } else { "7tv".to_owned() },
        emote_id: emote.to_owned(),
        usage_count,
    };
    let emote = Emote {
        provider: "7tv".to_owned(),
        emote_id: "a".to_owned(),
        name: "A".to_owned(),
        url: None,
        animated: None,
    };
    emotes::catalogue(&mut copy.postgres, &[emote], start).await.unwrap();
    let ranges = "SELECT emote_id, usage_count, channel_count FROM public_emote_ranges WHERE range_days = 30";
    let row = |emote_id: &str, usage_count: i64, channel_count: i64| json!({ "emote_id": emote_id, "usage_count": usage_count, "channel_count": channel_count });
    for (channel, uses) in [
        ("one", vec![used("a", 3), used("b", 1), used("unknown", 9)]),
        ("two", vec![used("a", 4), used("a", 1), used("c", 0)]),
    ] {
        let of = EmoteDay {
            platform: TWITCH,
            platform_channel_id: channel.to_owned(),
            day: start.date_naive(),
            uses,
        };
        emotes::use_counts(&mut copy.postgres, &of).await.unwrap();
    }
    copy.drain(this_minute()).await;
    assert_eq!(rows(&mut copy, ranges).await, [row("a", 8, 2), row("b", 1, 1)]);
    // A report that is made again replaces the day.
    let again = EmoteDay {
        platform: TWITCH,
        platform_channel_id: "one".to_owned(),
        day: start.date_naive(),
        uses: vec![used("a", 1)],
    };
    emotes::use_counts(&mut copy.postgres, &again).await.unwrap();
    copy.drain(this_minute()).await;
    assert_eq!(rows(&mut copy, ranges).await, [row("a", 6, 2)]);
    channels::delete_rows(&mut copy.postgres, TWITCH, "two", Source::FirstParty).await.unwrap();
    copy.drain(this_minute()).await;
    assert_eq!(rows(&mut copy, ranges).await, [row("a", 1, 1)]);
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
    let claimed = async |copy: &mut Rollups| {
        sweeps::claim_run(&mut copy.postgres, "emotes", noon(0), Duration::minutes(10)).await.unwrap()
    };
    assert!(claimed(&mut copy).await && !claimed(&mut copy).await, "one copy in an interval");
}

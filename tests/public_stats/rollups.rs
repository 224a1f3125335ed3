//! Roll-ups of samples: sources, hidden channels, live states, streams and emotes.

use chrono::Duration;
use lumio_tests::{TestApp, TestDatabase, eventually};
use serde_json::{Value, json};
use shared::platform::Platform;
use stats_model::{
    Source,
    channels::{self, Broadcast, LiveState, SeenChannel},
    emotes::{self, Emote, EmoteDay, EmoteUse},
    games::{self, Game},
    rollups,
    samples::{self, ChannelSample},
    streams::{self, PublicStream, StreamVisit},
};

use super::{
    channels::{everywhere, plant},
    passes::{Rollups, count, noon, rows, sample, this_minute},
    settings::{connect, set},
};

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
async fn rollups_of_streams_and_emotes_are_replaced() {
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
        top_chatters: Some(json!([{ "platform": "twitch", "platform_user_id": "u1", "message_count": 3 }])),
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
    let named = "public_streams WHERE broadcast_id = 'own' AND top_chatters::text LIKE '%u1%'";
    assert_eq!(count(&mut copy.postgres, named).await, 1, "the crawler's figures do not replace them");
    // What a platform may send beyond all bounds is cut and clamped, and breaks no index and no sum.
    let long: String = (0..5_000).map(|n| (n * 7_919 % 10_007).to_string()).collect();
    for after in [20, 25] {
        let beyond = StreamVisit {
            title: Some(long.repeat(50)),
            game_id: Some(long.clone()),
            category: Some(long.clone()),
            platform_channel_id: long.clone(),
            ..visit(&long, i64::MAX, after)
        };
        streams::observe(&mut copy.postgres, &[beyond]).await.unwrap();
    }
    let beyond =
        "public_streams WHERE peak_viewers = 1000000000 AND avg_viewers = 1000000000 AND length(title) = 1000
        AND length(category) = 200 AND length(broadcast_id) = 128 AND length(platform_channel_id) = 128";
    assert_eq!(count(&mut copy.postgres, beyond).await, 1);
    let named = SeenChannel {
        login: Some(long.clone()),
        display_name: Some(long.clone()),
        followers: Some(i64::MAX),
        ..seen(&long, live(i64::MAX, &long), Duration::zero())
    };
    channels::seen(&mut copy.postgres, &[named]).await.unwrap();
    let bounded = "public_channels WHERE length(login) = 200 AND length(current_game) = 200
        AND followers = 1000000000 AND current_viewers = 1000000000";
    assert_eq!(count(&mut copy.postgres, bounded).await, 1);

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
    // An emote of a hidden channel alone is in no range, and is back when the channel is shown.
    channels::hide(&mut copy.postgres, TWITCH, "two", start).await.unwrap();
    copy.drain(this_minute()).await;
    assert_eq!(rows(&mut copy, ranges).await, [row("a", 1, 1)]);
    channels::hide(&mut copy.postgres, TWITCH, "one", start).await.unwrap();
    copy.drain(this_minute()).await;
    assert!(rows(&mut copy, ranges).await.is_empty());
    for (channel, is_shown) in [("one", true), ("one", false), ("two", true)] {
        assert_eq!(channels::show(&mut copy.postgres, TWITCH, channel).await.unwrap(), is_shown);
    }
    copy.drain(this_minute()).await;
    assert_eq!(rows(&mut copy, ranges).await, [row("a", 6, 2)]);
    channels::delete_rows(&mut copy.postgres, TWITCH, "two", Source::FirstParty).await.unwrap();
    copy.drain(this_minute()).await;
    assert_eq!(rows(&mut copy, ranges).await, [row("a", 1, 1)]);
}

#[tokio::test]
async fn erase_chat_subject_data_drops_kept_answers_that_name_the_person() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    let owner = app.owner().await;
    connect(&app, owner.account_id, "twitch", "100").await;
    set(&owner, true, true).await;
    let anonymous = app.anonymous();
    let stream = "/v1/public-stats/streams/twitch/past-100";
    eventually("the answer is kept", async || {
        let before = anonymous.get(stream).await.data()["title"].clone();
        plant(&app, "UPDATE public_streams SET title = title || '.' WHERE broadcast_id = 'past-100'").await;
        anonymous.get(stream).await.data()["title"] == before
    })
    .await;
    assert_eq!(anonymous.get(stream).await.data()["top_chatters"][0]["display_name"], "Ann");
    let staff = app.admin_with(&["admin:privacy-erase"]).await;
    let person = json!({ "platform": "twitch", "user_id": "4711" });
    staff.post("/v1/admin/privacy/chat/erase", person).await.expect(200);
    assert_eq!(anonymous.get(stream).await.data()["top_chatters"], json!([]));
    app.stop().await;
}

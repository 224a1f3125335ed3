//! Public statistics of single channels and streams (reference/public-stats.md#channels).

mod plans;
mod planted;
mod refusals;

use chrono::Duration;
use lumio_tests::{Caller, TestApp, both_refused};
use serde_json::{Value, json};

pub use planted::{everywhere, plant, reads};

use crate::settings::connect;

/// Value of a public read over GraphQL, as REST has it.
async fn over_graphql(caller: &Caller, field: &str, document: &str) -> Value {
    caller.graphql(document, json!({})).await.field(field)
}

#[tokio::test]
async fn public_channel_stats_sums_all_days_of_an_id_or_login() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    // Another channel has this login as its id, and a third one had the login before.
    plant(
        &app,
        "INSERT INTO public_channels (platform, platform_channel_id, login, display_name, source, first_seen_at, profile_at)
         VALUES ('twitch', '200', '100', 'Two hundred', 'first_party', $NOW, NULL),
            ('twitch', '300', 'LOGIN_100', 'Former', 'first_party', $NOW, NULL),
            ('kick', '100', 'login_100', 'Elsewhere', 'first_party', $NOW, $NOW);
         UPDATE public_channels SET profile_at = $NOW WHERE platform = 'twitch' AND platform_channel_id = '100';
         INSERT INTO public_streams (platform, broadcast_id, platform_channel_id, source, started_at, total_messages)
         SELECT 'twitch', 'old-' || n, '100', 'first_party', $NOW - interval '40 days' - n * interval '1 day', n
         FROM generate_series(1, 15) AS n",
    )
    .await;
    let anonymous = app.anonymous();

    let by_id = anonymous.get("/v1/public-stats/channels/twitch/100").await;
    let stats = by_id.data();
    let recent = stats["recent_streams"].as_array().unwrap();
    assert_eq!(recent.len(), 10, "the newest");
    assert_eq!((&recent[0]["broadcast_id"], &recent[0]["ended_at"]), (&json!("live-100"), &Value::Null));
    assert_eq!(
        (&recent[1]["duration_secs"], &recent[1]["avg_viewers"], &recent[1]["total_messages"]),
        (&json!(7200), &json!(200.01), &json!(60))
    );
    let mut figures = stats.clone();
    figures.as_object_mut().unwrap().remove("recent_streams");
    figures.as_object_mut().unwrap().remove("last_streamed_at").unwrap().as_str().expect("a time");
    assert_eq!(
        figures,
        json!({
            "platform_channel_id": "100", "channel_display_name": "Name 100", "source": "external_crawler",
            "stream_count": 17, "total_duration_secs": 14400, "peak_viewers": 300, "avg_viewers": 125.25,
            "total_messages": 105, "broadcaster_type": "partner",
        })
    );
    for name in ["login_100", "LOGIN_100", "Login%5F100"] {
        let by_login = anonymous.get(&format!("/v1/public-stats/channels/twitch/{name}")).await;
        assert_eq!(by_login.data(), stats, "{name}");
    }
    let document = "{ publicChannelStats(platform: \"twitch\", channel: \"login_100\") { platformChannelId \
        channelDisplayName source streamCount totalDurationSecs peakViewers avgViewers totalMessages lastStreamedAt \
        broadcasterType recentStreams { broadcastId title category startedAt endedAt durationSecs peakViewers avgViewers \
        totalMessages } } }";
    assert_eq!(over_graphql(&anonymous, "publicChannelStats", document).await, *stats);

    let silent = anonymous.get("/v1/public-stats/channels/twitch/200").await;
    let silent = silent.data();
    assert_eq!(
        (
            &silent["peak_viewers"],
            &silent["avg_viewers"],
            &silent["total_duration_secs"],
            &silent["last_streamed_at"]
        ),
        (&Value::Null, &Value::Null, &json!(0), &Value::Null),
        "the id goes first, and a channel without days has no figures"
    );
    app.stop().await;
}

#[tokio::test]
async fn public_channel_trends_has_the_days_of_its_range() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    let (anonymous, today) = (app.anonymous(), app.clock.now().date_naive());
    let day = |back: i64| (today - Duration::days(back)).to_string();
    for (range, followers, viewers) in [
        ("DAYS_30", vec![(29, 900), (0, 1000)], vec![(29, 200.0), (0, 100.0)]),
        ("DAYS_90", vec![(30, 800), (29, 900), (0, 1000)], vec![(29, 200.0), (0, 100.0)]),
        ("DAYS_180", vec![(30, 800), (29, 900), (0, 1000)], vec![(29, 200.0), (0, 100.0)]),
        ("DAYS_365", vec![(30, 800), (29, 900), (0, 1000)], vec![(29, 200.0), (0, 100.0)]),
    ] {
        let expected = json!({
            "follower_series": followers.iter()
                .map(|(back, count)| json!({ "date": day(*back), "follower_count": count })).collect::<Vec<_>>(),
            "avg_viewer_series": viewers.iter()
                .map(|(back, average)| json!({ "date": day(*back), "avg_viewers": average })).collect::<Vec<_>>(),
        });
        let path = format!("/v1/public-stats/channels/twitch/100/trends?range={range}");
        assert_eq!(*anonymous.get(&path).await.data(), expected, "{range}");
        let document = format!(
            "{{ publicChannelTrends(platform: \"twitch\", channel: \"100\", range: {range}) {{ \
             followerSeries {{ date followerCount }} avgViewerSeries {{ date avgViewers }} }} }}"
        );
        assert_eq!(over_graphql(&anonymous, "publicChannelTrends", &document).await, expected, "{range}");
    }
    for (query, message) in [
        ("", "Missing field: range"),
        ("?range=DAYS_7", "Invalid range: must be one of DAYS_30, DAYS_90, DAYS_180, DAYS_365"),
        ("?range=days_30", "Invalid range: must be one of DAYS_30, DAYS_90, DAYS_180, DAYS_365"),
    ] {
        let refused = anonymous.get(&format!("/v1/public-stats/channels/twitch/100/trends{query}")).await;
        assert_eq!(refused.status, 400, "{query}");
        refused.refused("VALIDATION_ERROR", message);
    }
    let without =
        "{ publicChannelTrends(platform: \"twitch\", channel: \"100\") { followerSeries { date } } }";
    anonymous.graphql(without, json!({})).await.refused_with("GRAPHQL_VALIDATION_FAILED");
    app.stop().await;
}

#[tokio::test]
async fn public_channel_profile_history_is_newest_first_and_bounded() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    let anonymous = app.anonymous();
    let at = "/v1/public-stats/channels/twitch/100";
    let values = |listed: &Value| -> Vec<String> {
        listed
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["new_value"].as_str().unwrap().to_owned())
            .collect()
    };
    let named = |numbers: std::ops::RangeInclusive<i32>| -> Vec<String> {
        numbers.rev().map(|number| format!("v{number}")).collect()
    };
    for (query, expected) in [
        ("", named(11..=60)),
        ("?limit=200", named(1..=60)),
        ("?limit=2&offset=1", named(58..=59)),
        ("?offset=60", vec![]),
    ] {
        let listed = anonymous.get(&format!("{at}/profile-history{query}")).await;
        assert_eq!(values(listed.data()), expected, "{query}");
    }
    let document = "{ publicChannelProfileHistory(platform: \"twitch\", channel: \"100\", limit: 60) { \
        changeType oldValue newValue changedAt } }";
    let changes = over_graphql(&anonymous, "publicChannelProfileHistory", document).await;
    let last = &changes[59];
    assert_eq!(
        (&last["change_type"], &last["old_value"], &last["new_value"]),
        (&json!("bio"), &Value::Null, &json!("v1"))
    );
    for (query, arguments, message) in [
        ("limit=0", "limit: 0", "limit must be between 1 and 200"),
        ("limit=201", "limit: 201", "limit must be between 1 and 200"),
        ("offset=-1", "offset: -1", "offset must be 0 or greater"),
    ] {
        let document = format!(
            "{{ publicChannelProfileHistory(platform: \"twitch\", channel: \"100\", {arguments}) {{ newValue }} }}"
        );
        let rest = anonymous.get(&format!("{at}/profile-history?{query}")).await;
        both_refused(&rest, &anonymous.graphql(&document, json!({})).await, 400, "VALIDATION_ERROR", message);
    }
    app.stop().await;
}

#[tokio::test]
async fn public_channel_panel_history_has_active_panels_first() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    let anonymous = app.anonymous();
    let listed = anonymous.get("/v1/public-stats/channels/twitch/100/panel-history").await;
    let panels = listed.data();
    assert_eq!(
        (&panels[0]["panel_id"], &panels[0]["status"], &panels[0]["removed_at"], &panels[0]["images"]),
        (&json!("p2"), &json!("active"), &Value::Null, &json!(["https://a.example/p.png"]))
    );
    assert_eq!((&panels[1]["panel_id"], &panels[1]["status"]), (&json!("p1"), &json!("removed")));
    assert!(panels[1]["removed_at"].is_string() && panels[2].is_null());
    let document = "{ publicChannelPanelHistory(platform: \"twitch\", channel: \"100\") { \
        panelId content firstSeenAt lastSeenAt status removedAt images } }";
    assert_eq!(over_graphql(&anonymous, "publicChannelPanelHistory", document).await, *panels);
    app.stop().await;
}

#[tokio::test]
async fn public_stream_stats_shows_chatters_only_where_settings_allow_them() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    let (anonymous, owner, other) = (app.anonymous(), app.owner().await, app.owner().await);
    let undecided = app.owner().await;
    let set = async |account: uuid::Uuid, allowed: bool| {
        let row = format!(
            "INSERT INTO public_channel_settings (account_id, platform, platform_channel_id, show_top_chatters)
             VALUES ('{account}', 'twitch', '100', {allowed})"
        );
        plant(&app, &row).await;
    };
    // Streams of one channel, so that each is read for the first time.
    plant(
        &app,
        "INSERT INTO public_streams SELECT platform, 'copy-' || n, platform_channel_id, source, title, game_id, category,
            language, started_at, ended_at, duration_secs, peak_viewers, avg_viewers, total_messages, emote_count,
            top_emotes, gif_count, top_gifs, top_chatters FROM public_streams, generate_series(1, 5) AS n
         WHERE broadcast_id = 'past-100'",
    )
    .await;
    let shown = anonymous.get("/v1/public-stats/streams/twitch/past-100").await;
    let stats = shown.data();
    assert_eq!(stats["top_chatters"], Value::Null, "no account has connected the channel");
    assert_eq!(
        (&stats["emote_count"], &stats["top_emotes"]),
        (&json!(7), &json!([{ "id": "e1", "name": "Kappa", "provider": "7tv", "url": null, "count": 7 }]))
    );
    let gif = json!({ "id": "x", "url": "https://media.tenor.com/x.gif", "provider": "tenor", "alt": "Hi", "count": 2 });
    assert_eq!((&stats["gif_count"], &stats["top_gifs"]), (&json!(2), &json!([gif])));
    assert_eq!(
        (
            &stats["platform_channel_id"],
            &stats["channel_display_name"],
            &stats["source"],
            &stats["duration_secs"]
        ),
        (&json!("100"), &json!("Name 100"), &json!("first_party"), &json!(7200))
    );

    let denied = async |copy: &str, reason: &str| {
        let stream = anonymous.get(&format!("/v1/public-stats/streams/twitch/{copy}")).await;
        assert_eq!(stream.data()["top_chatters"], Value::Null, "{reason}");
        assert!(!stream.text.contains("Ann") && !stream.text.contains("4711"), "{reason}");
    };
    set(owner.account_id, true).await;
    denied("copy-1", "the account that allows it has not connected the channel").await;
    connect(&app, owner.account_id, "twitch", "100").await;
    set(other.account_id, false).await;
    let document = "{ publicStreamStats(platform: \"twitch\", broadcastId: \"copy-2\") { platform broadcastId \
        platformChannelId channelDisplayName source title category language startedAt endedAt durationSecs peakViewers \
        avgViewers totalMessages emoteCount topEmotes { id name provider url count } gifCount \
        topGifs { id url provider alt count } topChatters { displayName messageCount } } }";
    let allowed = over_graphql(&anonymous, "publicStreamStats", document).await;
    assert_eq!(
        allowed["top_chatters"],
        json!([{ "display_name": "Ann", "message_count": 9 }]),
        "without ids; the account that does not allow it has not connected the channel"
    );
    assert_eq!(*anonymous.get("/v1/public-stats/streams/twitch/copy-2").await.data(), allowed);
    connect(&app, undecided.account_id, "twitch", "100").await;
    denied("copy-3", "one account has no settings").await;
    set(undecided.account_id, true).await;
    let shown = anonymous.get("/v1/public-stats/streams/twitch/copy-4").await;
    assert!(shown.data()["top_chatters"].is_array(), "all accounts allow it");
    connect(&app, other.account_id, "twitch", "100").await;
    denied("copy-5", "one account does not allow it").await;
    app.stop().await;
}

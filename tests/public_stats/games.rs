//! Directory of games (reference/public-stats.md#games).

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{Statements, TestApp, both_refused};
use serde_json::{Value, json};

use super::{
    browse::assert_indexed,
    channels::{everywhere, plant},
};

const PATH: &str = "/v1/public-stats/games";

fn ids(listed: &Value) -> String {
    listed.as_array().unwrap().iter().map(|game| game["game_id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn public_stats_games_filters_sorts_and_pages() {
    const GAMES: &str = "
        INSERT INTO public_games (platform, game_id, name, box_art_url, live_viewers, live_channels, updated_at)
        VALUES ('twitch', 'a', 'Zelda', 'https://a.example/a.png', 50, 1, $NOW), ('twitch', 'b', 'chess', NULL, 50, 9, $NOW),
            ('kick', 'c', 'Chess', NULL, 70, 2, $NOW), ('trovo', 'd', 'Idle 100%', NULL, 0, 0, $NOW);
        INSERT INTO public_game_ranges (range_days, platform, game_id, avg_viewers, peak_viewers, hours_watched, channels)
        VALUES (30, 'twitch', 'a', 10.126, 100, 5.5, 1), (30, 'twitch', 'b', 20, 90, 7, 9), (30, 'kick', 'c', 30, 80, 7, 2),
            (7, 'kick', 'c', 1, 1, 1, 1)";
    let app = TestApp::start().await;
    plant(&app, GAMES).await;
    let anonymous = app.anonymous();
    for (query, expected) in [
        ("", "cabd"),
        ("order=asc", "dbac"),
        ("sort=channels", "bcad"),
        ("sort=name", "cbda"),
        ("sort=name&order=desc", "adbc"),
        ("sort=hours_watched", "cba"),
        ("sort=hours_watched&range=DAYS_7", "c"),
        ("sort=hours_watched&order=asc&platform=twitch", "ab"),
        ("platform=twitch", "ab"),
        ("platform=youtube", ""),
        ("search=CH", "cb"),
        ("search=ch&platform=twitch", "b"),
        ("search=ch&sort=hours_watched&range=DAYS_7", "c"),
        ("search=i%25", ""),
        ("limit=3&page=2", "d"),
        ("page=10000", ""),
    ] {
        let listed = anonymous.get(&format!("{PATH}?{query}")).await;
        assert_eq!(ids(listed.data()), expected, "{query}");
        if query.contains("page=") {
            assert_eq!(listed.body["_meta"]["total"], 4, "{query}");
        }
    }
    let listed = anonymous.get(PATH).await;
    let zelda = json!({
        "game_id": "a", "name": "Zelda", "box_art_url": "https://a.example/a.png", "platform": "twitch", "live_viewers": 50,
        "live_channels": 1, "avg_viewers": 10.13, "peak_viewers": 100, "hours_watched": 5.5,
    });
    assert_eq!(listed.data()[1], zelda);
    assert_eq!(
        (&listed.data()[3]["avg_viewers"], &listed.data()[3]["peak_viewers"]),
        (&json!(0.0), &json!(0))
    );
    let document = "{ publicStatsGames(filter: { search: \"zel\", sort: NAME, order: ASC, range: DAYS_30, limit: 1 }) { \
        items { gameId name boxArtUrl platform liveViewers liveChannels avgViewers peakViewers hoursWatched } total } }";
    let graphql = anonymous.graphql(document, json!({})).await.field("publicStatsGames");
    assert_eq!(graphql, json!({ "items": [zelda], "total": 1 }));

    for (query, message) in [
        ("sort=avg_viewers", "Invalid sort: must be one of viewers, channels, hours_watched, name"),
        ("platform=spotify", "Invalid platform: must be one of twitch, youtube, kick, trovo"),
        ("range=DAYS_1", "Invalid range: must be one of DAYS_7, DAYS_30, DAYS_90"),
        ("order=ASC", "Invalid order: must be asc or desc"),
    ] {
        anonymous.get(&format!("{PATH}?{query}")).await.refused("VALIDATION_ERROR", message);
    }
    for (query, filter, message) in [
        ("search=z", "search: \"z\"", "search must be between 2 and 100 characters"),
        ("limit=101", "limit: 101", "limit must be between 1 and 100"),
    ] {
        let document = format!("{{ publicStatsGames(filter: {{ {filter} }}) {{ total }} }}");
        let rest = anonymous.get(&format!("{PATH}?{query}")).await;
        both_refused(&rest, &anonymous.graphql(&document, json!({})).await, 400, "VALIDATION_ERROR", message);
    }
    app.stop().await;
}

#[tokio::test]
async fn public_stats_game_has_live_channels_and_days_of_its_range() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    plant(
        &app,
        "INSERT INTO public_channels (platform, platform_channel_id, login, source, is_live, current_viewers, current_game_id,
            first_seen_at)
         SELECT 'twitch', 'many-' || n, 'many_' || n, 'external_crawler', true, n, 'g1', $NOW FROM generate_series(1, 30) AS n;
         INSERT INTO public_channels (platform, platform_channel_id, source, is_live, current_viewers, current_game_id,
            is_hidden, first_seen_at)
         VALUES ('twitch', 'off', 'external_crawler', false, NULL, 'g1', false, $NOW),
            ('twitch', 'shyone', 'external_crawler', true, 9000, 'g1', true, $NOW),
            ('kick', 'elsewhere', 'external_crawler', true, 9000, 'g1', false, $NOW)",
    )
    .await;
    let (anonymous, today) = (app.anonymous(), app.clock.now().date_naive());
    let path = format!("{PATH}/twitch/g1");
    let shown = anonymous.get(&path).await;
    let stats = shown.data();
    let channels = stats["top_channels"].as_array().unwrap();
    assert_eq!(channels.len(), 25);
    assert_eq!(
        channels[0],
        json!({
            "platform_channel_id": "100", "channel_login": "login_100", "channel_display_name": "Name 100",
            "avatar_url": "https://a.example/100.png", "current_viewers": 90, "avg_viewers": 166.67, "peak_viewers": 300,
        })
    );
    assert_eq!(
        (&channels[1]["platform_channel_id"], &channels[24]["current_viewers"]),
        (&json!("many-30"), &json!(7))
    );
    assert_eq!(
        stats["viewer_series"],
        json!([
            { "date": (today - chrono::Duration::days(7)).to_string(), "avg_viewers": 1.0 },
            { "date": today.to_string(), "avg_viewers": 300.0 },
        ])
    );
    assert_eq!((&stats["hours_watched"], &stats["live_channels"]), (&json!(250.13), &json!(2)));
    let week = anonymous.get(&format!("{path}?range=DAYS_7")).await;
    assert_eq!(week.data()["viewer_series"].as_array().map(Vec::len), Some(1));
    let document = "{ publicStatsGame(platform: \"twitch\", gameId: \"g1\", range: DAYS_30) { gameId name boxArtUrl platform \
        liveViewers liveChannels avgViewers peakViewers hoursWatched topChannels { platformChannelId channelLogin \
        channelDisplayName avatarUrl currentViewers avgViewers peakViewers } viewerSeries { date avgViewers } } }";
    assert_eq!(anonymous.graphql(document, json!({})).await.field("publicStatsGame"), *stats);
    let refused = anonymous.get(&format!("{path}?range=DAYS_365")).await;
    refused.refused("VALIDATION_ERROR", "Invalid range: must be one of DAYS_7, DAYS_30, DAYS_90");
    app.stop().await;
}

#[tokio::test]
async fn public_stats_games_walks_indexes_of_many_games() {
    const FILL: &str = "
        INSERT INTO public_games (platform, game_id, name, live_viewers, live_channels, updated_at)
        SELECT ('{twitch,youtube,kick,trovo}'::text[])[1 + n % 4], n::text, 'Game ' || n, n * 31 % 1009, n % 13, now()
        FROM generate_series(1, 20000) AS n;
        INSERT INTO public_game_ranges (range_days, platform, game_id, avg_viewers, peak_viewers, hours_watched, channels)
        SELECT days, ('{twitch,youtube,kick,trovo}'::text[])[1 + n % 4], n::text, n % 1009, n % 2003, n * 7919 % 100003, 1
        FROM generate_series(1, 20000) AS n, unnest('{7,30,90}'::smallint[]) AS days";
    let watched = Statements::watch();
    let app = TestApp::start().await;
    watched.to(&app);
    plant(&app, FILL).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for table in ["public_games", "public_game_ranges"] {
        sql_query(format!("VACUUM ANALYZE {table}")).execute(&mut *db).await.unwrap();
    }
    let anonymous = app.anonymous();
    for sort in ["viewers", "channels", "hours_watched", "name"] {
        for query in ["", "&order=asc&platform=trovo", "&order=desc&search=game%201&platform=kick"] {
            let place = format!("sort={sort}{query}");
            watched.take();
            let listed = anonymous.get(&format!("{PATH}?{place}")).await;
            assert_eq!(listed.data().as_array().map(Vec::len), Some(25), "{place}");
            let sent = watched.take();
            assert_eq!(sent.iter().filter(|sql| sql.contains("public_")).count(), 1, "{place}: {sent:#?}");
            assert_indexed(&mut db, sent, "smallint,text,text,bigint,bigint", &place).await;
            if query.is_empty() {
                assert_eq!(listed.body["_meta"]["total"], 10_000, "{place}");
            }
        }
    }
    drop(db);
    app.stop().await;
}

//! Channels that are not known or have opted out (reference/public-stats.md#opt-out).

use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};

use super::{everywhere, plant, reads};

#[tokio::test]
async fn public_channel_stats_and_other_reads_refuse_what_is_not_there() {
    const DOCUMENT: &str =
        "query($channel: String!) { publicChannelStats(platform: \"twitch\", channel: $channel) { source } }";
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    let anonymous = app.anonymous();
    let channel =
        |platform: &str, name: &str, more: &str| format!("/v1/public-stats/channels/{platform}/{name}{more}");
    for more in ["", "/profile-history", "/trends?range=DAYS_30", "/panel-history"] {
        for (name, path) in [
            ("unknown", "unknown"),
            ("a/b", "a%2Fb"),
            ("../../v1/health", "..%2F..%2Fv1%2Fhealth"),
            ("a\0b", "a%00b"),
            ("'; DROP TABLE public_channels; --", "'%3B%20DROP%20TABLE%20public_channels%3B%20--"),
            ("%", "%25"),
            ("login_10_", "login_10_"),
        ] {
            let rest = anonymous.get(&channel("twitch", path, more)).await;
            let graphql = anonymous.graphql(DOCUMENT, json!({ "channel": name })).await;
            both_refused(&rest, &graphql, 404, "NOT_FOUND", "Channel not found");
        }
        let long = "x".repeat(129);
        anonymous.get(&channel("twitch", &long, more)).await.refused("NOT_FOUND", "Channel not found");
        for platform in ["discord", "spotify", "Twitch", "myspace", "a%2Fb"] {
            let refused = anonymous.get(&channel(platform, "100", more)).await;
            assert_eq!(refused.status, 400, "{platform}");
            refused.refused("VALIDATION_ERROR", "platform must be one of twitch, youtube, kick, trovo");
        }
    }
    assert_eq!(anonymous.get(&channel("twitch", "a/b", "/c")).await.status, 404, "no such route");
    let broken = anonymous.get(&channel("twitch", "%FF%FE", "")).await.status;
    assert!([400, 404].contains(&broken), "{broken}");
    for (path, document, message) in [
        (
            "/v1/public-stats/streams/twitch/nothing%00",
            "{ publicStreamStats(platform: \"twitch\", broadcastId: \"nothing\") { source } }",
            "Stream not found",
        ),
        (
            "/v1/public-stats/games/twitch/nothing",
            "{ publicStatsGame(platform: \"twitch\", gameId: \"\") { name } }",
            "Game not found",
        ),
    ] {
        let graphql = anonymous.graphql(document, json!({})).await;
        both_refused(&anonymous.get(path).await, &graphql, 404, "NOT_FOUND", message);
    }
    for path in ["/v1/public-stats/streams/discord/1", "/v1/public-stats/games/discord/1"] {
        anonymous
            .get(path)
            .await
            .refused("VALIDATION_ERROR", "platform must be one of twitch, youtube, kick, trovo");
    }
    let unknown = anonymous.get("/v1/public-stats/channels/twitch/100/trends?range=DAYS_30&days=3").await;
    unknown.refused("VALIDATION_ERROR", "Unknown query parameter: days. Allowed: range");

    app.switch("system:public_stats", false).await;
    for (_, path, document) in reads("100") {
        let (rest, graphql) = (anonymous.get(&path).await, anonymous.graphql(&document, json!({})).await);
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: system:public_stats");
    }
    app.stop().await;
}

#[tokio::test]
async fn public_stats_browse_and_other_reads_never_show_a_hidden_channel() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    plant(&app, &everywhere("shyone")).await;
    plant(&app, "UPDATE public_channels SET is_hidden = true WHERE platform_channel_id = 'shyone'").await;
    let (anonymous, person) = (app.anonymous(), app.owner().await);
    let entry = format!(
        "INSERT INTO watchlist_entries (id, user_id, platform, platform_channel_id)
         SELECT gen_random_uuid(), '{}', 'twitch', id FROM unnest('{{100,shyone}}'::text[]) AS id",
        person.user_id
    );
    plant(&app, &entry).await;
    for (name, path, document) in reads("shyone") {
        let (rest, graphql) = (anonymous.get(&path).await, anonymous.graphql(&document, json!({})).await);
        let is_list = ["publicStatsBrowse", "publicStatsGames", "publicStatsGame"].contains(&name);
        assert_eq!(rest.status, if is_list { 200 } else { 404 }, "{name}: {}", rest.text);
        for answer in [&rest, &graphql] {
            let body = answer.body["data"].to_string();
            assert!(!body.contains("shyone"), "{name}: {body}");
        }
        if !is_list {
            assert_eq!(rest.body["message"], graphql.body["errors"][0]["message"], "{name}");
        }
    }
    // The same answer as for a channel that is not known.
    let (hidden, unknown) = (
        anonymous.get("/v1/public-stats/channels/twitch/shyone").await,
        anonymous.get("/v1/public-stats/channels/twitch/not_known").await,
    );
    assert_eq!((hidden.status, &hidden.body), (unknown.status, &unknown.body));
    for sort in
        ["avg_viewers", "peak_viewers", "followers", "hours_streamed", "total_messages", "last_streamed_at"]
    {
        for more in [
            "",
            "&order=asc",
            "&search=login_",
            "&game=chess",
            "&is_live=true",
            "&language=en",
            "&min_viewers=1",
            "&platform=twitch",
        ] {
            let listed = anonymous.get(&format!("/v1/public-stats/browse?sort={sort}{more}")).await;
            let ids: Vec<&Value> = listed
                .data()
                .as_array()
                .unwrap()
                .iter()
                .map(|channel| &channel["platform_channel_id"])
                .collect();
            assert_eq!(ids, ["100"], "{sort}{more}");
            assert_eq!(listed.body["_meta"]["total"], 1, "{sort}{more}");
        }
    }
    let watched = person.get("/v1/watchlist").await;
    assert!(!watched.text.contains("shyone") && watched.text.contains("Name 100"), "{}", watched.text);
    app.stop().await;
}

//! Favourite channels of a person (reference/public-stats.md#watchlist).

use lumio_tests::{Person, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::channels::{everywhere, plant};

const PATH: &str = "/v1/watchlist";
const ENTRY: &str =
    "{ id platform platformChannelId channelDisplayName avatarUrl isLive currentViewers addedAt }";

async fn add(person: &Person, platform: &str, channel: &str) -> lumio_tests::Answer {
    person.post(PATH, json!({ "platform": platform, "channel": channel })).await
}

async fn add_over_graphql(person: &Person, platform: &str, channel: &str) -> lumio_tests::Answer {
    person.mutate("addToWatchlist", &json!({ "platform": platform, "channel": channel }), ENTRY).await
}

#[tokio::test]
async fn watchlist_shows_added_channels_with_their_live_state() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    plant(
        &app,
        "INSERT INTO public_channels (platform, platform_channel_id, login, display_name, source, is_live, current_viewers,
            first_seen_at)
         VALUES ('kick', '7', 'resting', 'Resting', 'external_crawler', false, 3, $NOW)",
    )
    .await;
    let (person, other) = (app.owner().await, app.owner().await);
    let added = add(&person, "twitch", "LOGIN_100").await;
    let entry = added.expect(201)["data"].clone();
    assert_eq!(added.header("location"), format!("{PATH}/{}", entry["id"].as_str().unwrap()));
    assert_eq!(
        entry,
        json!({
            "id": entry["id"], "platform": "twitch", "platform_channel_id": "100", "channel_display_name": "Name 100",
            "avatar_url": "https://a.example/100.png", "is_live": true, "current_viewers": 90, "added_at": entry["added_at"],
        })
    );
    app.clock.advance(chrono::Duration::seconds(1));
    let second = add_over_graphql(&person, "kick", "7").await.field("addToWatchlist");
    assert_eq!((&second["is_live"], &second["current_viewers"]), (&json!(false), &Value::Null));
    app.clock.advance(chrono::Duration::seconds(1));
    let unknown = add(&person, "youtube", "UC0123456789_-abcdefghij").await.data().clone();
    assert_eq!((&unknown["channel_display_name"], &unknown["is_live"]), (&Value::Null, &json!(false)));
    add(&other, "twitch", "100").await.expect(201);

    let listed = person.get(PATH).await;
    assert_eq!(*listed.data(), json!([unknown, second, entry]), "newest first, own ones only");
    let document = format!("{{ watchlist {ENTRY} }}");
    assert_eq!(person.graphql(&document, json!({})).await.field("watchlist"), *listed.data());
    app.stop().await;
}

#[tokio::test]
async fn remove_from_watchlist_removes_own_entries_only() {
    let app = TestApp::start().await;
    let (person, other) = (app.owner().await, app.owner().await);
    let id = |answer: lumio_tests::Answer| answer.data()["id"].as_str().unwrap().to_owned();
    let (first, second) = (id(add(&person, "kick", "1").await), id(add(&person, "kick", "2").await));
    let foreign = id(add(&other, "kick", "1").await);
    let removal = |id: &str| format!("mutation {{ removeFromWatchlist(id: \"{id}\") }}");
    person.delete(&format!("{PATH}/{first}")).await.expect(204);
    let removed = person.graphql(&removal(&second), json!({})).await;
    assert_eq!(removed.field("removeFromWatchlist"), true);
    assert_eq!(*person.get(PATH).await.data(), json!([]));
    for missing in [first, foreign, Uuid::now_v7().to_string()] {
        let rest = person.delete(&format!("{PATH}/{missing}")).await;
        let graphql = person.graphql(&removal(&missing), json!({})).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Watchlist entry not found");
    }
    person.delete(&format!("{PATH}/1")).await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(other.get(PATH).await.data().as_array().map(Vec::len), Some(1));
    app.stop().await;
}

#[tokio::test]
async fn add_to_watchlist_refuses_unknown_channels_duplicates_and_the_201st() {
    let app = TestApp::start().await;
    plant(&app, &everywhere("100")).await;
    plant(
        &app,
        "INSERT INTO public_channels (platform, platform_channel_id, login, source, is_hidden, first_seen_at)
         VALUES ('twitch', '666', 'shyone', 'first_party', true, $NOW)",
    )
    .await;
    let person = app.owner().await;
    add(&person, "twitch", "100").await.expect(201);
    for (platform, channel, status, code, message) in [
        ("twitch", "login_100", 409, "CONFLICT", "Channel is on the watchlist already"),
        ("twitch", "not_known", 404, "NOT_FOUND", "Channel not found"),
        ("twitch", "666", 404, "NOT_FOUND", "Channel not found"),
        ("twitch", "shyone", 404, "NOT_FOUND", "Channel not found"),
        ("youtube", "100", 404, "NOT_FOUND", "Channel not found"),
        ("kick", "a/b", 404, "NOT_FOUND", "Channel not found"),
        ("kick", " ", 400, "VALIDATION_ERROR", "channel must not be empty"),
        ("kick", "a\u{7}", 400, "VALIDATION_ERROR", "channel must not contain control characters"),
        (
            "kick",
            "1".repeat(129).as_str(),
            400,
            "VALIDATION_ERROR",
            "channel must be between 1 and 128 characters",
        ),
        ("discord", "1", 400, "VALIDATION_ERROR", "platform must be one of twitch, youtube, kick, trovo"),
        ("", "1", 400, "VALIDATION_ERROR", "platform must be one of twitch, youtube, kick, trovo"),
    ] {
        let (rest, graphql) =
            (add(&person, platform, channel).await, add_over_graphql(&person, platform, channel).await);
        both_refused(&rest, &graphql, status, code, message);
    }
    person
        .post(PATH, json!({ "platform": "twitch" }))
        .await
        .refused("VALIDATION_ERROR", "Missing field: channel");

    // 200 channels that are shown, and one that has opted out, which neither shows nor counts.
    let fill = format!(
        "INSERT INTO watchlist_entries (id, user_id, platform, platform_channel_id, added_at)
         SELECT gen_random_uuid(), '{user}', 'kick', n::text, $NOW FROM generate_series(1, 198) AS n;
         INSERT INTO watchlist_entries (id, user_id, platform, platform_channel_id, added_at)
         VALUES (gen_random_uuid(), '{user}', 'twitch', '666', $NOW)",
        user = person.user_id
    );
    plant(&app, &fill).await;
    add(&person, "kick", "199").await.expect(201);
    let (rest, graphql) = (add(&person, "kick", "200").await, add_over_graphql(&person, "kick", "200").await);
    both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", "Watchlist limit reached");
    assert_eq!(rest.body["details"]["limit"], 200);
    add(&person, "kick", "199").await.refused("CONFLICT", "Channel is on the watchlist already");
    let listed = person.get(PATH).await;
    assert_eq!(listed.data().as_array().map(Vec::len), Some(200));
    assert!(listed.data().as_array().unwrap().iter().all(|entry| entry["platform_channel_id"] != "666"));

    // By session only, and independent of the switch of public statistics.
    app.switch("system:public_stats", false).await;
    person.get(PATH).await.expect(200);
    let keys = [
        app.personal_key(&person, &["public-stats:read"]).await,
        app.service_key(person.account_id, &["public-stats:read"]).await,
    ];
    let id = Uuid::now_v7();
    let input = json!({ "platform": "kick", "channel": "1" });
    for key in keys {
        for (rest, graphql) in [
            (key.get(PATH).await, key.graphql(&format!("{{ watchlist {ENTRY} }}"), json!({})).await),
            (key.post(PATH, input.clone()).await, key.mutate("addToWatchlist", &input, ENTRY).await),
            (
                key.delete(&format!("{PATH}/{id}")).await,
                key.graphql(&format!("mutation {{ removeFromWatchlist(id: \"{id}\") }}"), json!({})).await,
            ),
        ] {
            both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
        }
    }
    app.anonymous().get(PATH).await.refused("UNAUTHORIZED", "Authentication required");
    app.stop().await;
}

//! Search for platform users (reference/chat.md#user-search).

use std::time::Duration as Wait;

use diesel::{sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, TestApp, both_refused};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, twitch};
use serde_json::json;

use super::{Chatter, chatter, ids, over_graphql, over_rest, seen};
use lumio_tests::world::{connect, connect_to, eventually, workers};

/// The ids that both protocols find.
async fn found(caller: &Caller, query: &str) -> Vec<String> {
    let rest = over_rest(caller, query, "").await;
    let graphql = over_graphql(caller, query, json!({})).await;
    assert_eq!(graphql.field("searchPlatformUsers"), *rest.data(), "{query}");
    ids(rest.data())
}

#[tokio::test]
async fn search_platform_users_matches_prefixes_latest_then_busiest_first() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let stranger = app.owner().await;
    seen(
        &app,
        owner.account_id,
        "twitch",
        &[
            chatter("1", "alice", 30),
            // Found by both names, once.
            Chatter { display_name: "Alina TV", ..chatter("2", "alina_tv", 10) },
            Chatter { display_name: "Alimo", ..chatter("3", "zz_top", 20) },
            Chatter { messages: 9, ..chatter("4", "ALIX", 20) },
            chatter("5", "bob", 1),
        ],
    )
    .await;
    seen(&app, owner.account_id, "kick", &[Chatter { messages: 5, ..chatter("k", "alikick", 20) }]).await;
    seen(&app, stranger.account_id, "twitch", &[chatter("x", "alien", 1)]).await;

    // Two, three and five letters have an index of their own; other lengths use the next shorter one.
    assert_eq!(found(&owner, "al").await, ["2", "4", "k", "3", "1"]);
    assert_eq!(found(&owner, " ALI ").await, ["2", "4", "k", "3", "1"]);
    assert_eq!(found(&owner, "alin").await, ["2"]);
    assert_eq!(found(&owner, "alina").await, ["2"]);
    assert_eq!(found(&owner, "alina_t").await, ["2"]);
    assert_eq!(found(&owner, "alimo").await, ["3"]);
    assert_eq!(found(&owner, "zz_").await, ["3"]);
    assert_eq!(found(&owner, "lice").await, Vec::<String>::new());
    assert_eq!(found(&owner, "alinaxyz").await, Vec::<String>::new());
    for too_short in ["", " ", "a", " a "] {
        assert_eq!(found(&owner, too_short).await, Vec::<String>::new(), "{too_short:?}");
    }
    let alix = over_rest(&owner, "alix", "").await;
    let row = &alix.data()[0];
    assert_eq!((&row["username"], &row["message_count"]), (&json!("ALIX"), &json!(9)));
    app.stop().await;
}

#[tokio::test]
async fn search_platform_users_takes_pattern_characters_literally() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    seen(
        &app,
        owner.account_id,
        "youtube",
        &[
            chatter("percent", "a%b", 1),
            chatter("underscore", "a_b", 2),
            chatter("backslash", "a\\b", 3),
            chatter("plain", "axb", 4),
            chatter("umlaut", "Ärger", 5),
            chatter("quote", "a'b", 6),
        ],
    )
    .await;
    assert_eq!(found(&owner, "a%").await, ["percent"]);
    assert_eq!(found(&owner, "a_").await, ["underscore"]);
    assert_eq!(found(&owner, "a\\").await, ["backslash"]);
    assert_eq!(found(&owner, "a_b").await, ["underscore"]);
    assert_eq!(found(&owner, "a%bc").await, Vec::<String>::new());
    assert_eq!(found(&owner, "ärge").await, ["umlaut"]);
    assert_eq!(found(&owner, "a'").await, ["quote"]);
    assert_eq!(found(&owner, "a\u{0}b").await, Vec::<String>::new());
    app.stop().await;
}

#[tokio::test]
async fn search_platform_users_returns_ten_by_default_and_at_most_twenty_five() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    sql_query(
        "INSERT INTO platform_users (account_id, platform, platform_user_id, username, display_name, message_count, \
         first_seen_at, last_seen_at) SELECT $1, (ARRAY['twitch', 'trovo'])[1 + i % 2], i::text, 'viewer_' || i, \
         'Viewer ' || i, 1, now(), now() - i * interval '1 minute' FROM generate_series(1, 1000) AS i",
    )
    .bind::<SqlUuid, _>(owner.account_id)
    .execute(&mut *app.databases.timescaledb.get().await.unwrap())
    .await
    .unwrap();
    // On both paths: a bucket of its own, and one that is scanned because many match.
    for query in ["vi", "vie", "view", "viewer", "viewer_"] {
        assert_eq!(
            found(&owner, query).await,
            (1..=10).map(|i| i.to_string()).collect::<Vec<_>>(),
            "{query}"
        );
        for (limit, count) in [(1, 1), (25, 25), (26, 25), (i64::MAX, 25)] {
            let rest = over_rest(&owner, query, &format!("&limit={limit}")).await;
            assert_eq!(ids(rest.data()), (1..=count).map(|i| i.to_string()).collect::<Vec<_>>());
        }
        let rest = over_rest(&owner, query, "&platform=trovo&limit=25").await;
        let graphql = over_graphql(&owner, query, json!({ "platforms": ["trovo"], "limit": 25 })).await;
        assert_eq!(ids(rest.data()), (1..=25).map(|i| (2 * i - 1).to_string()).collect::<Vec<_>>());
        assert_eq!(graphql.field("searchPlatformUsers"), *rest.data());
    }
    let both = over_rest(&owner, "vi", "&platform=trovo,twitch,trovo&limit=2").await;
    assert_eq!(ids(both.data()), ["1", "2"]);
    for limit in ["0", "-1"] {
        let rest = over_rest(&owner, "vi", &format!("&limit={limit}")).await;
        let number: i64 = limit.parse().unwrap();
        let graphql = over_graphql(&owner, "vi", json!({ "limit": number })).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "limit must be between 1 and 25");
    }
    let rest = over_rest(&owner, "vi", "&platform=discord").await;
    let graphql = over_graphql(&owner, "vi", json!({ "platforms": ["discord"] })).await;
    let message = "platform must be one of twitch, youtube, kick, trovo";
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    let long = "v".repeat(101);
    let (rest, graphql) = (over_rest(&owner, &long, "").await, over_graphql(&owner, &long, json!({})).await);
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "query must be at most 100 characters");
    app.stop().await;
}

#[tokio::test]
async fn search_platform_users_counts_each_message_once() {
    let app = TestApp::start().await;
    let (owner, forgetful) = (app.owner().await, app.owner().await);
    forgetful.patch("/v1/settings", json!({ "privacy": { "store_user_profiles": false } })).await.expect(200);
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    connect_to(&app, forgetful.account_id, &streamer, None).await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let (viewer, _) = app.platforms.create_user(Platform::Twitch, "viewer_one");
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    for text in ["one", "two", "three"] {
        let line = twitch::Event::chat_message(&streamer, &viewer, text);
        // Twice with one delivery's id, and once more as a separate delivery.
        for options in [
            DeliveryOptions { copies: 2, ..DeliveryOptions::default() },
            DeliveryOptions { age_secs: 30, ..DeliveryOptions::default() },
        ] {
            app.platforms.deliver_twitch_to(&callback, "stand-in-eventsub-secret", &line, &options).await;
        }
    }
    eventually("the viewer is counted", async || {
        let rows = over_rest(&owner, "viewer", "").await;
        rows.data()[0]["message_count"] == 3
    })
    .await;
    tokio::time::sleep(Wait::from_millis(1500)).await;
    let rows = over_rest(&owner, "viewer", "").await;
    let row = &rows.data()[0];
    assert_eq!(row["message_count"], 3);
    assert_eq!(
        (&row["platform"], &row["platform_user_id"], &row["username"]),
        (&json!("twitch"), &json!(viewer.id), &json!("viewer_one"))
    );
    assert_eq!(over_rest(&forgetful, "viewer", "").await.data(), &json!([]));
    running.stop().await.unwrap();
    app.stop().await;
}

//! Profiles of platform users (reference/chat.md#profiles).

use chrono::{Duration, SubsecRound};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, TestApp, both_refused};
use lumio_worker::Daemon;
use platforms_stand_in::{BanRelation, DeliveryOptions, Failure, Platform, Relation, User, kick, youtube};
use serde_json::{Value, json};
use shared::schema::{account_settings, channel_connections, timeseries::platform_user_profiles};

use super::{Chatter, chatter, over_rest, path, profile_over_graphql, refresh_over_graphql, seen};
use lumio_tests::world::{connect, connect_to, eventually, published, workers};

/// Profile that both protocols return.
async fn profile(caller: &Caller, platform: &str, user_id: &str) -> Value {
    let rest = caller.get(&path(platform, user_id)).await;
    let graphql = profile_over_graphql(caller, platform, user_id).await;
    assert_eq!(graphql.field("platformUserProfile"), *rest.data());
    rest.data().clone()
}

async fn grant_scopes(app: &TestApp, owner: &Person, scopes: &[&str]) {
    diesel::update(channel_connections::table.filter(channel_connections::account_id.eq(owner.account_id)))
        .set(channel_connections::scopes.eq(scopes.to_vec()))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn platform_user_profile_combines_data_of_the_platform_and_the_account() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let granted = ["moderator:read:followers", "channel:read:subscriptions", "moderator:manage:banned_users"];
    grant_scopes(&app, &owner, &granted).await;
    let (viewer, _) = app.platforms.create_user(Platform::Twitch, "viewer");
    let followed_at = app.clock.now().trunc_subsecs(0) - Duration::days(3);
    let until = app.clock.now().trunc_subsecs(0) + Duration::minutes(5);
    app.platforms.relate(
        &streamer.id,
        &viewer.id,
        Relation {
            followed_at: Some(followed_at),
            subscription_tier: Some("2000".into()),
            is_moderator: true,
            is_vip: true,
            ban: Some(BanRelation { until: Some(until), reason: "spam".into() }),
        },
    );
    seen(&app, owner.account_id, "twitch", &[Chatter { messages: 7, ..chatter(&viewer.id, "old_name", 4) }])
        .await;
    owner.post(&format!("{}/notes", path("twitch", &viewer.id)), json!({ "body": "hm" })).await.expect(201);

    let profile = profile(&owner, "twitch", &viewer.id).await;
    let published = json!({
        "platform": "twitch", "platform_user_id": viewer.id, "username": "viewer", "display_name": viewer.display_name,
        "avatar_url": viewer.avatar_url, "broadcaster_type": "affiliate", "description": null,
        "is_follower": true, "is_subscriber": true, "subscriber_tier": "2000", "is_banned": false,
        "ban_reason": "spam", "message_count": 7, "notes_count": 1,
        // Neither was granted, and no message shows it.
        "is_moderator": null, "is_vip": null,
    });
    for (field, value) in published.as_object().unwrap() {
        assert_eq!(profile[field], *value, "{field}: {profile}");
    }
    let time = |at: chrono::DateTime<chrono::Utc>| json!(shared::clock::rfc3339(at));
    assert_eq!(profile["followed_at"], time(followed_at));
    assert_eq!(profile["timeout_until"], time(until));
    assert_eq!(profile["account_created_at"], time(viewer.created_at.trunc_subsecs(0)));
    assert!(profile["enriched_at"].is_string() && profile["first_seen_at"].is_string());
    // Searches return the picture from now on.
    assert_eq!(over_rest(&owner, "old_na", "").await.data()[0]["avatar_url"], json!(viewer.avatar_url));
    app.stop().await;
}

#[tokio::test]
async fn platform_user_profile_is_read_from_each_chat_platform() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for platform in [Platform::Youtube, Platform::Kick, Platform::Trovo] {
        connect(&app, owner.account_id, platform, "streamer").await;
        let (viewer, _) = app.platforms.create_user(platform, "viewer");
        let id = if platform == Platform::Youtube { youtube::channel_id(&viewer) } else { viewer.id.clone() };
        // Trovo finds people by their names.
        seen(&app, owner.account_id, platform.slug(), &[chatter(&id, "viewer", 1)]).await;
        let profile = profile(&owner, platform.slug(), &id).await;
        assert_eq!(profile["display_name"], json!(viewer.display_name), "{platform}: {profile}");
        assert_eq!(profile["username"], json!("viewer"), "{platform}: {profile}");
        assert_eq!(profile["avatar_url"], json!(viewer.avatar_url), "{platform}: {profile}");
        assert!(profile["enriched_at"].is_string(), "{platform}: {profile}");
        assert_eq!(profile["is_follower"], Value::Null);
    }
    app.stop().await;
}

#[tokio::test]
async fn platform_user_profile_takes_badges_from_the_last_message() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let (viewer, _) = app.platforms.create_user(Platform::Kick, "viewer");
    let line = kick::Event::chat_message(&streamer, &viewer, "hello");
    let callback = format!("{}/v1/webhooks/kick", app.url());
    app.platforms.deliver_kick_to(&callback, &line, &DeliveryOptions::default()).await;
    eventually("the viewer is counted", async || over_rest(&owner, "viewer", "").await.data()[0].is_object())
        .await;
    let profile = profile(&owner, "kick", &viewer.id).await;
    assert!(profile["is_moderator"].is_boolean() && profile["is_subscriber"].is_boolean(), "{profile}");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn platform_user_profile_is_fetched_once_a_day_and_on_refresh() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    // A session would expire meanwhile.
    let key = app.service_key(owner.account_id, &["chat:userinfo", "chat:refresh_user"]).await;
    connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let (viewer, _) = app.platforms.create_user(Platform::Twitch, "viewer");
    let first = profile(&key, "twitch", &viewer.id).await["enriched_at"].clone();
    assert!(first.is_string());
    for hours in [1, 4, 18] {
        app.clock.advance(Duration::hours(hours));
        assert_eq!(
            profile(&key, "twitch", &viewer.id).await["enriched_at"],
            first,
            "after {hours} hours more"
        );
    }
    app.clock.advance(Duration::hours(2));
    // The previous profile is still cached.
    app.clock.advance(Duration::hours(4));
    let second = profile(&key, "twitch", &viewer.id).await["enriched_at"].clone();
    assert_ne!(second, first);

    app.clock.advance(Duration::seconds(10));
    let refreshed = key.post(&format!("{}/refresh", path("twitch", &viewer.id)), json!({})).await;
    assert_ne!(refreshed.data()["enriched_at"], second);
    let published = published(&app, &format!("chat:{}", owner.account_id)).await;
    let update = published.iter().find(|event| event["event_type"] == "chat:user_updated").expect("an event");
    assert_eq!(update["data"]["platform_user_id"], json!(viewer.id));
    assert_eq!(update["data"]["profile"], Value::Null);
    app.stop().await;
}

#[tokio::test]
async fn refresh_platform_user_profile_is_limited_to_once_in_ten_minutes() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let (_, token) = app.platforms.create_user(Platform::Twitch, "second");
    connect_to(&app, other.account_id, &streamer, Some(&token)).await;
    let (viewer, _) = app.platforms.create_user(Platform::Twitch, "viewer");
    let (neighbour, _) = app.platforms.create_user(Platform::Twitch, "neighbour");
    let refresh = format!("{}/refresh", path("twitch", &viewer.id));
    let refreshed = refresh_over_graphql(&owner, "twitch", &viewer.id).await;
    assert_eq!(refreshed.field("refreshPlatformUserProfile")["username"], "viewer");

    app.clock.advance(Duration::seconds(30));
    let rest = owner.post(&refresh, json!({})).await;
    let graphql = refresh_over_graphql(&owner, "twitch", &viewer.id).await;
    let message = "This profile was refreshed less than 10 minutes ago";
    both_refused(&rest, &graphql, 429, "REFRESH_COOLDOWN", message);
    let seconds = graphql.body["errors"][0]["extensions"]["retry_after_seconds"].as_u64().unwrap();
    assert!((565..=570).contains(&seconds), "{seconds}");
    let in_body = rest.body["details"]["retry_after_seconds"].as_u64().unwrap();
    assert!((565..=570).contains(&in_body), "{}", rest.text);
    let header: u64 = rest.header("retry-after").parse().unwrap();
    assert!((565..=570).contains(&header), "{header}");

    owner.post(&format!("{}/refresh", path("twitch", &neighbour.id)), json!({})).await.expect(200);
    other.post(&refresh, json!({})).await.expect(200);
    app.clock.advance(Duration::seconds(571));
    owner.post(&refresh, json!({})).await.expect(200);
    app.stop().await;
}

/// Reads a viewer whose profile the platform fails to return.
async fn fails(app: &TestApp, caller: &Caller, viewer: &User) -> Value {
    app.platforms.fail_next_at(Platform::Twitch, "/helix/users", Failure::ServerError);
    let answer = caller.get(&path("twitch", &viewer.id)).await;
    answer.data().clone()
}

#[tokio::test]
async fn platform_user_profile_stops_asking_a_failing_platform() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.service_key(owner.account_id, &["chat:userinfo"]).await;
    connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let viewers: Vec<User> =
        (0..8).map(|i| app.platforms.create_user(Platform::Twitch, &format!("viewer{i}")).0).collect();
    for viewer in &viewers {
        seen(&app, owner.account_id, "twitch", &[chatter(&viewer.id, &viewer.login, 1)]).await;
    }
    for viewer in &viewers[..5] {
        let published = fails(&app, &key, viewer).await;
        assert_eq!((&published["username"], &published["enriched_at"]), (&json!(viewer.login), &Value::Null));
    }
    // Open: the platform would reply, and is not called.
    let asked =
        async |viewer: &User| key.get(&path("twitch", &viewer.id)).await.data()["enriched_at"].clone();
    assert_eq!(asked(&viewers[5]).await, Value::Null);
    // After a minute one call tries; it fails, and the breaker opens again.
    app.clock.advance(Duration::seconds(61));
    assert_eq!(fails(&app, &key, &viewers[6]).await["enriched_at"], Value::Null);
    assert_eq!(asked(&viewers[7]).await, Value::Null);
    // The next one succeeds and closes it. A profile without the platform's data stays cached.
    app.clock.advance(Duration::seconds(61));
    let (newcomer, _) = app.platforms.create_user(Platform::Twitch, "newcomer");
    assert!(asked(&newcomer).await.is_string());
    assert_eq!(asked(&viewers[5]).await, Value::Null, "cached for 15 minutes");
    app.clock.advance(Duration::minutes(15));
    assert!(asked(&viewers[5]).await.is_string());
    assert_eq!(asked(&viewers[0]).await, Value::Null, "cached for 30 minutes");
    app.clock.advance(Duration::minutes(15));
    assert!(asked(&viewers[0]).await.is_string());
    app.stop().await;
}

#[tokio::test]
async fn platform_user_profile_without_a_connection_is_what_the_account_saw() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let stranger = app.owner().await;
    seen(&app, owner.account_id, "kick", &[chatter("77", "viewer", 1)]).await;
    let known = profile(&owner, "kick", "77").await;
    assert_eq!((&known["username"], &known["enriched_at"]), (&json!("viewer"), &Value::Null));
    for (caller, platform, id) in [(&owner, "kick", "78"), (&owner, "trovo", "77"), (&stranger, "kick", "77")]
    {
        let rest = caller.get(&path(platform, id)).await;
        let graphql = profile_over_graphql(caller, platform, id).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "User not found");
    }
    let rest = owner.get(&path("spotify", "77")).await;
    let graphql = profile_over_graphql(&owner, "spotify", "77").await;
    let message = "platform must be one of twitch, youtube, kick, trovo";
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    let long = "7".repeat(129);
    let rest = owner.get(&path("kick", &long)).await;
    let graphql = profile_over_graphql(&owner, "kick", &long).await;
    let message = "platform_user_id must be between 1 and 128 characters";
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    let graphql = profile_over_graphql(&owner, "kick", " ").await;
    graphql.refused("VALIDATION_ERROR", "platform_user_id must not be empty");
    app.stop().await;
}

#[tokio::test]
async fn platform_user_profile_is_not_stored_against_the_accounts_settings() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    owner.patch("/v1/settings", json!({ "privacy": { "store_user_profiles": false } })).await.expect(200);
    connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let (viewer, _) = app.platforms.create_user(Platform::Twitch, "viewer");
    assert_eq!(profile(&owner, "twitch", &viewer.id).await["username"], "viewer");
    let kept: i64 = platform_user_profiles::table
        .count()
        .get_result(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(kept, 0);
    let settings: i64 = account_settings::table
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(settings, 1);
    app.stop().await;
}

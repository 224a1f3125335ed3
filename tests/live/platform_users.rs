//! Those who chat: search (specification B §4.7 rule 5) and profiles (C B13).

use std::time::Duration as Wait;

use chrono::{Duration, SubsecRound};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Int4, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use lumio_worker::Daemon;
use platforms_stand_in::{
    BanRelation, DeliveryOptions, Failure, Platform, Relation, User, kick, twitch, youtube,
};
use serde_json::{Value, json};
use shared::db::schema::{account_settings, channel_connections, timeseries::platform_user_profiles};
use uuid::Uuid;

use super::world::{connect, connect_to, eventually, told, workers};

const ROW: &str = "{ platform platformUserId username displayName avatarUrl lastSeenAt messageCount }";
const PROFILE: &str = "{ platform platformUserId username displayName avatarUrl description accountCreatedAt \
    broadcasterType isFollower followedAt isModerator isVip isSubscriber subscriberTier isBanned banReason \
    timeoutUntil messageCount firstSeenAt lastSeenAt enrichedAt notesCount }";

/// Somebody who chatted so many minutes ago.
struct Chatter<'a> {
    id: &'a str,
    username: &'a str,
    display_name: &'a str,
    minutes_ago: i32,
    messages: i64,
}

const fn chatter<'a>(id: &'a str, username: &'a str, minutes_ago: i32) -> Chatter<'a> {
    Chatter { id, username, display_name: username, minutes_ago, messages: 1 }
}

async fn seen(app: &TestApp, account_id: Uuid, platform: &str, chatters: &[Chatter<'_>]) {
    let now = chrono::DateTime::from_timestamp(1_780_000_000, 0).expect("a time");
    for chatter in chatters {
        sql_query(
            "INSERT INTO platform_users (account_id, platform, platform_user_id, username, display_name, \
             message_count, first_seen_at, last_seen_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $8 - interval '1 day', $8 - $7 * interval '1 minute')",
        )
        .bind::<SqlUuid, _>(account_id)
        .bind::<Text, _>(platform)
        .bind::<Text, _>(chatter.id)
        .bind::<Text, _>(chatter.username)
        .bind::<Text, _>(chatter.display_name)
        .bind::<BigInt, _>(chatter.messages)
        .bind::<Int4, _>(chatter.minutes_ago)
        .bind::<Timestamptz, _>(now)
        .execute(&mut *app.state.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    }
}

async fn over_rest(caller: &Caller, q: &str, more: &str) -> Answer {
    let q: String = url::form_urlencoded::byte_serialize(q.as_bytes()).collect();
    caller.get(&format!("/v1/chat/users/search?q={q}{more}")).await
}

async fn over_graphql(caller: &Caller, query: &str, arguments: Value) -> Answer {
    let document = format!(
        "query($query: String!, $platforms: [String!], $limit: Int64) \
         {{ searchPlatformUsers(query: $query, platforms: $platforms, limit: $limit) {ROW} }}"
    );
    let mut variables = arguments;
    variables["query"] = json!(query);
    caller.graphql(&document, variables).await
}

/// The ids that both protocols find.
async fn found(caller: &Caller, query: &str) -> Vec<String> {
    let rest = over_rest(caller, query, "").await;
    let graphql = over_graphql(caller, query, json!({})).await;
    assert_eq!(graphql.field("searchPlatformUsers"), *rest.data(), "{query}");
    ids(rest.data())
}

fn ids(rows: &Value) -> Vec<String> {
    let rows = rows.as_array().expect("rows");
    rows.iter().map(|row| row["platform_user_id"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test]
async fn a_prefix_finds_names_in_any_case_latest_first_then_busiest_first() {
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

    // Two, three and five letters have an index of their own; four and more than five lie between and beyond.
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
async fn signs_of_patterns_stand_for_themselves() {
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
async fn ten_are_found_unless_more_are_asked_for_and_never_more_than_twenty_five() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    sql_query(
        "INSERT INTO platform_users (account_id, platform, platform_user_id, username, display_name, message_count, \
         first_seen_at, last_seen_at) SELECT $1, (ARRAY['twitch', 'trovo'])[1 + i % 2], i::text, 'viewer_' || i, \
         'Viewer ' || i, 1, now(), now() - i * interval '1 minute' FROM generate_series(1, 1000) AS i",
    )
    .bind::<SqlUuid, _>(owner.account_id)
    .execute(&mut *app.state.databases.timescaledb.get().await.unwrap())
    .await
    .unwrap();
    // By both ways: a bucket of its own, and one that is walked because many fit.
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
async fn whoever_chats_is_counted_once_for_each_message() {
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
        // Twice by one delivery's id, and once more as a delivery of its own.
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

fn path(platform: &str, user_id: &str) -> String {
    format!("/v1/chat/users/{platform}/{user_id}")
}

async fn profile_over_graphql(caller: &Caller, platform: &str, user_id: &str) -> Answer {
    let document = format!(
        "query($p: String!, $u: String!) {{ platformUserProfile(platform: $p, platformUserId: $u) {PROFILE} }}"
    );
    caller.graphql(&document, json!({ "p": platform, "u": user_id })).await
}

async fn refresh_over_graphql(caller: &Caller, platform: &str, user_id: &str) -> Answer {
    let document = format!(
        "mutation($p: String!, $u: String!) \
         {{ refreshPlatformUserProfile(platform: $p, platformUserId: $u) {PROFILE} }}"
    );
    caller.graphql(&document, json!({ "p": platform, "u": user_id })).await
}

/// The profile that both protocols tell.
async fn profile(caller: &Caller, platform: &str, user_id: &str) -> Value {
    let rest = caller.get(&path(platform, user_id)).await;
    let graphql = profile_over_graphql(caller, platform, user_id).await;
    assert_eq!(graphql.field("platformUserProfile"), *rest.data());
    rest.data().clone()
}

async fn grant_scopes(app: &TestApp, owner: &Person, scopes: &[&str]) {
    diesel::update(channel_connections::table.filter(channel_connections::account_id.eq(owner.account_id)))
        .set(channel_connections::scopes.eq(scopes.to_vec()))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_profile_holds_what_the_platform_tells_and_what_the_account_saw() {
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
    let told = json!({
        "platform": "twitch", "platform_user_id": viewer.id, "username": "viewer", "display_name": viewer.display_name,
        "avatar_url": viewer.avatar_url, "broadcaster_type": "affiliate", "description": null,
        "is_follower": true, "is_subscriber": true, "subscriber_tier": "2000", "is_banned": false,
        "ban_reason": "spam", "message_count": 7, "notes_count": 1,
        // Neither was granted, and no message tells it.
        "is_moderator": null, "is_vip": null,
    });
    for (field, value) in told.as_object().unwrap() {
        assert_eq!(profile[field], *value, "{field}: {profile}");
    }
    let time = |at: chrono::DateTime<chrono::Utc>| json!(shared::clock::rfc3339(at));
    assert_eq!(profile["followed_at"], time(followed_at));
    assert_eq!(profile["timeout_until"], time(until));
    assert_eq!(profile["account_created_at"], time(viewer.created_at.trunc_subsecs(0)));
    assert!(profile["enriched_at"].is_string() && profile["first_seen_at"].is_string());
    // Searches show the picture from now on.
    assert_eq!(over_rest(&owner, "old_na", "").await.data()[0]["avatar_url"], json!(viewer.avatar_url));
    app.stop().await;
}

#[tokio::test]
async fn each_chat_platform_tells_of_its_users() {
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
async fn badges_of_the_last_message_tell_what_the_platform_does_not() {
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
async fn a_platform_is_asked_once_a_day_and_when_somebody_refreshes() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    // A session would end meanwhile.
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
    // The cache of the last look still holds.
    app.clock.advance(Duration::hours(4));
    let second = profile(&key, "twitch", &viewer.id).await["enriched_at"].clone();
    assert_ne!(second, first);

    app.clock.advance(Duration::seconds(10));
    let refreshed = key.post(&format!("{}/refresh", path("twitch", &viewer.id)), json!({})).await;
    assert_ne!(refreshed.data()["enriched_at"], second);
    let told = told(&app, &format!("chat:{}", owner.account_id)).await;
    let update = told.iter().find(|event| event["event_type"] == "chat:user_updated").expect("an event");
    assert_eq!(update["data"]["platform_user_id"], json!(viewer.id));
    assert_eq!(update["data"]["profile"], Value::Null);
    app.stop().await;
}

#[tokio::test]
async fn a_user_is_refreshed_once_in_ten_minutes_for_each_account() {
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
    let header: u64 = rest.header("retry-after").parse().unwrap();
    assert!((565..=570).contains(&header), "{header}");

    owner.post(&format!("{}/refresh", path("twitch", &neighbour.id)), json!({})).await.expect(200);
    other.post(&refresh, json!({})).await.expect(200);
    app.clock.advance(Duration::seconds(571));
    owner.post(&refresh, json!({})).await.expect(200);
    app.stop().await;
}

/// A viewer whom the platform cannot tell of now.
async fn fails(app: &TestApp, caller: &Caller, viewer: &User) -> Value {
    app.platforms.fail_next_at(Platform::Twitch, "/helix/users", Failure::ServerError);
    let answer = caller.get(&path("twitch", &viewer.id)).await;
    answer.data().clone()
}

#[tokio::test]
async fn a_platform_that_does_not_answer_is_left_in_peace() {
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
        let told = fails(&app, &key, viewer).await;
        assert_eq!((&told["username"], &told["enriched_at"]), (&json!(viewer.login), &Value::Null));
    }
    // Open: the platform would answer, and is not asked.
    let asked =
        async |viewer: &User| key.get(&path("twitch", &viewer.id)).await.data()["enriched_at"].clone();
    assert_eq!(asked(&viewers[5]).await, Value::Null);
    // After a minute one call tries; it fails, and the breaker opens again.
    app.clock.advance(Duration::seconds(61));
    assert_eq!(fails(&app, &key, &viewers[6]).await["enriched_at"], Value::Null);
    assert_eq!(asked(&viewers[7]).await, Value::Null);
    // The next one succeeds and closes it. What was told without the platform is told so for a while.
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
async fn without_a_connection_the_account_tells_what_it_saw_and_nothing_else() {
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
async fn what_an_account_does_not_want_to_keep_is_not_kept() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    owner.patch("/v1/settings", json!({ "privacy": { "store_user_profiles": false } })).await.expect(200);
    connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let (viewer, _) = app.platforms.create_user(Platform::Twitch, "viewer");
    assert_eq!(profile(&owner, "twitch", &viewer.id).await["username"], "viewer");
    let kept: i64 = platform_user_profiles::table
        .count()
        .get_result(&mut *app.state.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(kept, 0);
    let settings: i64 = account_settings::table
        .count()
        .get_result(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(settings, 1);
    app.stop().await;
}

#[tokio::test]
async fn each_operation_needs_its_permission_and_the_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    seen(&app, owner.account_id, "kick", &[chatter("77", "viewer", 1)]).await;
    let nobody = app.member_with(owner.account_id, &[]).await;
    let calls = async |caller: &Caller| {
        [
            (
                "chat:userinfo",
                over_rest(caller, "viewer", "").await,
                over_graphql(caller, "viewer", json!({})).await,
            ),
            (
                "chat:userinfo",
                caller.get(&path("kick", "77")).await,
                profile_over_graphql(caller, "kick", "77").await,
            ),
            (
                "chat:refresh_user",
                caller.post(&format!("{}/refresh", path("kick", "77")), json!({})).await,
                refresh_over_graphql(caller, "kick", "77").await,
            ),
        ]
    };
    for (_, rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    for (permission, rest, graphql) in calls(&nobody).await {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    let key = app.service_key(owner.account_id, &["chat:userinfo"]).await;
    assert_eq!(over_rest(&key, "viewer", "").await.data().as_array().unwrap().len(), 1);
    app.override_feature(owner.account_id, "feature:multichat", false).await;
    for (permission, rest, graphql) in calls(&owner).await {
        if permission == "chat:refresh_user" {
            // It needs no feature.
            assert_eq!(rest.data()["username"], "viewer");
            continue;
        }
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:multichat");
    }
    app.stop().await;
}

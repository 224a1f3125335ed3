//! OAuth flow of connections (reference/connections.md#oauth-flow).

use chrono::{DateTime, TimeDelta, Utc};
use lumio_tests::{TestApp, both_refused};
use platforms_stand_in::{Failure, Platform};
use serde_json::{Value, json};
use shared::schema::channel_connections;
use url::Url;
use uuid::Uuid;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::world::{
    EXCHANGE, agree, begin, channel_tokens, connect, exchange, flag, id_of, own_app, parameter, reconnect,
    streamer, system_app,
};

const INVALID_STATE: &str = "Invalid or expired state";

async fn channels(app: &TestApp) -> i64 {
    let mut db = app.databases.postgres.get().await.unwrap();
    channel_connections::table.count().get_result(&mut *db).await.unwrap()
}

#[tokio::test]
async fn exchange_oauth_connects_every_platform_with_the_application_of_its_mode() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for platform in [Platform::Kick, Platform::Trovo] {
        system_app(&app, platform, "channel", &format!("{}-channel-app", platform.slug())).await;
    }
    for platform in [Platform::Youtube, Platform::Spotify] {
        own_app(&app, owner.account_id, platform, "channel", &format!("{}-own-app", platform.slug())).await;
    }
    let twitch = app.platforms.app(Platform::Twitch).client_id;
    for (platform, source, kind, client_id) in [
        // The login application, which Twitch channels may fall back to.
        (Platform::Twitch, "system", "login", twitch.as_str()),
        (Platform::Kick, "system", "channel", "kick-channel-app"),
        (Platform::Trovo, "system", "channel", "trovo-channel-app"),
        (Platform::Youtube, "account", "channel", "youtube-own-app"),
        (Platform::Spotify, "account", "channel", "spotify-own-app"),
    ] {
        let (user, connection) = connect(&app, &owner, platform, "streamer").await;
        let slug = platform.slug();
        assert_eq!(connection["platform"], slug);
        assert_eq!(connection["credential_source"], source, "{slug}");
        assert_eq!(connection["connected_by"], json!(owner.user_id), "{slug}");
        assert_eq!(connection["reconnect_required"], false, "{slug}");
        assert_eq!(connection["bot_enabled"], true, "{slug}");
        assert!(connection["expires_at"].is_string(), "{slug}: {connection}");
        if platform != Platform::Youtube {
            assert_eq!(connection["platform_channel_id"], json!(user.id), "{slug}");
        }
        assert!(connection.get("access_token").is_none() && connection.get("refresh_token").is_none());
        let held = channel_tokens(&app, id_of(&connection)).await;
        assert!(app.platforms.is_live(platform, held.access_token.as_deref().unwrap()), "{slug}");
        assert!(app.platforms.is_live(platform, held.refresh_token.as_deref().unwrap()), "{slug}");
        assert_eq!(
            (held.credential_source.as_str(), held.credential_app.as_str(), held.client_id.as_deref()),
            (source, kind, Some(client_id)),
            "{slug}"
        );
    }
    let listed = owner.get("/v1/connections/channel").await;
    assert_eq!(listed.data().as_array().unwrap().len(), 5);
    assert_eq!(app.audited("connection:connected").await.len(), 5);
    app.stop().await;
}

#[tokio::test]
async fn authorize_channel_uses_pkce_where_supported_and_the_public_callback() {
    let app = TestApp::builder().with("LUMIO_PUBLIC_URL", "https://api.lumio.example").start().await;
    let owner = app.owner().await;
    system_app(&app, Platform::Kick, "channel", "kick-app").await;
    own_app(&app, owner.account_id, Platform::Spotify, "channel", "spotify-app").await;
    for (platform, takes_pkce) in
        [(Platform::Twitch, false), (Platform::Kick, true), (Platform::Spotify, true)]
    {
        let (page, state) = begin(&owner, platform).await;
        let page = Url::parse(&page).unwrap();
        let slug = platform.slug();
        assert_eq!(state.len(), 64);
        assert_eq!(parameter(&page, "state").as_deref(), Some(state.as_str()));
        assert_eq!(parameter(&page, "code_challenge").is_some(), takes_pkce, "{slug}");
        assert_eq!(parameter(&page, "response_type").as_deref(), Some("code"));
        assert_eq!(
            parameter(&page, "redirect_uri").unwrap(),
            format!("https://api.lumio.example/v1/connections/oauth/{slug}/exchange")
        );
        assert!(!parameter(&page, "scope").unwrap().is_empty());
    }
    app.stop().await;
}

#[tokio::test]
async fn exchange_oauth_and_authorize_channel_agree_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Twitch, "streamer");
    let query = "mutation($to: String) { authorizeChannel(platform: \"twitch\", returnTo: $to) { authorizeUrl state } }";
    let begun = owner.graphql(query, json!({ "to": "http://localhost:3000/connections" })).await;
    let begun = begun.field("authorizeChannel");
    let code = agree(&app, begun["authorize_url"].as_str().unwrap()).await;
    let query = format!(
        "mutation($input: ExchangeOauthInput!) {{ exchangeOauth(platform: \"twitch\", input: $input) {EXCHANGE} }}"
    );
    let input = json!({ "input": { "code": code, "state": begun["state"] } });
    let mut graphql = app.anonymous().graphql(&query, input).await.field("exchangeOauth");
    assert_eq!(graphql["connection"]["__typename"], "ChannelConnection");
    graphql["connection"].as_object_mut().unwrap().remove("__typename");
    assert_eq!((&graphql["kind"], &graphql["platform"]), (&json!("CHANNEL"), &json!("twitch")));
    assert_eq!(graphql["return_to"], "http://localhost:3000/connections");

    let (page, state) = begin(&owner, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    let rest = exchange(&app, Platform::Twitch, &code, &state).await;
    assert_eq!(rest.status, 200);
    let rest = rest.data();
    assert_eq!((&rest["kind"], &rest["return_to"]), (&json!("channel"), &Value::Null));
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&rest["connection"]), keys(&graphql["connection"]));
    assert_eq!(rest["connection"]["id"], graphql["connection"]["id"], "one connection a platform");
    app.stop().await;
}

#[tokio::test]
async fn exchange_oauth_accepts_a_state_once_for_ten_minutes() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Twitch, "streamer");

    let (page, state) = begin(&owner, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    exchange(&app, Platform::Twitch, &code, &state).await.data();
    let used = exchange(&app, Platform::Twitch, &code, &state).await;
    assert_eq!(used.status, 400);
    used.refused("BAD_REQUEST", INVALID_STATE);

    let (page, state) = begin(&owner, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    exchange(&app, Platform::Kick, &code, &state).await.refused("BAD_REQUEST", INVALID_STATE);
    exchange(&app, Platform::Twitch, &code, &state).await.refused("BAD_REQUEST", INVALID_STATE);

    let (page, state) = begin(&owner, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    app.clock.advance(TimeDelta::minutes(10));
    exchange(&app, Platform::Twitch, &code, &state).await.refused("BAD_REQUEST", INVALID_STATE);

    let query = "mutation($input: ExchangeOauthInput!) { exchangeOauth(platform: \"twitch\", input: $input) { kind } }";
    for wrong in ["", "x", &"0".repeat(64), &"z".repeat(65), "../../etc"] {
        let rest = exchange(&app, Platform::Twitch, "code", wrong).await;
        let input = json!({ "input": { "code": "code", "state": wrong } });
        let graphql = app.anonymous().graphql(query, input).await;
        both_refused(&rest, &graphql, 400, "BAD_REQUEST", INVALID_STATE);
    }
    let empty = exchange(&app, Platform::Twitch, " ", &"0".repeat(64)).await;
    empty.refused("VALIDATION_ERROR", "code must not be empty");
    assert_eq!(channels(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn exchange_oauth_separates_refusals_from_platform_failures() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Twitch, "streamer");
    let (_, state) = begin(&owner, Platform::Twitch).await;
    let refused = exchange(&app, Platform::Twitch, "made-up", &state).await;
    assert_eq!(refused.status, 400);
    refused.refused("BAD_REQUEST", "The platform did not accept the authorization");

    let (page, state) = begin(&owner, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    app.platforms.fail_next_at(Platform::Twitch, "/token", Failure::ServerError);
    exchange(&app, Platform::Twitch, &code, &state)
        .await
        .refused("INTERNAL_SERVER_ERROR", "Internal server error");

    let (page, state) = begin(&owner, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    let client_id = app.platforms.app(Platform::Twitch).client_id;
    app.platforms.register_app(Platform::Twitch, &client_id, "another-secret");
    let refused = exchange(&app, Platform::Twitch, &code, &state).await;
    refused.refused("BAD_REQUEST", "The platform did not accept the app credentials");
    assert_eq!(channels(&app).await, 0);
    assert!(app.audited("connection:connected").await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn exchange_oauth_again_stores_new_tokens_and_clears_the_flag() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, first) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let id = id_of(&first);
    let before = channel_tokens(&app, id).await;
    assert_eq!((before.credential_app.as_str(), before.token_version), ("login", 0));
    flag(&app, id).await;

    system_app(&app, Platform::Twitch, "channel", "twitch-channel-app").await;
    // A new application does not change an existing connection.
    assert_eq!(channel_tokens(&app, id).await.client_id, before.client_id);
    let again = reconnect(&app, &owner, Platform::Twitch).await;
    assert_eq!((id_of(&again), &again["reconnect_required"]), (id, &json!(false)));
    let after = channel_tokens(&app, id).await;
    assert_eq!(
        (after.credential_app.as_str(), after.client_id.as_deref()),
        ("channel", Some("twitch-channel-app"))
    );
    assert_eq!(after.token_version, 1);
    assert!(!after.reconnect_required && after.access_token != before.access_token);
    assert_eq!(channels(&app).await, 1);
    let entry = app.audited_once("connection:reconnected").await;
    assert_eq!(entry.resource_id.as_deref(), Some(id.to_string().as_str()));
    assert_eq!(entry.metadata["credential_source"], "system");
    assert!(!entry.metadata.to_string().contains(after.access_token.as_deref().unwrap()));
    app.stop().await;
}

#[tokio::test]
async fn exchange_oauth_records_since_when_the_channel_is_connected() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let since = async || -> DateTime<Utc> {
        let since: Option<DateTime<Utc>> = channel_connections::table
            .select(channel_connections::channel_since)
            .first(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        since.expect("a time")
    };
    connect(&app, &owner, Platform::Twitch, "first").await;
    let first = since().await;
    app.clock.advance(TimeDelta::minutes(10));
    reconnect(&app, &owner, Platform::Twitch).await;
    assert_eq!(since().await, first, "the same channel, connected again");
    streamer(&app, Platform::Twitch, "second");
    reconnect(&app, &owner, Platform::Twitch).await;
    assert!(since().await >= first + TimeDelta::minutes(10));
    assert_eq!(channels(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn exchange_oauth_in_parallel_leaves_one_working_connection() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Twitch, "streamer");
    let mut codes = Vec::new();
    for _ in 0..8 {
        let (page, state) = begin(&owner, Platform::Twitch).await;
        codes.push((agree(&app, &page).await, state));
    }
    let exchanges = codes.iter().map(|(code, state)| exchange(&app, Platform::Twitch, code, state));
    let answers = futures::future::join_all(exchanges).await;
    let ids: Vec<Uuid> = answers.iter().map(|answer| id_of(&answer.data()["connection"])).collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(channels(&app).await, 1);
    let held = channel_tokens(&app, ids[0]).await;
    assert!(app.platforms.is_live(Platform::Twitch, held.access_token.as_deref().unwrap()));
    assert_eq!(held.token_version, 7);
    app.stop().await;
}

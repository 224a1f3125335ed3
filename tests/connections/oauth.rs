//! Connecting by OAuth (specification A §2.8, §4.7; C §10).

use chrono::TimeDelta;
use lumio_tests::{TestApp, both_refused};
use platforms_stand_in::{Failure, Platform};
use serde_json::{Value, json};
use shared::{db::schema::channel_connections, invalidation::Invalidation};
use url::Url;
use uuid::Uuid;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::world::{
    EXCHANGE, agree, begin, channel_tokens, connect, exchange, flag, id_of, opened, own_app, parameter,
    reconnect, streamer, system_app,
};

const INVALID_STATE: &str = "Invalid or expired state";

async fn channels(app: &TestApp) -> i64 {
    let mut db = app.state.databases.postgres.get().await.unwrap();
    channel_connections::table.count().get_result(&mut *db).await.unwrap()
}

#[tokio::test]
async fn a_channel_is_connected_on_every_platform_with_the_application_that_its_mode_leads_to() {
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
async fn the_page_asks_with_pkce_where_the_platform_takes_it_and_for_the_callback_of_the_deployment() {
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
async fn both_protocols_begin_and_exchange_alike() {
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
async fn a_state_works_once_for_ten_minutes_on_its_platform() {
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
async fn a_state_that_was_foisted_on_somebody_else_does_not_connect_their_channel() {
    let app = TestApp::start().await;
    let (owner, victim) = (app.owner().await, app.owner().await);
    streamer(&app, Platform::Twitch, "victim");
    let (page, state) = begin(&owner, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    let body = json!({ "code": code, "state": state });
    let foisted = victim.post("/v1/connections/oauth/twitch/exchange", body).await;
    foisted.refused("BAD_REQUEST", INVALID_STATE);
    assert_eq!(channels(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn whoever_lost_the_right_or_the_account_meanwhile_connects_nothing() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["connections:create"]).await;
    streamer(&app, Platform::Twitch, "streamer");

    let (page, state) = begin(&member, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    {
        use shared::db::schema::memberships;
        let theirs = memberships::table.filter(memberships::user_id.eq(member.user_id));
        let mut db = app.state.databases.postgres.get().await.unwrap();
        diesel::delete(theirs).execute(&mut *db).await.unwrap();
    }
    app.state
        .caches
        .invalidate(&Invalidation::Member { account_id: owner.account_id, user_id: member.user_id });
    let gone = exchange(&app, Platform::Twitch, &code, &state).await;
    assert_eq!(gone.status, 403);
    gone.refused("FORBIDDEN", "Missing permission: connections:create");

    let (page, state) = begin(&owner, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    app.switch("platform:twitch:channel", false).await;
    let off = exchange(&app, Platform::Twitch, &code, &state).await;
    off.refused("FEATURE_DISABLED", "Feature is disabled: platform:twitch:channel");
    app.switch("platform:twitch:channel", true).await;

    let key = app.service_key(owner.account_id, &["connections:create"]).await;
    let (page, state) = begin(&key, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    {
        use shared::db::schema::accounts;
        let mut db = app.state.databases.postgres.get().await.unwrap();
        diesel::delete(accounts::table.find(owner.account_id)).execute(&mut *db).await.unwrap();
    }
    exchange(&app, Platform::Twitch, &code, &state).await.refused("BAD_REQUEST", INVALID_STATE);
    assert_eq!(channels(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn a_service_key_connects_in_nobodys_name() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.service_key(owner.account_id, &["connections:create"]).await;
    let (_, connection) = connect(&app, &key, Platform::Twitch, "streamer").await;
    assert_eq!(connection["connected_by"], Value::Null);
    let entry = app.audited_once("connection:connected").await;
    assert_eq!(entry.account_id, Some(owner.account_id));
    assert!(entry.actor_id.is_some(), "the key is named");
    app.stop().await;
}

#[tokio::test]
async fn what_the_platform_refuses_is_a_bad_request_and_what_it_cannot_do_is_not() {
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
async fn connecting_again_stores_new_tokens_clears_the_flag_and_pins_anew() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, first) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let id = id_of(&first);
    let before = channel_tokens(&app, id).await;
    assert_eq!((before.credential_app.as_str(), before.token_version), ("login", 0));
    flag(&app, id).await;

    system_app(&app, Platform::Twitch, "channel", "twitch-channel-app").await;
    // What stands is not moved by a new application.
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
async fn two_who_connect_at_the_same_time_leave_one_connection_that_works() {
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

#[tokio::test]
async fn without_any_keys_nothing_begins_and_a_changed_encryption_key_is_told() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let query = "mutation($p: String!) { authorizeChannel(platform: $p) { state } }";
    for platform in ["kick", "trovo", "youtube", "spotify"] {
        let rest = owner.post(&format!("/v1/connections/channel/{platform}/authorize"), json!({})).await;
        let graphql = owner.graphql(query, json!({ "p": platform })).await;
        both_refused(&rest, &graphql, 400, "BAD_REQUEST", "App credentials not configured");
        // What is wrong with the input is told first.
        let body = json!({ "return_to": "https://evil.example/" });
        let rest = owner.post(&format!("/v1/connections/channel/{platform}/authorize"), body).await;
        rest.refused("VALIDATION_ERROR", "return_to must be an address on an allowed host");
    }
    own_app(&app, owner.account_id, Platform::Youtube, "channel", "youtube-app").await;
    own_app(&app, owner.account_id, Platform::Kick, "bot", "kick-bot-app").await;
    let kick = owner.post("/v1/connections/channel/kick/authorize", json!({})).await;
    kick.refused("BAD_REQUEST", "App credentials not configured");
    {
        use shared::db::schema::app_credentials::dsl;
        let mut db = app.state.databases.postgres.get().await.unwrap();
        // As if the key that sealed it were gone.
        diesel::update(dsl::app_credentials)
            .set(dsl::client_secret.eq(b"\x04lost0123456789abcdefghijklmnop".to_vec()))
            .execute(&mut *db)
            .await
            .unwrap();
    }
    let rest = owner.post("/v1/connections/channel/youtube/authorize", json!({})).await;
    let graphql = owner.graphql(query, json!({ "p": "youtube" })).await;
    let message = "The stored app credentials cannot be decrypted. Enter them again under Connections, App credentials.";
    both_refused(&rest, &graphql, 409, "CREDENTIAL_DECRYPTION_FAILED", message);
    app.stop().await;
}

#[tokio::test]
async fn a_system_mode_without_keys_degrades_to_the_accounts_own_and_configuration_overrides_the_modes() {
    let app = TestApp::builder().with("LUMIO_CREDENTIAL_MODE_TWITCH", "account").start().await;
    let owner = app.owner().await;
    // Kick is `system` by default and has no keys: the account's own are taken.
    own_app(&app, owner.account_id, Platform::Kick, "channel", "kick-own-app").await;
    let (_, connection) = connect(&app, &owner, Platform::Kick, "streamer").await;
    assert_eq!(connection["credential_source"], "account");
    // Twitch has keys of the deployment, but its mode was changed.
    let refused = owner.post("/v1/connections/channel/twitch/authorize", json!({})).await;
    refused.refused("BAD_REQUEST", "App credentials not configured");
    own_app(&app, owner.account_id, Platform::Twitch, "channel", "twitch-own-app").await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    assert_eq!(connection["credential_source"], "account");
    // The keys of the deployment come later: what stands keeps its source.
    system_app(&app, Platform::Kick, "channel", "kick-system-app").await;
    let listed = owner.get("/v1/connections/channel").await;
    assert!(listed.data().as_array().unwrap().iter().all(|row| row["credential_source"] == "account"));
    app.stop().await;
}

#[tokio::test]
async fn only_addresses_of_the_dashboards_may_be_returned_to() {
    let app = TestApp::builder()
        .with("LUMIO_WEB_URL", "https://app.lumio.example")
        .with("LUMIO_ADMIN_URL", "https://admin.lumio.example")
        .start()
        .await;
    let owner = app.owner().await;
    let query = "mutation($to: String) { authorizeChannel(platform: \"twitch\", returnTo: $to) { state } }";
    for wrong in [
        "https://evil.example/",
        "https://app.lumio.example.evil.example/",
        "https://app.lumio.example@evil.example/",
        "https://user:word@app.lumio.example/",
        "http://app.lumio.example/",
        "//app.lumio.example/",
        "/connections",
        "javascript:alert(1)",
        "",
    ] {
        let rest =
            owner.post("/v1/connections/channel/twitch/authorize", json!({ "return_to": wrong })).await;
        let graphql = owner.graphql(query, json!({ "to": wrong })).await;
        let message = "return_to must be an address on an allowed host";
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    {
        use shared::db::schema::oauth_clients::dsl;
        let mut db = app.state.databases.postgres.get().await.unwrap();
        for (name, host, is_active) in
            [("on", "client.example:8443", true), ("off", "retired.example", false)]
        {
            diesel::insert_into(dsl::oauth_clients)
                .values((
                    dsl::id.eq(shared::id::new()),
                    dsl::name.eq(name),
                    dsl::redirect_uris.eq(Vec::<String>::new()),
                    dsl::allowed_hosts.eq(vec![host]),
                    dsl::is_active.eq(is_active),
                ))
                .execute(&mut *db)
                .await
                .unwrap();
        }
    }
    for wrong in ["https://retired.example/", "https://client.example/", "https://u@client.example:8443/"] {
        let rest =
            owner.post("/v1/connections/channel/twitch/authorize", json!({ "return_to": wrong })).await;
        rest.refused("VALIDATION_ERROR", "return_to must be an address on an allowed host");
    }
    for good in
        ["https://app.lumio.example/a?b=c", "https://admin.lumio.example/", "https://CLIENT.example:8443/x"]
    {
        opened(&owner.post("/v1/connections/channel/twitch/authorize", json!({ "return_to": good })).await);
    }
    app.stop().await;
}

#[tokio::test]
async fn beginning_is_refused_in_the_order_of_the_checks() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["connections:read"]).await;
    let query = "mutation($p: String!) { authorizeChannel(platform: $p) { state } }";
    let both = async |caller: &lumio_tests::Caller, platform: &str| {
        let rest = caller.post(&format!("/v1/connections/channel/{platform}/authorize"), json!({})).await;
        (rest, caller.graphql(query, json!({ "p": platform })).await)
    };
    let (rest, graphql) = both(&app.anonymous(), "twitch").await;
    both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    let (rest, graphql) = both(&member, "nowhere").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: connections:create");
    for unknown in ["nowhere", "discord", "google"] {
        let (rest, graphql) = both(&owner, unknown).await;
        let message = "platform must be one of twitch, youtube, kick, trovo, spotify";
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    app.switch("platform:kick", false).await;
    let (rest, graphql) = both(&owner, "kick").await;
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: platform:kick:channel");
    app.override_feature(owner.account_id, "platform:trovo:channel", false).await;
    let (rest, graphql) = both(&owner, "trovo").await;
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: platform:trovo:channel");
    app.stop().await;
}

//! Start of the OAuth flow: the application that is used, and the address to return to
//! (reference/connections.md#choice-of-the-application).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{TestApp, both_refused};
use platforms_stand_in::Platform;
use serde_json::json;

use super::world::{connect, opened, own_app, system_app};

#[tokio::test]
async fn authorize_channel_refuses_missing_or_undecryptable_credentials() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let query = "mutation($p: String!) { authorizeChannel(platform: $p) { state } }";
    for platform in ["kick", "trovo", "youtube", "spotify"] {
        let rest = owner.post(&format!("/v1/connections/channel/{platform}/authorize"), json!({})).await;
        let graphql = owner.graphql(query, json!({ "p": platform })).await;
        both_refused(&rest, &graphql, 400, "BAD_REQUEST", "App credentials not configured");
        // Errors of the input come first.
        let body = json!({ "return_to": "https://evil.example/" });
        let rest = owner.post(&format!("/v1/connections/channel/{platform}/authorize"), body).await;
        rest.refused("VALIDATION_ERROR", "return_to must be an address on an allowed host");
    }
    own_app(&app, owner.account_id, Platform::Youtube, "channel", "youtube-app").await;
    own_app(&app, owner.account_id, Platform::Kick, "bot", "kick-bot-app").await;
    let kick = owner.post("/v1/connections/channel/kick/authorize", json!({})).await;
    kick.refused("BAD_REQUEST", "App credentials not configured");
    {
        use shared::schema::app_credentials::dsl;
        let mut db = app.databases.postgres.get().await.unwrap();
        // The bytes are those of a lost encryption key.
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
async fn authorize_channel_falls_back_to_the_credentials_of_the_account() {
    let app = TestApp::builder().with("LUMIO_CREDENTIAL_MODE_TWITCH", "account").start().await;
    let owner = app.owner().await;
    // Kick is `system` by default and has no credentials: those of the account are used.
    own_app(&app, owner.account_id, Platform::Kick, "channel", "kick-own-app").await;
    let (_, connection) = connect(&app, &owner, Platform::Kick, "streamer").await;
    assert_eq!(connection["credential_source"], "account");
    // Twitch has credentials of the deployment, but its mode was changed.
    let refused = owner.post("/v1/connections/channel/twitch/authorize", json!({})).await;
    refused.refused("BAD_REQUEST", "App credentials not configured");
    own_app(&app, owner.account_id, Platform::Twitch, "channel", "twitch-own-app").await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    assert_eq!(connection["credential_source"], "account");
    // The credentials of the deployment come later: existing connections keep their source.
    system_app(&app, Platform::Kick, "channel", "kick-system-app").await;
    let listed = owner.get("/v1/connections/channel").await;
    assert!(listed.data().as_array().unwrap().iter().all(|row| row["credential_source"] == "account"));
    app.stop().await;
}

#[tokio::test]
async fn authorize_channel_returns_only_to_addresses_of_the_dashboards() {
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
        use shared::schema::oauth_clients::dsl;
        let mut db = app.databases.postgres.get().await.unwrap();
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
async fn authorize_channel_checks_in_order() {
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

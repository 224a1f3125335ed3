//! Switches of platforms and cards of providers (reference/features.md#platform-switches).

use diesel::{sql_query, sql_types::Text};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};

use super::{as_rest, ask, only_staff, reason_of};

const PLATFORM: &str = "{ platform enabled login channel bot }";
const PROVIDER: &str = "{ platform enabled login channel bot credentialsConfigured channelConnections \
    loginConnections botConnections globalBotStatus }";

/// Sets switches with `adminUpdatePlatform` or `adminUpdateProvider`, on both protocols.
async fn set_switches(caller: &Caller, kind: &str, platform: &str, body: &Value) -> (Answer, Answer) {
    let rest = caller.patch(&format!("/v1/admin/{kind}s/{platform}"), body.clone()).await;
    let field = if kind == "platform" { "adminUpdatePlatform" } else { "adminUpdateProvider" };
    let document = format!(
        "mutation($platform: String!, $input: PlatformSwitchesInput!) {{
            {field}(platform: $platform, input: $input) {PLATFORM} }}"
    );
    (rest, caller.graphql(&document, json!({ "platform": platform, "input": body })).await)
}

async fn open(app: &TestApp) -> Value {
    let rest = app.anonymous().get("/v1/platforms/enabled").await;
    let graphql = ask(&app.anonymous(), "{ enabledPlatforms }").await;
    assert_eq!(graphql.field("enabledPlatforms"), *rest.data());
    rest.data().clone()
}

#[tokio::test]
async fn enabled_platforms_lists_those_with_sign_in_or_bot() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["platforms:edit"]).await;
    assert_eq!(open(&app).await, json!(["twitch", "youtube", "kick", "trovo", "discord"]));
    for (platform, body) in [
        // The switch of the platform itself.
        ("kick", json!({ "enabled": false })),
        // Sign-in or bot is enough.
        ("trovo", json!({ "login": false })),
        ("twitch", json!({ "bot": false })),
        // The channel use does not count.
        ("discord", json!({ "login": false, "bot": false })),
        ("youtube", json!({ "login": false, "bot": false, "channel": true })),
    ] {
        set_switches(&admin, "platform", platform, &body).await.0.expect(200);
    }
    assert_eq!(open(&app).await, json!(["twitch", "trovo"]));
    // Spotify is an integration only and is never listed.
    set_switches(&admin, "platform", "spotify", &json!({ "enabled": true, "channel": true }))
        .await
        .0
        .expect(200);
    set_switches(&admin, "platform", "kick", &json!({ "enabled": true })).await.0.expect(200);
    assert_eq!(open(&app).await, json!(["twitch", "kick", "trovo"]));
}

#[tokio::test]
async fn admin_update_platform_changes_the_switches_of_a_platform() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["platforms:read", "platforms:edit"]).await;
    let owner = app.owner().await;
    let rest = admin.get("/v1/admin/platforms").await;
    assert_eq!(
        *rest.data(),
        json!([
            { "platform": "twitch", "enabled": true, "login": true, "channel": true, "bot": true },
            { "platform": "youtube", "enabled": true, "login": true, "channel": true, "bot": true },
            { "platform": "kick", "enabled": true, "login": true, "channel": true, "bot": true },
            { "platform": "trovo", "enabled": true, "login": true, "channel": true, "bot": true },
            { "platform": "discord", "enabled": true, "login": true, "channel": null, "bot": true },
            { "platform": "spotify", "enabled": true, "login": null, "channel": true, "bot": null },
            { "platform": "streamelements", "enabled": true, "login": null, "channel": null, "bot": null },
        ])
    );
    let graphql = ask(&admin, &format!("{{ adminPlatforms {PLATFORM} }}")).await;
    assert_eq!(graphql.field("adminPlatforms"), *rest.data());

    assert_eq!(reason_of(&owner, owner.account_id, "platform:kick:bot").await, Value::Null);
    let (rest, graphql) =
        set_switches(&admin, "platform", "kick", &json!({ "bot": false, "channel": true })).await;
    let kick = json!({ "platform": "kick", "enabled": true, "login": true, "channel": true, "bot": false });
    assert_eq!((rest.status, rest.data()), (200, &kick));
    assert_eq!(graphql.field("adminUpdatePlatform"), kick);
    assert_eq!(reason_of(&owner, owner.account_id, "platform:kick:bot").await, "global_off");
    let audited = app.audited("platform:updated").await;
    assert_eq!((audited.len(), audited[0].scope.as_str()), (2, "system"));
    assert_eq!(audited[0].resource_id.as_deref(), Some("kick"));
    assert_eq!(audited[0].metadata, json!({ "bot": false, "channel": true }));
    set_switches(&admin, "platform", "kick", &json!({})).await.0.expect(200);
    assert_eq!(app.audited("platform:updated").await.len(), 2, "nothing asked is nothing changed");
}

#[tokio::test]
async fn admin_update_provider_and_platform_refuse_unknown_names() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["platforms:edit", "providers:edit"]).await;
    let off = json!({ "bot": false });
    let unknown = "platform must be one of twitch, youtube, kick, trovo, discord, spotify, streamelements";
    for (kind, platform, body, message) in [
        ("platform", "myspace", &off, unknown),
        ("platform", "Kick", &off, unknown),
        ("platform", "spotify", &off, "spotify has no bot to switch"),
        ("platform", "kick", &json!({ "enabled": null }), "enabled cannot be null"),
        ("provider", "spotify", &off, "spotify has no bot to switch"),
        (
            "provider",
            "streamelements",
            &off,
            "platform must be one of twitch, youtube, kick, trovo, spotify, discord",
        ),
    ] {
        let (rest, graphql) = set_switches(&admin, kind, platform, body).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    assert!(app.audited("platform:updated").await.is_empty());
}

#[tokio::test]
async fn admin_providers_counts_connections_and_shows_the_configuration() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["providers:read", "providers:edit"]).await;
    let owner = app.owner().await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for statement in [
        "INSERT INTO channel_connections (id, account_id, platform, platform_channel_id, channel_name, display_name,
            credential_source) VALUES (gen_random_uuid(), $1::uuid, 'kick', '1', 'c', 'C', 'system')",
        "INSERT INTO login_connections (id, user_id, platform, provider_user_id, username, display_name)
            SELECT gen_random_uuid(), owner_id, 'kick', n::text, 'u', 'U' FROM accounts, generate_series(1, 2) AS n
            WHERE accounts.id = $1::uuid",
        "INSERT INTO bot_connections (id, account_id, platform, bot_user_id, bot_username, display_name,
            credential_source, credential_app) VALUES (gen_random_uuid(), $1::uuid, 'kick', 'b', 'b', 'B', 'account', 'bot')",
        "INSERT INTO bot_connections (id, platform, bot_user_id, bot_username, display_name, credential_source,
            credential_app) SELECT gen_random_uuid(), 'kick', 'b', 'b', 'B', 'system', 'bot' WHERE $1 IS NOT NULL",
        "INSERT INTO bot_connections (id, platform, bot_user_id, bot_username, display_name, credential_source,
            credential_app, reconnect_required)
            SELECT gen_random_uuid(), 'trovo', 'b', 'b', 'B', 'system', 'bot', true WHERE $1 IS NOT NULL",
    ] {
        let account = owner.account_id.to_string();
        sql_query(statement).bind::<Text, _>(account).execute(&mut *db).await.unwrap();
    }
    drop(db);
    let rest = admin.get("/v1/admin/providers").await;
    let graphql = ask(&admin, &format!("{{ adminProviders {PROVIDER} }}")).await.field("adminProviders");
    assert_eq!(as_rest(graphql, &["global_bot_status"]), *rest.data());
    let cards = rest.data().as_array().unwrap();
    let card = |slug: &str| cards.iter().find(|card| card["platform"] == slug).unwrap().clone();
    let slugs: Vec<&Value> = cards.iter().map(|card| &card["platform"]).collect();
    assert_eq!(slugs, ["twitch", "youtube", "kick", "trovo", "spotify", "discord"]);
    assert_eq!(
        card("kick"),
        json!({
            "platform": "kick", "enabled": true, "login": true, "channel": true, "bot": true,
            "credentials_configured": true, "channel_connections": 1, "login_connections": 2,
            "bot_connections": 1, "global_bot_status": "connected",
        })
    );
    assert_eq!(card("trovo")["global_bot_status"], "reconnect_required");
    assert_eq!(card("twitch")["global_bot_status"], "not_connected");
    assert_eq!((&card("spotify")["login"], &card("spotify")["bot"]), (&Value::Null, &Value::Null));

    let (rest, graphql) = set_switches(&admin, "provider", "kick", &json!({ "login": false })).await;
    assert_eq!((&rest.data()["login"], &rest.data()["login_connections"]), (&json!(false), &json!(2)));
    assert_eq!(graphql.field("adminUpdateProvider")["login"], false);
    assert_eq!(app.audited("platform:updated").await.len(), 2);
}

#[tokio::test]
async fn admin_providers_shows_configured_once_an_application_is_stored() {
    let app = TestApp::builder()
        .with("LUMIO_TROVO_CLIENT_ID", "")
        .with("LUMIO_TROVO_CLIENT_SECRET", "")
        .start()
        .await;
    let admin = app.admin_with(&["providers:read"]).await;
    let is_configured = async || {
        let cards = admin.get("/v1/admin/providers").await;
        let trovo = cards.data().as_array().unwrap().iter().find(|card| card["platform"] == "trovo").cloned();
        trovo.unwrap()["credentials_configured"] == true
    };
    assert!(!is_configured().await);
    sql_query(
        "INSERT INTO system_connections (id, platform, kind, client_id, client_secret)
         VALUES (gen_random_uuid(), 'trovo', 'channel', 'client', 'sealed')",
    )
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    assert!(is_configured().await);
}

#[tokio::test]
async fn admin_platforms_and_providers_need_the_permission() {
    let app = TestApp::start().await;
    let off = json!({ "enabled": false });
    for (kind, list) in
        [("platform", "{ adminPlatforms { platform } }"), ("provider", "{ adminProviders { platform } }")]
    {
        only_staff(
            &app,
            &format!("{kind}s:read"),
            async |caller| caller.get(&format!("/v1/admin/{kind}s")).await,
            async |caller| ask(&caller, list).await,
        )
        .await;
        only_staff(
            &app,
            &format!("{kind}s:edit"),
            async |caller| set_switches(&caller, kind, "kick", &off).await.0,
            async |caller| set_switches(&caller, kind, "kick", &off).await.1,
        )
        .await;
    }
    assert_eq!(open(&app).await.as_array().unwrap().len(), 5);
}

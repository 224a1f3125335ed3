//! Bot connections (reference/connections.md#bot-connections).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use platforms_stand_in::{
    Platform,
    discord::{BOT_TOKEN, BOT_USER_ID},
};
use serde_json::{Value, json};
use shared::schema::{account_limits, bot_connections, token_revocations};

use super::world::{agree, bot_row, bot_tokens, exchange, id_of, opened, own_app, streamer, system_app};

const BOT: &str =
    "{ id platform botUserId botUsername avatarUrl isCustom credentialSource reconnectRequired }";

async fn bots(caller: &Caller) -> Value {
    let rest = caller.get("/v1/bot-connections").await;
    let graphql = caller.graphql(&format!("{{ botConnections {BOT} }}"), json!({})).await;
    assert_eq!(graphql.field("botConnections"), *rest.data());
    rest.data().clone()
}

async fn authorize(caller: &Caller, platform: &str) -> (Answer, Answer) {
    let rest = caller.post(&format!("/v1/bot-connections/{platform}"), json!({})).await;
    let query = "mutation($p: String!) { authorizeBot(platform: $p) { authorizeUrl state } }";
    (rest, caller.graphql(query, json!({ "p": platform })).await)
}

async fn admin_authorize(caller: &Caller, platform: &str) -> (Answer, Answer) {
    let rest = caller.post(&format!("/v1/admin/bot-connections/{platform}/authorize"), json!({})).await;
    let query = "mutation($p: String!) { adminAuthorizeBot(platform: $p) { authorizeUrl state } }";
    (rest, caller.graphql(query, json!({ "p": platform })).await)
}

async fn connect(app: &TestApp, begun: &Answer, platform: Platform, login: &str) -> Value {
    streamer(app, platform, login);
    let (page, state) = opened(begun);
    let code = agree(app, &page).await;
    exchange(app, platform, &code, &state).await.data().clone()
}

#[tokio::test]
async fn authorize_bot_uses_the_best_application_available() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    system_app(&app, Platform::Kick, "channel", "kick-channel-app").await;
    system_app(&app, Platform::Trovo, "channel", "trovo-channel-app").await;
    system_app(&app, Platform::Trovo, "bot", "trovo-bot-app").await;
    system_app(&app, Platform::Youtube, "bot", "youtube-bot-app").await;
    for (platform, kind, client_id) in [
        (Platform::Twitch, "login", app.platforms.app(Platform::Twitch).client_id),
        (Platform::Kick, "channel", "kick-channel-app".to_owned()),
        (Platform::Trovo, "bot", "trovo-bot-app".to_owned()),
        (Platform::Youtube, "bot", "youtube-bot-app".to_owned()),
    ] {
        let (begun, _) = authorize(&owner, platform.slug()).await;
        let made = connect(&app, &begun, platform, "the-bot").await;
        assert_eq!(made["kind"], "account_bot");
        let bot = &made["connection"];
        assert_eq!((&bot["is_custom"], &bot["credential_source"]), (&json!(true), &json!("system")));
        let held = bot_tokens(&app, id_of(bot)).await;
        assert_eq!(
            (held.credential_app.as_str(), held.client_id),
            (kind, Some(client_id)),
            "{}",
            platform.slug()
        );
        assert!(app.platforms.is_live(platform, held.access_token.as_deref().unwrap()));
    }
    assert_eq!(bots(&owner).await.as_array().unwrap().len(), 4);
    let entries = app.audited("connection:connected").await;
    assert_eq!(entries.len(), 4);
    assert!(entries.iter().all(|entry| entry.account_id == Some(owner.account_id)));
    app.stop().await;
}

#[tokio::test]
async fn authorize_bot_falls_back_to_the_channel_application_except_on_youtube() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    own_app(&app, owner.account_id, Platform::Kick, "channel", "kick-own-app").await;
    own_app(&app, owner.account_id, Platform::Youtube, "channel", "youtube-own-app").await;
    let (begun, _) = authorize(&owner, "kick").await;
    let made = connect(&app, &begun, Platform::Kick, "the-bot").await;
    assert_eq!(made["connection"]["credential_source"], "account");
    let (rest, graphql) = authorize(&owner, "youtube").await;
    both_refused(&rest, &graphql, 400, "BAD_REQUEST", "App credentials not configured");
    app.stop().await;
}

#[tokio::test]
async fn bot_connections_prefers_own_bots_and_hides_disabled_platforms() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    bot_row(&app, None, Platform::Twitch, "common").await;
    bot_row(&app, None, Platform::Kick, "common").await;
    bot_row(&app, Some(owner.account_id), Platform::Twitch, "own").await;
    let names = |bots: &Value| -> Vec<(String, bool)> {
        let rows = bots.as_array().unwrap().iter();
        rows.map(|row| {
            (row["bot_username"].as_str().unwrap().to_owned(), row["is_custom"].as_bool().unwrap())
        })
        .collect()
    };
    assert_eq!(names(&bots(&owner).await), [("common".to_owned(), false), ("own".to_owned(), true)]);
    assert_eq!(names(&bots(&stranger).await), [("common".to_owned(), false), ("common".to_owned(), false)]);
    app.switch("platform:kick:bot", false).await;
    assert_eq!(names(&bots(&owner).await), [("own".to_owned(), true)]);
    app.stop().await;
}

#[tokio::test]
async fn authorize_bot_checks_in_order() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["bot-connections:read"]).await;
    let (rest, graphql) = authorize(&member, "nowhere").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: bot-connections:create");
    for unknown in ["spotify", "discord", "nowhere"] {
        let (rest, graphql) = authorize(&owner, unknown).await;
        let message = "platform must be one of twitch, youtube, kick, trovo";
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    app.switch("platform:twitch:bot", false).await;
    let (rest, graphql) = authorize(&owner, "twitch").await;
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: platform:twitch:bot");
    app.switch("platform:twitch:bot", true).await;
    insert_into(account_limits::table)
        .values((
            account_limits::account_id.eq(owner.account_id),
            account_limits::custom_bot_allowed.eq(false),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let (rest, graphql) = authorize(&owner, "twitch").await;
    both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", "Custom bot is not allowed for this account");
    app.override_feature(owner.account_id, "feature:bots", false).await;
    let (rest, graphql) = authorize(&owner, "nowhere").await;
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:bots");
    app.stop().await;
}

#[tokio::test]
async fn disconnect_bot_removes_the_own_bot_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    bot_row(&app, None, Platform::Twitch, "common").await;
    let (begun, _) = authorize(&owner, "twitch").await;
    connect(&app, &begun, Platform::Twitch, "own").await;
    assert_eq!(owner.delete("/v1/bot-connections/twitch").await.status, 204);
    assert_eq!(bots(&owner).await[0]["bot_username"], "common");
    let mut db = app.databases.postgres.get().await.unwrap();
    let waiting: i64 = token_revocations::table.count().get_result(&mut *db).await.unwrap();
    assert_eq!(waiting, 1);
    drop(db);
    let rest = owner.delete("/v1/bot-connections/twitch").await;
    let graphql = owner.graphql("mutation { disconnectBot(platform: \"twitch\") }", json!({})).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Bot connection not found");
    assert_eq!(app.audited_once("connection:disconnected").await.account_id, Some(owner.account_id));
    app.stop().await;
}

#[tokio::test]
async fn admin_authorize_bot_connects_bots_of_the_deployment() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["bot-connections:read", "bot-connections:create"]).await;
    let (begun, _) = admin_authorize(&staff, "twitch").await;
    let made = connect(&app, &begun, Platform::Twitch, "lumio").await;
    assert_eq!((&made["kind"], &made["connection"]["is_custom"]), (&json!("global_bot"), &json!(false)));
    let entry = app.audited_once("connection:connected").await;
    assert_eq!((entry.scope.as_str(), entry.account_id), ("system", None));
    let listed = staff.get("/v1/admin/bot-connections").await;
    let twin = staff.graphql(&format!("{{ adminBotConnections {BOT} }}"), json!({})).await;
    assert_eq!(twin.field("adminBotConnections"), *listed.data());
    assert_eq!(listed.data()[0]["bot_username"], "lumio");
    // Connecting again keeps the row and stores new tokens.
    let (begun, _) = admin_authorize(&staff, "twitch").await;
    let again = connect(&app, &begun, Platform::Twitch, "lumio-two").await;
    assert_eq!(again["connection"]["id"], made["connection"]["id"]);
    app.switch("platform:kick:bot", false).await;
    let (rest, graphql) = admin_authorize(&staff, "kick").await;
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: platform:kick:bot");
    let (rest, graphql) = admin_authorize(&staff, "trovo").await;
    both_refused(&rest, &graphql, 400, "BAD_REQUEST", "App credentials not configured");
    app.stop().await;
}

#[tokio::test]
async fn admin_bot_connections_and_authorize_need_the_admin_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let graphql = owner.graphql("{ adminBotConnections { id } }", json!({})).await;
    let rest = owner.get("/v1/admin/bot-connections").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: bot-connections:read");
    let (rest, graphql) = admin_authorize(&owner, "twitch").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: bot-connections:create");
    app.stop().await;
}

#[tokio::test]
async fn admin_disconnect_bot_removes_a_bot_of_the_deployment_only() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, app.admin_with(&["bot-connections:delete"]).await);
    bot_row(&app, None, Platform::Twitch, "common").await;
    bot_row(&app, None, Platform::Kick, "common").await;
    bot_row(&app, Some(owner.account_id), Platform::Twitch, "own").await;
    let disconnect = async |caller: &Caller, platform: &str| {
        let rest = caller.delete(&format!("/v1/admin/bot-connections/{platform}")).await;
        let query = "mutation($p: String!) { adminDisconnectBot(platform: $p) }";
        (rest, caller.graphql(query, json!({ "p": platform })).await)
    };
    let (rest, graphql) = disconnect(&owner, "twitch").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: bot-connections:delete");

    // The first call disconnects the bot, and the second finds none.
    let (rest, graphql) = disconnect(&staff, "twitch").await;
    rest.expect(204);
    graphql.refused("NOT_FOUND", "Bot connection not found");
    let entry = app.audited_once("connection:disconnected").await;
    assert_eq!((entry.scope.as_str(), entry.actor_id), ("system", Some(staff.user_id)));
    let query = "mutation { adminDisconnectBot(platform: \"kick\") }";
    assert_eq!(staff.graphql(query, json!({})).await.field("adminDisconnectBot"), true);
    let (rest, graphql) = disconnect(&staff, "twitch").await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Bot connection not found");
    let (rest, graphql) = disconnect(&staff, "spotify").await;
    let message = "platform must be one of twitch, youtube, kick, trovo, discord";
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    let left = bots(&owner).await;
    assert_eq!((left.as_array().unwrap().len(), &left[0]["bot_username"]), (1, &json!("own")));
    app.stop().await;
}

#[tokio::test]
async fn admin_set_discord_bot_token_accepts_a_token_known_to_discord() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["bot-connections:read", "bot-connections:create"]).await;
    let set = async |application_id: &str, token: &str| {
        let body = json!({ "application_id": application_id, "bot_token": token });
        let rest = staff.put("/v1/admin/bot-connections/discord/token", body).await;
        let query = format!(
            "mutation($input: SetDiscordBotTokenInput!) {{ adminSetDiscordBotToken(input: $input) {BOT} }}"
        );
        let input = json!({ "applicationId": application_id, "botToken": token });
        (rest, staff.graphql(&query, json!({ "input": input })).await)
    };
    let (rest, graphql) = set("12x", BOT_TOKEN).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "application_id must be 1 to 20 digits");
    let (rest, graphql) = set("123", "made-up").await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "bot_token is not accepted by Discord");
    assert_eq!(staff.get("/v1/admin/bot-connections").await.data(), &json!([]));
    let (rest, graphql) = set("123", BOT_TOKEN).await;
    assert_eq!(rest.data()["bot_user_id"], BOT_USER_ID);
    assert_eq!(graphql.field("adminSetDiscordBotToken"), *rest.data());
    assert!(!rest.text.contains(BOT_TOKEN));
    let held = bot_tokens(&app, id_of(rest.data())).await;
    assert_eq!((held.access_token.as_deref(), held.client_id.as_deref()), (Some(BOT_TOKEN), Some("123")));
    assert_eq!((held.refresh_token, held.token_version), (None, 1));
    assert_eq!(app.audited("connection:connected").await.len(), 2);
    let mut db = app.databases.postgres.get().await.unwrap();
    let rows: i64 = bot_connections::table.count().get_result(&mut *db).await.unwrap();
    assert_eq!(rows, 1);
    drop(db);
    app.stop().await;
}

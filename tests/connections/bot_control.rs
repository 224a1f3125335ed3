//! Control of the bots in the channels of accounts (reference/connections.md#bot-control).

use connection_model::bots;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures::StreamExt;
use lumio_tests::{Answer, Caller, DEADLINE, Statements, TestApp, both_refused};
use platforms_stand_in::Platform;
use redis::AsyncCommands;
use serde_json::{Value, json};
use shared::schema::channel_connections;
use uuid::Uuid;

use super::world::{bot_row, channel_row, connect, flag, reconnect};

const STATUS: &str = "{ platform status botEnabled isPausedByStaff botUsername lastHeartbeatAt }";
const ROW: &str =
    "{ accountId accountName platform channelName status botEnabled isPausedByStaff lastHeartbeatAt }";

/// Subscribes to the control messages for the bots of an account's channel.
async fn control(
    app: &TestApp,
    platform: &str,
    account_id: Uuid,
) -> impl futures::Stream<Item = Value> + Unpin + use<> {
    let (mut subscriber, messages) = app.state.redis.subscription().await.unwrap();
    let channel = app.state.redis.key(format_args!("bot:action:{platform}:{account_id}"));
    subscriber.subscribe(&[channel]).await.unwrap();
    let frames = futures::stream::unfold((subscriber, messages), async |(subscriber, mut messages)| {
        let message = messages.next().await?;
        Some((serde_json::from_slice(message.get_payload_bytes()).unwrap(), (subscriber, messages)))
    });
    frames.boxed()
}

async fn next_message_type(frames: &mut (impl futures::Stream<Item = Value> + Unpin)) -> String {
    let frame = tokio::time::timeout(DEADLINE, frames.next()).await.expect("a frame in time").unwrap();
    frame["type"].as_str().unwrap().to_owned()
}

async fn toggle(caller: &Caller, platform: &str, enabled: bool) -> (Answer, Answer) {
    let body = json!({ "platform": platform, "enabled": enabled });
    let rest = caller.post("/v1/bot-toggle", body.clone()).await;
    (rest, caller.mutate("toggleBotForPlatform", &body, STATUS).await)
}

async fn rejoin(caller: &Caller, platform: &str) -> (Answer, Answer) {
    let body = json!({ "platform": platform });
    let rest = caller.post("/v1/bot-rejoin", body.clone()).await;
    (rest, caller.mutate("rejoinBot", &body, "{ success }").await)
}

#[tokio::test]
async fn bot_status_shows_the_state_of_the_bot_per_channel() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (platform, name) in
        [(Platform::Twitch, "a"), (Platform::Kick, "b"), (Platform::Trovo, "c"), (Platform::Spotify, "music")]
    {
        channel_row(&app, owner.account_id, platform, name).await;
    }
    bot_row(&app, None, Platform::Twitch, "common").await;
    bot_row(&app, None, Platform::Kick, "common").await;
    bot_row(&app, Some(owner.account_id), Platform::Twitch, "own").await;
    toggle(&owner, "kick", false).await.0.data();
    let key = bots::heartbeat_key(&app.state.redis, "twitch", owner.account_id);
    let mut redis = app.state.redis.get().await.unwrap();
    let () = redis.set(key, "2026-11-21T10:00:00Z").await.unwrap();
    drop(redis);
    let rest = owner.get("/v1/bot-status").await;
    let rows = rest.data().as_array().unwrap();
    let states: Vec<(&Value, &Value)> = rows.iter().map(|row| (&row["platform"], &row["status"])).collect();
    assert_eq!(
        states,
        [
            (&json!("kick"), &json!("paused")),
            (&json!("trovo"), &json!("no_connection")),
            (&json!("twitch"), &json!("active"))
        ]
    );
    assert_eq!((&rows[2]["bot_username"], &rows[1]["bot_username"]), (&json!("own"), &Value::Null));
    assert_eq!(rows[2]["last_heartbeat_at"], "2026-11-21T10:00:00.000Z");
    assert_eq!(rows[0]["last_heartbeat_at"], Value::Null);
    let twin = owner.graphql(&format!("{{ botStatus {STATUS} }}"), json!({})).await.field("botStatus");
    assert_eq!((&twin[0]["status"], &twin[1]["status"]), (&json!("PAUSED"), &json!("NO_CONNECTION")));
    app.switch("platform:trovo:bot", false).await;
    assert_eq!(owner.get("/v1/bot-status").await.data().as_array().unwrap().len(), 2);
    app.stop().await;
}

#[tokio::test]
async fn toggle_bot_for_platform_notifies_bots_immediately() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    bot_row(&app, None, Platform::Twitch, "common").await;
    let id = channel_row(&app, owner.account_id, Platform::Twitch, "a").await;
    let mut frames = control(&app, "twitch", owner.account_id).await;
    let (rest, graphql) = toggle(&owner, "twitch", false).await;
    assert_eq!((&rest.data()["bot_enabled"], &rest.data()["status"]), (&json!(false), &json!("paused")));
    assert_eq!(graphql.field("toggleBotForPlatform")["status"], "PAUSED");
    assert_eq!(
        [next_message_type(&mut frames).await, next_message_type(&mut frames).await],
        ["bot_leave", "bot_leave"]
    );
    let (rest, _) = toggle(&owner, "twitch", true).await;
    assert_eq!(rest.data()["status"], "active");
    assert_eq!(
        [next_message_type(&mut frames).await, next_message_type(&mut frames).await],
        ["bot_join", "bot_join"]
    );
    let (rest, graphql) = rejoin(&owner, "twitch").await;
    assert_eq!(
        (rest.body, graphql.field("rejoinBot")),
        (json!({ "success": true }), json!({ "success": true }))
    );
    assert_eq!(next_message_type(&mut frames).await, "bot_sync");
    let off = app.audited("bot:disabled").await;
    assert_eq!((off.len(), off[0].resource_id.clone()), (2, Some(id.to_string())));
    assert_eq!(app.audited("bot:enabled").await.len(), 2);
    app.stop().await;
}

#[tokio::test]
async fn rejoin_bot_refuses_a_disabled_paused_or_missing_bot() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (platform, message) in [("spotify", "spotify"), ("x", "x")] {
        let (rest, graphql) = rejoin(&owner, platform).await;
        let expected = "platform must be one of twitch, youtube, kick, trovo";
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", expected);
        assert!(!expected.contains(message));
    }
    let (rest, graphql) = rejoin(&owner, "twitch").await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Channel connection not found");
    let (rest, graphql) = toggle(&owner, "twitch", true).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Channel connection not found");
    channel_row(&app, owner.account_id, Platform::Twitch, "a").await;
    toggle(&owner, "twitch", false).await.0.data();
    let (rest, graphql) = rejoin(&owner, "twitch").await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Bot is switched off for this platform");
    let staff = app.admin_with(&["bot-control:edit"]).await;
    let path = format!("/v1/admin/bot-control/{}/twitch", owner.account_id);
    staff.post(&format!("{path}/pause"), json!({})).await.data();
    let (rest, graphql) = rejoin(&owner, "twitch").await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Bot is paused by an operator");
    app.stop().await;
}

#[tokio::test]
async fn bot_status_toggle_and_rejoin_need_permission_and_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["bot-connections:read"]).await;
    assert_eq!(member.get("/v1/bot-status").await.data(), &json!([]));
    let (rest, graphql) = toggle(&member, "twitch", true).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: bot-connections:create");
    let (rest, graphql) = rejoin(&member, "twitch").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: bot-connections:create");
    app.override_feature(owner.account_id, "feature:bots", false).await;
    let rest = owner.get("/v1/bot-status").await;
    let graphql = owner.graphql("{ botStatus { platform } }", json!({})).await;
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:bots");
    app.stop().await;
}

#[tokio::test]
async fn admin_resume_bot_and_pause_override_the_account() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    bot_row(&app, None, Platform::Twitch, "common").await;
    let id = channel_row(&app, owner.account_id, Platform::Twitch, "a").await;
    let staff = app.admin_with(&["bot-control:read", "bot-control:edit"]).await;
    let mut frames = control(&app, "twitch", owner.account_id).await;
    let path = format!("/v1/admin/bot-control/{}/twitch", owner.account_id);
    let paused = staff.post(&format!("{path}/pause"), json!({})).await;
    assert_eq!(
        (&paused.data()["status"], &paused.data()["is_paused_by_staff"]),
        (&json!("paused"), &json!(true))
    );
    assert_eq!(next_message_type(&mut frames).await, "bot_leave");
    let (rest, _) = toggle(&owner, "twitch", true).await;
    assert_eq!(rest.data()["status"], "paused", "the account's switch does not lift it");
    let query =
        format!("mutation($a: UUID!) {{ adminResumeBot(accountId: $a, platform: \"twitch\") {ROW} }}");
    let resumed = staff.graphql(&query, json!({ "a": owner.account_id })).await.field("adminResumeBot");
    assert_eq!((&resumed["status"], &resumed["account_name"]), (&json!("ACTIVE"), &json!("Test account")));
    for entry in [app.audited_once("bot:paused").await, app.audited_once("bot:resumed").await] {
        assert_eq!((entry.account_id, entry.actor_id), (Some(owner.account_id), Some(staff.user_id)));
        assert_eq!(entry.resource_id, Some(id.to_string()));
    }
    for unknown in [Uuid::now_v7(), staff.account_id] {
        let rest = staff.post(&format!("/v1/admin/bot-control/{unknown}/twitch/pause"), json!({})).await;
        let query = "mutation($a: UUID!) { adminPauseBot(accountId: $a, platform: \"twitch\") { status } }";
        let graphql = staff.graphql(query, json!({ "a": unknown })).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Channel connection not found");
    }
    let malformed = staff.post("/v1/admin/bot-control/x/twitch/resume", json!({})).await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: account_id");
    let owner_tries = owner.post(&format!("{path}/resume"), json!({})).await;
    owner_tries.refused("FORBIDDEN", "Missing permission: bot-control:edit");
    app.stop().await;
}

#[tokio::test]
async fn admin_pause_bot_outlives_the_connection() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    bot_row(&app, None, Platform::Twitch, "common").await;
    connect(&app, &owner, Platform::Twitch, "streamer").await;
    let staff = app.admin_with(&["bot-control:read", "bot-control:edit"]).await;
    let path = format!("/v1/admin/bot-control/{}/twitch", owner.account_id);
    for _ in 0..2 {
        staff.post(&format!("{path}/pause"), json!({})).await.data();
    }
    assert_eq!(owner.delete("/v1/connections/channel/twitch").await.status, 204);
    reconnect(&app, &owner, Platform::Twitch).await;
    assert_eq!(owner.get("/v1/bot-status").await.data()[0]["status"], "paused");
    let system = app.system_key().await;
    assert_eq!(system.get("/v1/internal/bot-channels?platform=twitch").await.data(), &json!([]));
    let resumed = staff.post(&format!("{path}/resume"), json!({})).await;
    assert_eq!(resumed.data()["status"], "active");
    app.stop().await;
}

#[tokio::test]
async fn admin_bot_control_lists_by_page_platform_and_name() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let staff = app.admin_with(&["bot-control:read"]).await;
    let owner = app.owner().await;
    bot_row(&app, None, Platform::Twitch, "common").await;
    let flagged = channel_row(&app, owner.account_id, Platform::Kick, "Kicker").await;
    flag(&app, flagged).await;
    channel_row(&app, owner.account_id, Platform::Twitch, "Streamer").await;
    for _ in 0..30 {
        let other = app.owner().await;
        channel_row(&app, other.account_id, Platform::Twitch, "someone").await;
    }
    let page = staff.get("/v1/admin/bot-control?page=2&limit=25").await;
    assert_eq!((page.body["data"].as_array().unwrap().len(), &page.body["_meta"]["total"]), (7, &json!(32)));
    let query = format!("{{ adminBotControl(page: 2, limit: 25) {{ items {ROW} total page limit pages }} }}");
    let twin = staff.graphql(&query, json!({})).await.field("adminBotControl");
    assert_eq!(
        (twin["items"].as_array().unwrap().len(), &twin["total"], &twin["pages"]),
        (7, &json!(32), &json!(2))
    );
    let beyond = staff.get("/v1/admin/bot-control?page=9").await;
    assert_eq!(
        (beyond.body["data"].as_array().unwrap().len(), &beyond.body["_meta"]["total"]),
        (0, &json!(32))
    );
    let found = staff.get("/v1/admin/bot-control?search=KICK").await;
    assert_eq!(found.body["_meta"]["total"], 1);
    assert_eq!(
        (&found.body["data"][0]["status"], &found.body["data"][0]["channel_name"]),
        (&json!("no_connection"), &json!("Kicker"))
    );
    let twitch = staff.get("/v1/admin/bot-control?platform=twitch&search=streamer").await;
    assert_eq!(
        (&twitch.body["_meta"]["total"], &twitch.body["data"][0]["status"]),
        (&json!(1), &json!("active"))
    );
    assert_eq!(staff.get("/v1/admin/bot-control?search=%25").await.body["_meta"]["total"], 0, "no pattern");
    for (query, message) in [
        ("platform=spotify", "platform must be one of twitch, youtube, kick, trovo"),
        ("search=", "search must not be empty"),
        ("limit=101", "limit must be between 1 and 100"),
        ("page=0", "page must be 1 or greater"),
    ] {
        staff.get(&format!("/v1/admin/bot-control?{query}")).await.refused("VALIDATION_ERROR", message);
    }
    statements.to(&app);
    statements.take();
    staff.get("/v1/admin/bot-control?limit=100").await;
    let sent: Vec<String> =
        statements.take().into_iter().filter(|sql| sql.contains("channel_connections")).collect();
    assert_eq!(sent.len(), 1, "{sent:?}");
    let rest = owner.get("/v1/admin/bot-control").await;
    let graphql = owner.graphql("{ adminBotControl { total } }", json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: bot-control:read");
    app.stop().await;
}

#[tokio::test]
async fn bot_channels_is_for_system_keys_only() {
    let app = TestApp::start().await;
    let system = app.system_key().await;
    bot_row(&app, None, Platform::Twitch, "common").await;
    let mut wanted = Vec::new();
    for index in 0..3 {
        let owner = app.owner().await;
        channel_row(&app, owner.account_id, Platform::Twitch, &format!("c{index}")).await;
        wanted.push(owner.account_id);
    }
    let custom = wanted[1];
    bot_row(&app, Some(custom), Platform::Twitch, "own").await;
    for change in [
        "UPDATE channel_connections SET bot_enabled = false",
        "UPDATE channel_connections SET reconnect_required = true",
        "INSERT INTO bot_pauses (account_id, platform) SELECT account_id, platform FROM channel_connections",
    ] {
        let owner = app.owner().await;
        let id = channel_row(&app, owner.account_id, Platform::Twitch, "unwanted").await;
        diesel::sql_query(format!("{change} WHERE id = '{id}'"))
            .execute(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    }
    let rest = system.get("/v1/internal/bot-channels?platform=twitch").await;
    let query = "query($p: String!, $after: UUID, $limit: Int) { botChannels(platform: $p, after: $after, limit: $limit) {
        accountId platform platformChannelId channelName botConnectionId botUserId botUsername isCustom } }";
    let graphql = system.graphql(query, json!({ "p": "twitch" })).await;
    assert_eq!(graphql.field("botChannels"), *rest.data());
    let rows = rest.data().as_array().unwrap();
    let accounts: Vec<&Value> = rows.iter().map(|row| &row["account_id"]).collect();
    wanted.sort();
    assert_eq!(accounts, wanted.iter().map(|id| json!(id)).collect::<Vec<_>>().iter().collect::<Vec<_>>());
    let own = rows.iter().find(|row| row["account_id"] == json!(custom)).unwrap();
    assert_eq!((&own["bot_username"], &own["is_custom"]), (&json!("own"), &json!(true)));

    let first = system.get("/v1/internal/bot-channels?platform=twitch&limit=2").await;
    assert_eq!(first.data().as_array().unwrap().len(), 2);
    let after = format!("/v1/internal/bot-channels?platform=twitch&limit=2&after={}", wanted[1]);
    assert_eq!(system.get(&after).await.data()[0]["account_id"], json!(wanted[2]));
    assert_eq!(system.get("/v1/internal/bot-channels?platform=kick").await.data(), &json!([]));

    let owner = app.owner().await;
    for caller in [&owner.caller, &app.service_key(owner.account_id, &["bot-connections:read"]).await] {
        let rest = caller.get("/v1/internal/bot-channels?platform=twitch").await;
        let graphql = caller.graphql(query, json!({ "p": "twitch" })).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "System key required");
    }
    let rest = system.get("/v1/internal/bot-channels?platform=twitch&limit=1001").await;
    let graphql = system.graphql(query, json!({ "p": "twitch", "limit": 1001 })).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "limit must be between 1 and 1000");
    let left: i64 = channel_connections::table
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(left, 6);
    app.stop().await;
}

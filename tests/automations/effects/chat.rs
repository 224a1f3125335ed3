//! Messages and moderation, which the worker requests by `internalRunAutomationAction`.

use diesel_async::RunQueryDsl;
use lumio_tests::{TestApp, world::connect};
use platforms_stand_in::{Failure, Platform};
use serde_json::json;

use super::Scene;

#[tokio::test]
async fn effects_of_send_chat_reach_every_named_platform_once() {
    let scene = Scene::start().await;
    let twitch = connect(&scene.app, scene.owner.account_id, Platform::Twitch, "streamer").await;
    connect(&scene.app, scene.owner.account_id, Platform::Kick, "kicker").await;
    let sent = scene.output("send_chat", json!({ "message": "hello", "platforms": ["twitch"] })).await;
    let messages = scene.app.platforms.sent_messages(Platform::Twitch);
    assert_eq!((messages.len(), messages[0].text.as_str()), (1, "hello"));
    assert_eq!(messages[0].channel_id, twitch.id);
    assert_eq!(sent["sent"], json!([{ "platform": "twitch", "message_id": messages[0].message_id }]));
    assert!(scene.app.platforms.sent_messages(Platform::Kick).is_empty());

    let all = scene.output("send_chat", json!({ "message": "x".repeat(600) })).await;
    assert_eq!(all["sent"].as_array().map(Vec::len), Some(2), "{all}");
    let kick = scene.app.platforms.sent_messages(Platform::Kick);
    assert_eq!(kick[0].text.len(), 500, "it is cut to the length of the platform");
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_send_chat_name_the_reason_of_a_failure() {
    let scene = Scene::start().await;
    let arguments = json!({ "message": "hello", "platforms": ["twitch"] });
    let message = scene.refused("send_chat", arguments.clone()).await;
    assert_eq!(message, "twitch: The account is not connected to twitch");
    assert_eq!(
        scene.refused("send_chat", json!({ "message": "hello" })).await,
        "The account is not connected to any platform"
    );
    connect(&scene.app, scene.owner.account_id, Platform::Twitch, "streamer").await;
    assert_eq!(scene.refused("send_chat", json!({ "message": " " })).await, "message must not be empty");
    scene.alter("UPDATE channel_connections SET bot_enabled = false").await;
    let message = scene.refused("send_chat", arguments.clone()).await;
    assert_eq!(message, "twitch: The bot is switched off on twitch");
    scene
        .alter("UPDATE channel_connections SET bot_enabled = true, reconnect_required = true, access_token = null")
        .await;
    let message = scene.refused("send_chat", arguments.clone()).await;
    assert_eq!(message, "twitch: The twitch channel must be connected again");
    assert!(scene.app.platforms.sent_messages(Platform::Twitch).is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_send_chat_without_an_answer_are_unknown() {
    let scene = Scene::start().await;
    connect(&scene.app, scene.owner.account_id, Platform::Twitch, "streamer").await;
    scene.app.platforms.fail_next_at(Platform::Twitch, "chat/messages", Failure::ServerError);
    let failure = scene.perform("send_chat", json!({ "message": "hello" })).await.unwrap_err();
    assert!(failure.unknown, "{failure:?}");
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_send_chat_keep_the_pace_of_the_account() {
    let scene = Scene::start_with(TestApp::builder().with("LUMIO_RATE_CHAT_SEND", 20)).await;
    connect(&scene.app, scene.owner.account_id, Platform::Twitch, "streamer").await;
    for number in 0..20 {
        scene.output("send_chat", json!({ "message": format!("line {number}") })).await;
    }
    let message = scene.refused("send_chat", json!({ "message": "one more" })).await;
    assert!(message.contains("messages in 30 seconds may be sent"), "{message}");
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_timeout_user_name_the_automation() {
    let scene = Scene::start().await;
    let channel = connect(&scene.app, scene.owner.account_id, Platform::Twitch, "streamer").await;
    let arguments = json!({ "platform": "twitch", "user_id": "77", "duration_secs": 60, "reason": "spam" });
    scene.output("timeout_user", arguments.clone()).await;
    let done = scene.app.platforms.moderation_actions(Platform::Twitch).remove(0);
    assert_eq!((done.action, done.target_id.as_str(), done.duration_secs), ("timeout", "77", Some(60)));
    let entry = scene.app.audited_once("chat:user_timed_out").await;
    assert_eq!(entry.account_id, Some(scene.owner.account_id));
    let logged = "SELECT moderator_type || ' ' || moderator_id AS text FROM moderation_log";
    let automation = scene.run.automation_id;
    assert_eq!(scene.found(logged).await, Some(format!("automation {automation}")));
    let actor =
        "SELECT actor_type || ' ' || actor_id AS text FROM audit_log WHERE action = 'chat:user_timed_out'";
    assert_eq!(scene.found(actor).await, Some(format!("automation {automation}")));
    let log = scene.owner.get("/v1/chat/moderation-log").await;
    let moderator = &log.data()[0]["moderator"];
    assert_eq!((&moderator["type"], &moderator["display_name"]), (&json!("automation"), &json!("Alarm")));

    let own = json!({ "platform": "twitch", "user_id": channel.id, "duration_secs": 60 });
    assert_eq!(scene.refused("timeout_user", own).await, "The channel's owner cannot be moderated");
    let long = json!({ "platform": "youtube", "user_id": "77", "duration_secs": 86_401 });
    let message = scene.refused("timeout_user", long).await;
    assert!(message.contains("duration_secs"), "{message}");
    scene.needs("feature:multichat", "timeout_user", arguments).await;
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_ban_user_are_logged() {
    let scene = Scene::start().await;
    connect(&scene.app, scene.owner.account_id, Platform::Twitch, "streamer").await;
    scene.output("ban_user", json!({ "platform": "twitch", "user_id": "77" })).await;
    let done = scene.app.platforms.moderation_actions(Platform::Twitch).remove(0);
    assert_eq!((done.action, done.target_id.as_str(), done.duration_secs), ("ban", "77", None));
    scene.app.audited_once("chat:user_banned").await;
    let unsupported = json!({ "platform": "kick", "user_id": "77" });
    connect(&scene.app, scene.owner.account_id, Platform::Kick, "kicker").await;
    assert_eq!(scene.refused("ban_user", unsupported).await, "ban is not supported on kick");
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_delete_message_remove_lines_of_the_own_chat_only() {
    let scene = Scene::start().await;
    connect(&scene.app, scene.owner.account_id, Platform::Twitch, "streamer").await;
    let mut db = scene.app.databases.timescaledb.get().await.unwrap();
    let now = scene.app.clock.now().to_rfc3339();
    for (account, message) in [(scene.owner.account_id, "m1"), (shared::id::new(), "m2")] {
        let ensure = format!(
            "SELECT timeseries_ensure('chat_messages', '{now}', '{now}'::timestamptz + interval '1 second')"
        );
        diesel::sql_query(ensure).execute(&mut *db).await.unwrap();
        let line = format!(
            "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
                display_name, badges, text, fragments, sent_at)
             VALUES (gen_random_uuid(), '{account}', 'twitch', '{message}', '7', 'ada', 'Ada', '[]', 'x', '[]', '{now}')"
        );
        diesel::sql_query(line).execute(&mut *db).await.unwrap();
    }
    drop(db);
    scene.output("delete_message", json!({ "platform": "twitch", "message_id": "m1" })).await;
    let done = scene.app.platforms.moderation_actions(Platform::Twitch);
    assert_eq!((done.len(), done[0].action, done[0].target_id.as_str()), (1, "delete", "m1"));
    scene.app.audited_once("chat:message_deleted").await;
    let foreign = json!({ "platform": "twitch", "message_id": "m2" });
    assert_eq!(scene.refused("delete_message", foreign).await, "Message not found");
    scene.app.stop().await;
}

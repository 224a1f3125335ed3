//! Targets of moderation: messages, chats and users of the account's own channel (reference/chat.md#targets).

use diesel::QueryDsl;
use diesel_async::RunQueryDsl;
use live_model::ChatMessage;
use lumio_tests::{Person, TestApp, both_refused};
use platforms_stand_in::{Platform, youtube};
use serde_json::{Value, json};
use shared::schema::moderation_log;
use uuid::Uuid;

use super::{LOG, Scene, finds_no_message, over_graphql, over_rest, succeeds};
use crate::{
    chat_world::{ChatLine, change, connect_bot, store_line_as},
    world::{connect, install, messages, published},
};

#[tokio::test]
async fn moderate_chat_protects_the_broadcaster_and_youtube_moderators() {
    let scene = Scene::on(Platform::Youtube).await;
    let (moderator, _) = scene.app.platforms.create_user(Platform::Youtube, "moderator");
    scene.app.platforms.make_moderator(&scene.channel, &moderator);
    for target in [youtube::channel_id(&scene.channel), youtube::channel_id(&moderator)] {
        let mut input = scene.ban();
        input["user_id"] = json!(target);
        let (rest, graphql) =
            (over_rest(&scene.owner, &input).await, over_graphql(&scene.owner, &input).await);
        let expected = "The owner and the moderators of a live chat cannot be banned.";
        both_refused(&rest, &graphql, 403, "FORBIDDEN", expected);
    }
    let twitch = connect(&scene.app, scene.owner.account_id, Platform::Twitch, "streamer").await;
    for action in ["BAN", "TIMEOUT"] {
        let input =
            json!({ "action": action, "platform": "twitch", "user_id": twitch.id, "duration_secs": 60 });
        let (rest, graphql) =
            (over_rest(&scene.owner, &input).await, over_graphql(&scene.owner, &input).await);
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "The channel's owner cannot be moderated");
    }
    assert!(scene.done().is_empty() && scene.app.platforms.moderation_actions(Platform::Twitch).is_empty());
    let log = scene.log().await;
    assert_eq!(log.len(), 8);
    assert!(log.iter().all(|entry| entry["success"] == false));
    assert!(published(&scene.app, &format!("chat:{}", scene.owner.account_id)).await.is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn moderate_chat_uses_the_given_or_active_live_chat_on_youtube() {
    let scene = Scene::on(Platform::Youtube).await;
    let mut input = scene.timeout(86_400);
    input["user_id"] = json!(youtube::channel_id(&scene.spammer));
    succeeds(&scene.owner, &input).await;
    scene.app.platforms.set_on_air(&scene.channel, false);
    let gone = over_rest(&scene.owner, &input).await;
    let details = json!({ "success": false, "details": "There is no active broadcast" });
    assert_eq!(gone.expect(200), &details);
    assert_eq!(over_graphql(&scene.owner, &input).await.field("moderateChat"), details);
    // A message is deleted without it.
    scene.store_m1().await;
    succeeds(&scene.owner, &scene.delete()).await;
    scene.app.platforms.set_on_air(&scene.channel, true);
    input["live_chat_id"] = json!(youtube::live_chat_id(&scene.channel));
    succeeds(&scene.owner, &input).await;
    let chats: Vec<_> = scene
        .app
        .platforms
        .moderation_actions(Platform::Youtube)
        .into_iter()
        .filter(|action| action.action == "timeout")
        .map(|action| action.channel_id)
        .collect();
    assert_eq!(chats, [youtube::live_chat_id(&scene.channel), youtube::live_chat_id(&scene.channel)]);
    scene.app.stop().await;
}

#[tokio::test]
async fn moderate_chat_refuses_a_live_chat_of_no_broadcast_of_the_channel() {
    let scene = Scene::on(Platform::Youtube).await;
    // The channel is a moderator there.
    let friend = scene.app.owner().await;
    let friendly = connect(&scene.app, friend.account_id, Platform::Youtube, "friend").await;
    scene.app.platforms.make_moderator(&friendly, &scene.channel);
    let mut input = scene.ban();
    input["user_id"] = json!(youtube::channel_id(&scene.spammer));
    for foreign in [youtube::live_chat_id(&friendly), "live-chat-nowhere".to_owned()] {
        input["live_chat_id"] = json!(foreign);
        let (rest, graphql) =
            (over_rest(&scene.owner, &input).await, over_graphql(&scene.owner, &input).await);
        let expected = "live_chat_id must be that of a broadcast of the channel";
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", expected);
    }
    assert!(scene.done().is_empty());
    assert_eq!(scene.log().await.len(), 4);
    // An announced broadcast is known before it is on air.
    let announced = "INSERT INTO channel_statuses (id, account_id, platform, broadcast_id, is_online, \
        broadcast_status, live_chat_id) VALUES (gen_random_uuid(), $1, 'youtube', 'b1', false, 'upcoming', 'soon')";
    change(&scene.app, announced, friend.account_id).await;
    input["live_chat_id"] = json!("soon");
    over_rest(&scene.owner, &input).await.refused_with("VALIDATION_ERROR");
    change(&scene.app, announced, scene.owner.account_id).await;
    let answer = over_rest(&scene.owner, &input).await;
    // The stand-in has no such chat: the request itself is what matters.
    assert_ne!(answer.body["details"], "live_chat_id must be that of a broadcast of the channel");
    assert_eq!(answer.status, 200, "{}", answer.text);
    scene.app.stop().await;
}

/// A request to delete a message.
fn delete(platform: Platform, message_id: &str) -> Value {
    json!({ "action": "DELETE", "platform": platform.slug(), "message_id": message_id })
}

async fn store_message(app: &TestApp, account: Uuid, platform: Platform, message_id: &str) {
    let line = ChatLine { platform: platform.slug(), user_id: "bystander", text: "hi", ago: 3 };
    store_line_as(app, account, &line, message_id).await;
}

/// Deletes a message as a handler of an install; returns the code of the refusal, or null.
async fn delete_by_handler(app: &TestApp, owner: &Person, platform: Platform, message_id: &str) -> Value {
    let install = install(app, owner, &["chat:read", "chat:delete"]).await;
    let call = json!({ "install_id": install, "invocation_id": "i:0", "action": "chat:delete",
        "payload": { "messageId": message_id, "platform": platform.slug() } });
    app.system_key().await.post("/v1/internal/actions", call).await.expect(200)["error_code"].clone()
}

#[tokio::test]
async fn moderate_chat_does_not_find_messages_of_another_accounts_chat() {
    for platform in [Platform::Youtube, Platform::Kick, Platform::Twitch] {
        let app = TestApp::start().await;
        // The deployment's bot is a moderator in both channels.
        let (bot, token) = app.platforms.create_user(platform, "bot");
        connect_bot(&app, None, &bot, &token).await;
        let (owner, stranger) = (app.owner().await, app.owner().await);
        connect(&app, owner.account_id, platform, "streamer").await;
        connect(&app, stranger.account_id, platform, "stranger").await;
        for message_id in ["m1", "m2", "m3"] {
            store_message(&app, owner.account_id, platform, message_id).await;
        }
        // In the stranger's own chat, but on another platform.
        store_message(&app, stranger.account_id, Platform::Trovo, "m1").await;
        let done = || app.platforms.moderation_actions(platform);

        let input = delete(platform, "m1");
        finds_no_message(&stranger, &input).await;
        assert_eq!(delete_by_handler(&app, &stranger, platform, "m1").await, "NOT_FOUND");
        assert!(done().is_empty(), "{platform}: {:?}", done());
        let log = stranger.get(LOG).await.data().clone();
        assert_eq!(log.as_array().unwrap().len(), 3);
        assert_eq!((&log[0]["success"], &log[0]["details"]), (&json!(false), &json!("Message not found")));
        assert!(messages(&app, owner.account_id).await.iter().all(|row| row["is_deleted"] == false));

        succeeds(&owner, &input).await;
        let answer = over_graphql(&owner, &delete(platform, "m2")).await.field("moderateChat");
        assert_eq!(answer["success"], true);
        assert_eq!(delete_by_handler(&app, &owner, platform, "m3").await, Value::Null);
        let targets: Vec<String> = done().into_iter().map(|action| action.target_id).collect();
        assert_eq!(targets, ["m1", "m2", "m3"], "{platform}");
        app.stop().await;
    }
}

/// A line of the viewer with the id 7.
fn line(app: &TestApp, account_id: Uuid, platform: Platform, message_id: &str) -> ChatMessage {
    ChatMessage {
        id: shared::id::new(),
        account_id,
        platform: platform.slug().into(),
        platform_message_id: message_id.into(),
        platform_user_id: "7".into(),
        username: "viewer".into(),
        display_name: "Viewer".into(),
        color: None,
        badges: Vec::new(),
        text: format!("\"platform_message_id\":\"{message_id}-quoted\""),
        fragments: Vec::new(),
        emotes: Vec::new(),
        reply_to: None,
        is_deleted: false,
        is_action: false,
        sent_at: app.clock.now(),
        forgets_user: false,
        counted_as: None,
    }
}

/// Publishes a line as the ingest does, without storing it.
async fn publish(app: &TestApp, account_id: Uuid, message_id: &str, is_test: bool) {
    let mut event = line(app, account_id, Platform::Kick, message_id).announcement().unwrap();
    if is_test {
        event.data["is_test"] = json!(true);
    }
    app.state.events.append(&event).await.unwrap();
}

#[tokio::test]
async fn moderate_chat_deletes_a_message_before_it_is_stored() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    for message_id in ["live-1", "live-2", "live-3"] {
        publish(&app, owner.account_id, message_id, false).await;
    }
    // Many others have been published since.
    for index in 0..250 {
        publish(&app, owner.account_id, &format!("later-{index}"), false).await;
    }
    succeeds(&owner, &delete(Platform::Kick, "live-1")).await;
    let answer = over_graphql(&owner, &delete(Platform::Kick, "live-2")).await.field("moderateChat");
    assert_eq!(answer["success"], true);
    assert_eq!(delete_by_handler(&app, &owner, Platform::Kick, "live-3").await, Value::Null);
    assert!(messages(&app, owner.account_id).await.is_empty());
    // Neither a simulated line nor the text of another one makes a message the account's.
    publish(&app, owner.account_id, "simulated", true).await;
    for message_id in ["simulated", "live-1-quoted"] {
        finds_no_message(&owner, &delete(Platform::Kick, message_id)).await;
    }
    let stranger = app.owner().await;
    connect(&app, stranger.account_id, Platform::Kick, "stranger").await;
    finds_no_message(&stranger, &delete(Platform::Kick, "live-1")).await;
    assert_eq!(app.platforms.moderation_actions(Platform::Kick).len(), 3);
    app.stop().await;
}

#[tokio::test]
async fn moderate_chat_bans_by_name_before_a_message_is_stored() {
    let scene = Scene::on(Platform::Trovo).await;
    let (app, account) = (&scene.app, scene.owner.account_id);
    let ban = json!({ "action": "BAN", "platform": "trovo", "user_id": "7" });
    assert_eq!(
        over_rest(&scene.owner, &ban).await.expect(200)["success"],
        false,
        "nobody of that id was seen"
    );
    let sent_line = ChatMessage { username: "spammer".into(), ..line(app, account, Platform::Trovo, "m1") };
    app.state.events.append(&sent_line.announcement().unwrap()).await.unwrap();
    // Another user has the id on another platform.
    publish(app, account, "m1", false).await;
    succeeds(&scene.owner, &ban).await;
    assert_eq!(scene.done(), [("ban", scene.spammer.id.clone())]);
    assert!(messages(app, account).await.is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn moderate_chat_does_not_find_messages_of_the_previous_channel() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    connect(&app, owner.account_id, Platform::Kick, "second").await;
    store_message(&app, owner.account_id, Platform::Kick, "in-the-first").await;
    publish(&app, owner.account_id, "told-in-the-first", false).await;
    app.clock.advance(chrono::Duration::seconds(10));
    let since = format!(
        "UPDATE channel_connections SET channel_since = '{}' WHERE account_id = $1",
        app.clock.now().to_rfc3339()
    );
    change(&app, &since, owner.account_id).await;
    for message_id in ["in-the-first", "told-in-the-first"] {
        finds_no_message(&owner, &delete(Platform::Kick, message_id)).await;
    }
    app.clock.advance(chrono::Duration::seconds(10));
    store_message(&app, owner.account_id, Platform::Kick, "in-the-second").await;
    succeeds(&owner, &delete(Platform::Kick, "in-the-second")).await;
    assert_eq!(app.platforms.moderation_actions(Platform::Kick).len(), 1);
    app.stop().await;
}

#[tokio::test]
async fn moderate_chat_records_the_author_of_a_refused_deletion() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    publish(&app, owner.account_id, "live-1", false).await;
    let refused = async |platform, reason| {
        let mut input = delete(platform, "live-1");
        input["reason"] = reason;
        // The account has no connections.
        assert_eq!(over_rest(&owner, &input).await.expect(200)["success"], false);
    };
    refused(Platform::Kick, json!("an insult")).await;
    // Of another platform, and without a reason.
    refused(Platform::Twitch, json!("an insult")).await;
    refused(Platform::Kick, Value::Null).await;
    let recorded: Vec<Option<String>> = moderation_log::table
        .order(moderation_log::id)
        .select(moderation_log::author_id)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(recorded, [Some("7".to_owned()), None, None]);
    let audited = app.audited("chat:message_deleted").await;
    let authors = audited.iter().filter(|entry| entry.metadata["author_id"] == "7").count();
    assert_eq!((audited.len(), authors), (3, 1));
    app.stop().await;
}

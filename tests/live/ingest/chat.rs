//! Chat lines that trigger nothing, and lines removed by a ban (reference/ingest.md#removals).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use live_model::{Line, OwnMessages};
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, kick, twitch};
use serde_json::json;
use shared::schema::channel_connections;

use lumio_tests::world::{connect, eventually, jobs, messages, published, rows, workers};

use super::{TRIGGERS, all_handled, deliver_kick, deliver_twitch, text, viewer};

#[tokio::test]
async fn ingest_shows_own_messages_and_triggers_nothing() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let own = twitch::Event::chat_message(&streamer, &streamer, "!ping");
    let message_id = text(&own.event["message_id"]);
    let own_messages = OwnMessages::new(app.state.redis.clone());
    let line =
        Line { platform: "twitch", channel_id: &streamer.id, sender_id: Some(&streamer.id), text: "!ping" };
    own_messages.sending(&line).await.unwrap();
    assert!(own_messages.contain(&line, "another").await.unwrap(), "known by its text until its id is known");
    own_messages.sent(&line, &message_id).await.unwrap();
    deliver_twitch(&app, &own, &DeliveryOptions::default()).await;
    all_handled(&app, 1).await;
    eventually("it is written", async || rows(&app).await == 1).await;
    assert_eq!(jobs(&app, TRIGGERS).await, 0);
    // A line that the streamer typed triggers.
    let typed = twitch::Event::chat_message(&streamer, &streamer, "!ping");
    deliver_twitch(&app, &typed, &DeliveryOptions::default()).await;
    all_handled(&app, 2).await;
    assert_eq!(jobs(&app, TRIGGERS).await, 1);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn ingest_triggers_nothing_where_the_bot_is_switched_off() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    diesel::update(channel_connections::table)
        .set(channel_connections::bot_enabled.eq(false))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let running = workers(&app, &[Daemon::Ingest]).await;
    let line = kick::Event::chat_message(&streamer, &viewer(&app, Platform::Kick), "hello");
    deliver_kick(&app, &line, &DeliveryOptions::default()).await;
    all_handled(&app, 1).await;
    assert_eq!(published(&app, &format!("chat:{}", owner.account_id)).await.len(), 1);
    assert_eq!(jobs(&app, TRIGGERS).await, 0);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn ingest_removes_messages_on_a_ban_by_the_platform() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let viewer = viewer(&app, Platform::Kick);
    let running = workers(&app, &[Daemon::Ingest]).await;
    deliver_kick(
        &app,
        &kick::Event::chat_message(&streamer, &viewer, "buy now"),
        &DeliveryOptions::default(),
    )
    .await;
    eventually("it is written", async || rows(&app).await == 1).await;
    let banned = kick::Event::moderation_banned(&streamer, &streamer, &viewer, Some(10), "spam");
    deliver_kick(&app, &banned, &DeliveryOptions::default()).await;
    all_handled(&app, 2).await;
    eventually("it is marked", async || messages(&app, owner.account_id).await[0]["is_deleted"] == true)
        .await;
    let published = published(&app, &format!("chat:{}", owner.account_id)).await;
    assert_eq!(published[1]["event_type"], "chat:clear_user");
    assert_eq!(
        published[1]["data"],
        json!({
            "platform": "kick", "platform_user_id": viewer.id, "action": "timeout", "duration_secs": 600,
            "moderator_id": null, "moderator_platform_user_id": streamer.id,
        })
    );
    running.stop().await.unwrap();
    app.stop().await;
}

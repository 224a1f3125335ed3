//! Titles, clips, and messages to Discord.

use diesel::insert_into;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::crypto::{SecretLocation, row};
use lumio_tests::world::{connect, connect_to};
use platforms_stand_in::{NewUser, OnAir, Platform, discord};
use serde_json::json;
use shared::{
    id,
    schema::{bot_connections, discord_guilds},
    secret::Secret,
};
use uuid::Uuid;

use super::Scene;

#[tokio::test]
async fn effects_of_set_stream_title_reach_the_platforms() {
    let scene = Scene::start().await;
    let account = scene.owner.account_id;
    let twitch = connect(&scene.app, account, Platform::Twitch, "streamer").await;
    connect(&scene.app, account, Platform::Kick, "kicker").await;
    connect(&scene.app, account, Platform::Trovo, "trover").await;
    let changed = scene.output("set_stream_title", json!({ "title": "Speedrun" })).await;
    assert_eq!(changed["changed"].as_array().map(Vec::len), Some(3), "{changed}");
    for platform in [Platform::Twitch, Platform::Kick, Platform::Trovo] {
        let calls = scene.app.platforms.engagement_calls(platform);
        assert_eq!((calls[0].action, &calls[0].body["title"]), ("title", &json!("Speedrun")), "{platform}");
    }
    let title = scene.app.platforms.engagement_calls(Platform::Twitch).remove(0);
    assert_eq!(title.body["channel"], json!(twitch.id));
    let on_youtube = json!({ "title": "Speedrun", "platforms": ["youtube"] });
    let message = scene.refused("set_stream_title", on_youtube).await;
    assert_eq!(message, "youtube: The account is not connected to youtube");
    let lines = scene.refused("set_stream_title", json!({ "title": "a\nban ada" })).await;
    assert_eq!(lines, "title must be one line of text");
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_set_stream_title_need_the_scope() {
    let scene = Scene::start().await;
    let scopes = Some(vec!["user:write:chat".to_owned()]);
    let created =
        scene.app.platforms.create_user_with(Platform::Twitch, NewUser { scopes, ..NewUser::default() });
    connect_to(&scene.app, scene.owner.account_id, &created.user, Some(&created.access_token)).await;
    let failed = scene.perform("set_stream_title", json!({ "title": "Speedrun" })).await.unwrap_err();
    assert!(failed.message.starts_with("twitch: "), "{failed:?}");
    assert!(scene.app.platforms.engagement_calls(Platform::Twitch).is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_create_clip_need_a_live_channel() {
    let scene = Scene::start().await;
    let channel = connect(&scene.app, scene.owner.account_id, Platform::Twitch, "streamer").await;
    let offline = scene.refused("create_clip", json!({})).await;
    assert_eq!(offline, "Clipping is not possible for an offline channel.");
    scene.app.platforms.go_live(OnAir {
        platform: Platform::Twitch,
        id: channel.id.clone(),
        title: "Live".to_owned(),
        category: "Art".to_owned(),
        viewers: 3,
        started_at: scene.app.clock.now(),
    });
    let clip = scene.output("create_clip", json!({})).await;
    let made = scene.app.platforms.engagement_calls(Platform::Twitch).remove(0);
    assert_eq!((made.action, &made.body["channel"]), ("clip", &json!(channel.id)));
    assert_eq!(clip["clip_id"], made.body["id"]);
    connect(&scene.app, scene.owner.account_id, Platform::Kick, "kicker").await;
    let on_kick = scene.refused("create_clip", json!({ "platform": "kick" })).await;
    assert_eq!(on_kick, "clip is not supported on kick");
    scene.app.stop().await;
}

/// Links a Discord server to an account.
async fn link(scene: &Scene, account: Uuid, guild: &str) {
    insert_into(discord_guilds::table)
        .values((
            discord_guilds::id.eq(id::new()),
            discord_guilds::account_id.eq(account),
            discord_guilds::guild_id.eq(guild),
            discord_guilds::name.eq("Guild"),
        ))
        .execute(&mut *scene.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

async fn connect_bot(scene: &Scene) {
    let bot_id = id::new();
    let row = row(bot_id);
    let place = SecretLocation { table: "bot_connections", column: "access_token", row: &row };
    let sealed = scene.app.state.keyring.seal(place, &Secret::new(discord::BOT_TOKEN)).unwrap();
    insert_into(bot_connections::table)
        .values((
            bot_connections::id.eq(bot_id),
            bot_connections::platform.eq("discord"),
            bot_connections::bot_user_id.eq(discord::BOT_USER_ID),
            bot_connections::bot_username.eq("bot"),
            bot_connections::display_name.eq("Bot"),
            bot_connections::credential_source.eq("system"),
            bot_connections::credential_app.eq("bot"),
            bot_connections::access_token.eq(sealed),
        ))
        .execute(&mut *scene.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn effects_of_discord_message_reach_channels_of_linked_servers_only() {
    let scene = Scene::start().await;
    let other = scene.app.owner().await;
    link(&scene, scene.owner.account_id, "10").await;
    link(&scene, other.account_id, "20").await;
    scene.app.platforms.add_discord_channel("11", "10");
    scene.app.platforms.add_discord_channel("21", "20");
    let to = |channel: &str| json!({ "channel_id": channel, "message": "live @everyone" });
    let without_bot = scene.refused("discord_message", to("11")).await;
    assert_eq!(without_bot, "The account is not connected to discord");
    connect_bot(&scene).await;
    let sent = scene.output("discord_message", to("11")).await;
    let messages = scene.app.platforms.sent_messages(Platform::Discord);
    assert_eq!((messages.len(), messages[0].channel_id.as_str()), (1, "11"));
    assert_eq!(sent["message_id"], json!(messages[0].message_id));
    for foreign in ["21", "99", "../users/@me"] {
        assert_eq!(scene.refused("discord_message", to(foreign)).await, "Discord channel not found");
    }
    assert_eq!(scene.app.platforms.sent_messages(Platform::Discord).len(), 1);
    scene.needs("feature:bots", "discord_message", to("11")).await;
    scene.app.stop().await;
}

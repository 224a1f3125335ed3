//! Channel connections: list, disconnect, live status (reference/connections.md#channel-connections).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Statements, TestApp, both_refused};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, twitch::Event};
use serde_json::{Value, json};
use shared::{
    id,
    schema::{channel_connections, channel_statuses, token_revocations},
};

use super::world::{channel_row, connect, id_of};
use lumio_tests::world::{eventually, eventually_none, open_deliveries, workers};

const CHANNEL: &str =
    "{ id platform platformChannelId channelName displayName avatarUrl scopes credentialSource
    botEnabled reconnectRequired expiresAt connectedAt connectedBy
    health { subscriptions { eventType refusal } lastEvents { eventType lastEventAt } reader { detail since } } }";
const STATUS: &str =
    "{ platform isOnline broadcastId broadcastStatus streamTitle category viewerCount likeCount totalViews
    startedAt scheduledStart liveChatId updatedAt }";

#[tokio::test]
async fn channel_connections_hides_disabled_platforms() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let reader = app.member_with(owner.account_id, &["connections:read"]).await;
    connect(&app, &owner, Platform::Twitch, "streamer").await;
    channel_row(&app, owner.account_id, Platform::Kick, "kicker").await;
    channel_row(&app, stranger.account_id, Platform::Kick, "other").await;
    let key = app.service_key(owner.account_id, &["connections:read"]).await;
    for caller in [&owner.caller, &reader.caller, &key] {
        let rest = caller.get("/v1/connections/channel").await;
        let graphql = caller.graphql(&format!("{{ channelConnections {CHANNEL} }}"), json!({})).await;
        assert_eq!(graphql.field("channelConnections"), *rest.data());
        let names: Vec<&Value> =
            rest.data().as_array().unwrap().iter().map(|row| &row["channel_name"]).collect();
        assert_eq!(names, ["kicker", "streamer"]);
    }
    app.switch("platform:kick", false).await;
    let rest = owner.get("/v1/connections/channel").await;
    assert_eq!(rest.data().as_array().unwrap().len(), 1);
    let member = app.member_with(owner.account_id, &[]).await;
    let graphql = member.graphql("{ channelConnections { id } }", json!({})).await;
    let message = "Missing permission: connections:read";
    both_refused(&member.get("/v1/connections/channel").await, &graphql, 403, "FORBIDDEN", message);
    app.stop().await;
}

#[tokio::test]
async fn disconnect_channel_removes_it_and_queues_token_revocation() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let epoch = || app.state.caches.public_stats_epoch();
    eventually("changes arrive", async || epoch().is_some()).await;
    let before = epoch();
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let connected = epoch();
    assert!(connected > before, "kept public answers are dropped");
    let gone = owner.delete("/v1/connections/channel/twitch").await;
    assert_eq!((gone.status, gone.text.as_str()), (204, ""));
    assert!(epoch() > connected);
    assert_eq!(owner.get("/v1/connections/channel").await.data(), &json!([]));
    let mut db = app.databases.postgres.get().await.unwrap();
    let waiting: Vec<(String, String, Option<Vec<u8>>)> = token_revocations::table
        .select((
            token_revocations::platform,
            token_revocations::credential_app,
            token_revocations::access_token,
        ))
        .load(&mut *db)
        .await
        .unwrap();
    drop(db);
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].0.as_str(), waiting[0].1.as_str()), ("twitch", "login"));
    assert!(waiting[0].2.is_some());
    let entry = app.audited_once("connection:disconnected").await;
    assert_eq!(entry.resource_id.as_deref(), connection["id"].as_str());
    assert_eq!((entry.account_id, entry.actor_id), (Some(owner.account_id), Some(owner.user_id)));

    let graphql = owner.graphql("mutation { disconnectChannel(platform: \"twitch\") }", json!({})).await;
    let rest = owner.delete("/v1/connections/channel/twitch").await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Channel connection not found");
    channel_row(&app, owner.account_id, Platform::Kick, "kicker").await;
    let graphql = owner.graphql("mutation { disconnectChannel(platform: \"kick\") }", json!({})).await;
    assert_eq!(graphql.field("disconnectChannel"), json!(true));
    app.stop().await;
}

#[tokio::test]
async fn disconnect_channel_needs_the_permission_and_the_own_account() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    channel_row(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let moderator = app.member_as(owner.account_id, "moderator").await;
    let query = "mutation { disconnectChannel(platform: \"twitch\") }";
    let rest = moderator.delete("/v1/connections/channel/twitch").await;
    let graphql = moderator.graphql(query, json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: connections:delete");
    let rest = stranger.delete("/v1/connections/channel/twitch").await;
    let graphql = stranger.graphql(query, json!({})).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Channel connection not found");
    let rest = owner.delete("/v1/connections/channel/discord").await;
    let graphql = owner.graphql("mutation { disconnectChannel(platform: \"discord\") }", json!({})).await;
    let message = "platform must be one of twitch, youtube, kick, trovo, spotify";
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    let mut db = app.databases.postgres.get().await.unwrap();
    let left: i64 = channel_connections::table.count().get_result(&mut *db).await.unwrap();
    assert_eq!(left, 1);
    drop(db);
    app.stop().await;
}

#[tokio::test]
async fn disconnect_channel_works_with_unreadable_tokens() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let mut db = app.databases.postgres.get().await.unwrap();
    diesel::update(channel_connections::table.find(id_of(&connection)))
        .set(channel_connections::access_token.eq(b"\x04lost0123456789abcdef".to_vec()))
        .execute(&mut *db)
        .await
        .unwrap();
    assert_eq!(owner.delete("/v1/connections/channel/twitch").await.status, 204);
    let waiting: i64 = token_revocations::table.count().get_result(&mut *db).await.unwrap();
    assert_eq!(waiting, 0);
    drop(db);
    app.stop().await;
}

#[tokio::test]
async fn channel_status_has_a_row_per_broadcast_or_silent_channel() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (platform, name) in [(Platform::Twitch, "a"), (Platform::Youtube, "b"), (Platform::Spotify, "music")]
    {
        channel_row(&app, owner.account_id, platform, name).await;
    }
    let mut db = app.databases.postgres.get().await.unwrap();
    for (broadcast, status, online) in [("b1", "live", true), ("b2", "upcoming", false)] {
        insert_into(channel_statuses::table)
            .values((
                channel_statuses::id.eq(id::new()),
                channel_statuses::account_id.eq(owner.account_id),
                channel_statuses::platform.eq("youtube"),
                channel_statuses::broadcast_id.eq(broadcast),
                channel_statuses::is_online.eq(online),
                channel_statuses::broadcast_status.eq(status),
                channel_statuses::stream_title.eq("Hello"),
                channel_statuses::viewer_count.eq(5_000_000_000_i64),
                channel_statuses::started_at.eq(app.clock.now()),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
    }
    drop(db);
    let rest = owner.get("/v1/channel-status").await;
    let graphql = owner.graphql(&format!("{{ channelStatus {STATUS} }}"), json!({})).await;
    let rows = rest.data().as_array().unwrap();
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert_eq!((&rows[0]["platform"], &rows[0]["is_online"]), (&json!("twitch"), &json!(false)));
    assert_eq!((&rows[0]["broadcast_status"], &rows[0]["updated_at"]), (&Value::Null, &Value::Null));
    assert_eq!((&rows[1]["broadcast_id"], &rows[1]["broadcast_status"]), (&json!("b1"), &json!("live")));
    assert_eq!(rows[1]["viewer_count"], 5_000_000_000_i64);
    assert_eq!(rows[2]["broadcast_status"], "upcoming");
    let twin = graphql.field("channelStatus");
    assert_eq!(twin[1]["broadcast_status"], "LIVE");
    assert_eq!(
        (&twin[1]["started_at"], &twin[1]["stream_title"]),
        (&rows[1]["started_at"], &rows[1]["stream_title"])
    );
    app.stop().await;
}

#[tokio::test]
async fn channel_status_follows_stream_events_immediately() {
    let app = TestApp::start().await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let owner = app.owner().await;
    let (streamer, _) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let deliver = async |event: &Event, age_secs: u64| {
        let options = DeliveryOptions { age_secs, ..DeliveryOptions::default() };
        app.platforms.deliver_twitch_to(&callback, "stand-in-eventsub-secret", event, &options).await
    };
    let status = async || owner.get("/v1/channel-status").await.data()[0].clone();
    assert_eq!(status().await["is_online"], false);
    deliver(&Event::stream_online(&streamer), 0).await;
    eventually("the channel is on air", async || status().await["is_online"] == true).await;
    let live = status().await;
    assert_eq!(live["broadcast_status"], "live");
    assert!(live["started_at"].is_string() && live["updated_at"].is_string(), "{live}");
    // An older event changes nothing.
    deliver(&Event::stream_offline(&streamer), 300).await;
    eventually_none("it is handled", async || open_deliveries(&app).await).await;
    assert_eq!(status().await["is_online"], true);
    deliver(&Event::stream_offline(&streamer), 0).await;
    eventually("the channel is off", async || status().await["is_online"] == false).await;
    let off = status().await;
    assert_eq!((&off["broadcast_status"], &off["started_at"]), (&Value::Null, &Value::Null));
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn channel_status_needs_connections_or_spotify_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for permission in ["connections:read", "spotify:read"] {
        let member = app.member_with(owner.account_id, &[permission]).await;
        assert_eq!(member.get("/v1/channel-status").await.status, 200, "{permission}");
        member.graphql("{ channelStatus { platform } }", json!({})).await.field("channelStatus");
    }
    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    let graphql = member.graphql("{ channelStatus { platform } }", json!({})).await;
    let message = "Missing permission: connections:read or spotify:read";
    both_refused(&member.get("/v1/channel-status").await, &graphql, 403, "FORBIDDEN", message);
    app.stop().await;
}

#[tokio::test]
async fn channel_connections_and_statuses_read_one_statement_each() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for platform in [Platform::Twitch, Platform::Kick, Platform::Youtube, Platform::Trovo] {
        channel_row(&app, owner.account_id, platform, "c").await;
    }
    owner.get("/v1/connections/channel").await.data();
    statements.to(&app);
    for path in ["/v1/connections/channel", "/v1/channel-status", "/v1/connections/status"] {
        statements.take();
        owner.get(path).await.data();
        let sent = statements.take_of("channel_connections");
        assert_eq!(sent.len(), 1, "{path}: {sent:?}");
    }
    app.stop().await;
}

//! The reader of YouTube (reference/ingest.md#youtube-polling).

mod quota;

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Failure, Platform, youtube::channel_id, youtube_live::message};
use serde_json::{Value, json};
use shared::schema::{channel_connections, channel_statuses, webhook_subscriptions, youtube_broadcasts};

use super::{Stage, chat_socket, next_event};
use lumio_tests::world::{eventually, jobs, messages, published, stored_events};

const DAEMONS: [Daemon; 2] = [Daemon::Ingest, Daemon::YoutubeChat];

async fn stage() -> Stage {
    stage_with(&[]).await
}

async fn stage_with(settings: &[(&str, &str)]) -> Stage {
    let mut all = vec![("LUMIO_YOUTUBE_LOOK_EVERY_SECS", "1")];
    all.extend(settings);
    Stage::on(Platform::Youtube, &all).await
}

fn send_line(stage: &Stage, text: &str) {
    send(stage, "textMessageEvent", json!({ "messageText": text }));
}

fn send(stage: &Stage, kind: &str, details: Value) -> String {
    let message = message(kind, &stage.channel, &stage.viewer, details);
    let id = message["id"].as_str().unwrap().to_owned();
    stage.app.platforms.send_youtube(&stage.channel, message);
    id
}

async fn reads(stage: &Stage) {
    eventually("the chat is read", async || stage.is_shown_as("reading").await).await;
}

fn polls(stage: &Stage) -> usize {
    stage.app.platforms.change_youtube(|chats| chats.polls.len())
}

#[tokio::test]
async fn youtube_lines_are_published_and_stored_once() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    let mut socket = chat_socket(&stage.app, &stage.owner).await;
    send_line(&stage, "hello");
    let line = next_event(&mut socket, "chat:message").await;
    assert_eq!((&line["text"], &line["platform"]), (&json!("hello"), &json!("youtube")));
    assert_eq!(line["platform_user_id"], channel_id(&stage.viewer));
    stage.stored_once(&["hello"]).await;
    assert_eq!(jobs(&stage.app, "extension_triggers").await, 2, "the line and the stream that began");
    stage.end(running).await;
}

#[tokio::test]
async fn youtube_chat_items_become_events_of_their_type() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    send(
        &stage,
        "superChatEvent",
        json!({ "amountMicros": "5000000", "currency": "EUR", "amountDisplayString": "€5.00", "tier": 2,
            "userComment": "take this" }),
    );
    send(
        &stage,
        "superStickerEvent",
        json!({ "amountMicros": "2000000", "currency": "EUR", "amountDisplayString": "€2.00", "tier": 1,
            "superStickerMetadata": { "stickerId": "pear", "altText": "A pear", "language": "en" } }),
    );
    send(&stage, "newSponsorEvent", json!({ "memberLevelName": "Gold", "isUpgrade": false }));
    send(
        &stage,
        "memberMilestoneChatEvent",
        json!({ "memberLevelName": "Gold", "memberMonth": 12, "userComment": "a year" }),
    );
    send(
        &stage,
        "membershipGiftingEvent",
        json!({ "giftMembershipsCount": 5, "giftMembershipsLevelName": "Gold" }),
    );
    send(
        &stage,
        "giftMembershipReceivedEvent",
        json!({ "memberLevelName": "Gold", "gifterChannelId": "UCgifter" }),
    );
    send(&stage, "pollEvent", json!({}));
    eventually("seven events are stored", async || {
        stored_events(&stage.app, stage.owner.account_id).await.len() == 7
    })
    .await;
    let mut types: Vec<String> = stored_events(&stage.app, stage.owner.account_id)
        .await
        .iter()
        .map(|row| row["event_type"].as_str().unwrap().to_owned())
        .collect();
    types.sort_unstable();
    assert_eq!(
        types,
        [
            "youtube:member",
            "youtube:member",
            "youtube:member_gift",
            "youtube:member_milestone",
            "youtube:stream_online",
            "youtube:superchat",
            "youtube:supersticker",
        ]
    );
    stage.stored_once(&["take this", "a year"]).await;
    stage.end(running).await;
}

#[tokio::test]
async fn youtube_deletions_and_bans_are_published_and_soft_delete() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    let mut socket = chat_socket(&stage.app, &stage.owner).await;
    reads(&stage).await;
    let first = send(&stage, "textMessageEvent", json!({ "messageText": "one" }));
    send_line(&stage, "two");
    stage.stored_once(&["one", "two"]).await;
    send(&stage, "messageDeletedEvent", json!({ "deletedMessageId": first }));
    let removal = next_event(&mut socket, "chat:delete_message").await;
    assert_eq!(removal, json!({ "platform": "youtube", "message_id": first }));
    let deleted = async || {
        let rows = messages(&stage.app, stage.owner.account_id).await;
        rows.iter().filter(|row| row["is_deleted"] == true).count()
    };
    eventually("one is deleted", async || deleted().await == 1).await;
    send(
        &stage,
        "userBannedEvent",
        json!({ "bannedUserDetails": { "channelId": channel_id(&stage.viewer) }, "banType": "temporary",
            "banDurationSeconds": "300" }),
    );
    let cleared = next_event(&mut socket, "chat:clear_user").await;
    assert_eq!((&cleared["action"], &cleared["duration_secs"]), (&json!("timeout"), &json!(300)));
    eventually("both are deleted", async || deleted().await == 2).await;
    stage.end(running).await;
}

#[tokio::test]
async fn youtube_daemon_continues_at_its_page_after_a_kill() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    send_line(&stage, "before");
    stage.stored_once(&["before"]).await;
    // As after kill -9: nothing is drained, the lease expires by itself.
    drop(running);
    send_line(&stage, "between");
    let asked = polls(&stage);
    let running = stage.workers(&DAEMONS).await;
    stage.stored_once(&["before", "between"]).await;
    let first = stage.app.platforms.change_youtube(|chats| chats.polls[asked].1.clone());
    assert!(first.is_some(), "the first page after the kill is the next one");
    let online: Vec<Value> = published(&stage.app, &format!("events:{}", stage.owner.account_id)).await;
    assert_eq!(online.iter().filter(|event| event["event_type"] == "stream:online").count(), 1);
    stage.end(running).await;
}

#[tokio::test]
async fn youtube_chat_is_read_by_one_copy_and_taken_over_within_seconds() {
    let stage = stage().await;
    let ingest = stage.workers(&[Daemon::Ingest]).await;
    let one = stage.workers(&[Daemon::YoutubeChat]).await;
    reads(&stage).await;
    let two = stage.workers(&[Daemon::YoutubeChat]).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let (before, began) = (polls(&stage), std::time::Instant::now());
    tokio::time::sleep(Duration::from_secs(2)).await;
    // One copy requests a page every 200 ms; two copies would request twice as many.
    let (asked, took) = (polls(&stage) - before, began.elapsed());
    assert!(asked as u128 <= took.as_millis() / 200 + 3, "{asked} pages in {took:?}");
    drop(one);
    send_line(&stage, "after the kill");
    stage.stored_once(&["after the kill"]).await;
    two.stop().await.unwrap();
    stage.end(ingest).await;
}

#[tokio::test]
async fn youtube_polling_interval_is_kept() {
    let stage = stage().await;
    stage.app.platforms.change_youtube(|chats| chats.polling_interval_ms = 1500);
    let running = stage.workers(&DAEMONS).await;
    eventually("three pages were read", async || polls(&stage) >= 3).await;
    let gaps: Vec<i64> = stage.app.platforms.change_youtube(|chats| {
        chats.polls.windows(2).map(|pair| (pair[1].0 - pair[0].0).num_milliseconds()).collect()
    });
    assert!(gaps.iter().all(|gap| *gap >= 1400), "{gaps:?}");
    stage.end(running).await;
}

#[tokio::test]
async fn youtube_history_is_shown_and_triggers_nothing() {
    let stage = stage().await;
    let details = json!({ "messageText": "long ago" });
    let old = platforms_stand_in::youtube_live::message_at(
        "textMessageEvent",
        &stage.channel,
        &stage.viewer,
        details,
        stage.app.clock.now() - chrono::Duration::minutes(10),
    );
    stage.app.platforms.send_youtube(&stage.channel, old);
    let running = stage.workers(&DAEMONS).await;
    stage.stored_once(&["long ago"]).await;
    assert_eq!(jobs(&stage.app, "extension_triggers").await, 1, "only the stream that began");
    stage.end(running).await;
}

#[tokio::test]
async fn youtube_broadcast_begins_and_ends_once() {
    let stage = stage().await;
    stage.app.platforms.set_on_air(&stage.channel, false);
    let running = stage.workers(&DAEMONS).await;
    eventually("the channel is looked at", async || stage.is_shown_as("waiting").await).await;
    assert_eq!(polls(&stage), 0, "nothing is read while the channel is off the air");
    let types = async || -> Vec<String> {
        stored_events(&stage.app, stage.owner.account_id)
            .await
            .iter()
            .map(|row| row["event_type"].as_str().unwrap().to_owned())
            .collect()
    };
    stage.app.platforms.set_on_air(&stage.channel, true);
    eventually("it began", async || types().await == ["youtube:stream_online"]).await;
    reads(&stage).await;
    let statuses = async || -> Vec<(Option<String>, Option<String>)> {
        channel_statuses::table
            .filter(channel_statuses::is_online)
            .select((channel_statuses::broadcast_id, channel_statuses::live_chat_id))
            .load(&mut *stage.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    };
    let chat = platforms_stand_in::youtube::live_chat_id(&stage.channel);
    let broadcast = format!("live-{}", stage.channel.id);
    assert_eq!(statuses().await, [(Some(broadcast), Some(chat))]);
    stage.app.platforms.set_on_air(&stage.channel, false);
    eventually("it ended", async || types().await.contains(&"youtube:stream_offline".to_owned())).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(types().await.len(), 2);
    let left: i64 = youtube_broadcasts::table
        .count()
        .get_result(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!((left, statuses().await.len()), (0, 0));
    stage.end(running).await;
}

#[tokio::test]
async fn youtube_refusals_and_failures_are_waited_out() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    let path = "/liveChat/messages";
    stage.app.platforms.fail_next_at(Platform::Youtube, path, Failure::ServerError);
    stage.app.platforms.fail_next_at(Platform::Youtube, path, Failure::Malformed);
    stage.app.platforms.fail_next_at(Platform::Youtube, path, Failure::Reset);
    send_line(&stage, "after failures");
    stage.stored_once(&["after failures"]).await;

    let pause = Duration::from_secs(3);
    stage.app.platforms.fail_next_at(Platform::Youtube, path, Failure::RateLimited { retry_after: pause });
    eventually("the pause is kept", async || stage.is_shown_as("waiting").await).await;
    let asked = polls(&stage);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(polls(&stage), asked, "nothing is asked before the time that YouTube named");
    send_line(&stage, "after the pause");
    stage.stored_once(&["after failures", "after the pause"]).await;
    stage.end(running).await;
}

#[tokio::test]
async fn youtube_page_that_is_gone_is_replaced_without_duplicates() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    send_line(&stage, "one");
    stage.stored_once(&["one"]).await;
    drop(running);
    diesel::update(youtube_broadcasts::table)
        .set(youtube_broadcasts::page_token.eq("page-of-another-age"))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    send_line(&stage, "two");
    let running = stage.workers(&DAEMONS).await;
    stage.stored_once(&["one", "two"]).await;
    stage.end(running).await;
}

#[tokio::test]
async fn youtube_channel_is_not_read_once_flagged() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    diesel::update(channel_connections::table.find(stage.connection_id))
        .set(channel_connections::reconnect_required.eq(true))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let mut asked = 0;
    eventually("nothing is asked any more", async || {
        let before = std::mem::replace(&mut asked, polls(&stage));
        tokio::time::sleep(Duration::from_secs(1)).await;
        before == polls(&stage)
    })
    .await;
    stage.end(running).await;
}

#[tokio::test]
async fn youtube_hub_is_subscribed_once_and_its_feeds_are_checked_immediately() {
    // Without the hub the channel would be checked only after an hour.
    let stage = stage_with(&[("LUMIO_YOUTUBE_LOOK_EVERY_SECS", "3600")]).await;
    stage.app.platforms.set_on_air(&stage.channel, false);
    let mut config = stage.app.config();
    config.http.public_url = stage.app.url().parse().unwrap();
    let running = lumio_worker::start_with(config, stage.app.clock.clone(), &DAEMONS).await.unwrap();
    let channel_id = channel_id(&stage.channel);
    let feeds = || stage.app.platforms.change_youtube(|chats| chats.feeds.len());
    eventually("the hub has asked back", async || feeds() == 1).await;
    stage.app.platforms.set_on_air(&stage.channel, true);
    let published =
        stage.app.platforms.publish_video(&channel_id, "video1", &DeliveryOptions::default()).await;
    assert_eq!(published[0].statuses(), [Some(200)]);
    reads(&stage).await;
    assert_eq!(feeds(), 1);
    stage.end(running).await;
}

#[tokio::test]
async fn youtube_hub_is_subscribed_again_before_expiry_and_after_a_refusal() {
    let stage = stage().await;
    stage.app.platforms.set_on_air(&stage.channel, false);
    let mut config = stage.app.config();
    config.http.public_url = stage.app.url().parse().unwrap();
    let feeds = || stage.app.platforms.change_youtube(|chats| chats.feeds.len());
    stage.app.platforms.fail_next_at(Platform::Youtube, "/subscribe", Failure::ServerError);
    let running = lumio_worker::start_with(config, stage.app.clock.clone(), &DAEMONS).await.unwrap();
    let refusals = async || -> i64 {
        let refused = webhook_subscriptions::table.filter(webhook_subscriptions::refusal.is_not_null());
        let mut db = stage.app.databases.postgres.get().await.unwrap();
        refused.count().get_result(&mut *db).await.unwrap()
    };
    eventually("the no is noted", async || refusals().await == 1).await;
    assert_eq!(feeds(), 0);
    stage.app.clock.advance(chrono::Duration::minutes(61));
    eventually("the hub has asked back", async || feeds() == 1 && refusals().await == 0).await;
    // At four fifths of its lease.
    let lease = chrono::Duration::from_std(platforms::youtube::live::FEED_LEASE).unwrap();
    stage.app.clock.advance(lease * 4 / 5 + chrono::Duration::minutes(1));
    eventually("the hub was asked again", async || feeds() == 2).await;
    stage.end(running).await;
}

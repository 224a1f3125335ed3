//! YouTube.

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::{
    DeliveryOptions, Failure, Platform, User, youtube::channel_id, youtube_live::message,
};
use serde_json::{Value, json};
use shared::db::schema::{channel_connections, channel_statuses, platform_quotas, youtube_broadcasts};
use uuid::Uuid;

use super::{chat_socket, connect, heard, reader_state, stored_once};
use crate::live::world::{eventually, jobs, messages, stored_events, told, workers};

const DAEMONS: [Daemon; 2] = [Daemon::Ingest, Daemon::YoutubeChat];

struct Stage {
    app: TestApp,
    owner: Person,
    channel: User,
    connection_id: Uuid,
    viewer: User,
}

impl Stage {
    async fn new() -> Self {
        Self::with(&[]).await
    }

    async fn with(settings: &[(&str, &str)]) -> Self {
        let mut builder = TestApp::builder().with("LUMIO_YOUTUBE_LOOK_EVERY_SECS", 1);
        for (name, value) in settings {
            builder = builder.with(name, value);
        }
        let app = builder.start().await;
        let owner = app.owner().await;
        let (channel, connection_id) = connect(&app, owner.account_id, Platform::Youtube, "streamer").await;
        let viewer = app.platforms.create_user(Platform::Youtube, "viewer").0;
        Self { app, owner, channel, connection_id, viewer }
    }

    fn say(&self, text: &str) {
        self.tell("textMessageEvent", json!({ "messageText": text }));
    }

    fn tell(&self, kind: &str, details: Value) -> String {
        let message = message(kind, &self.channel, &self.viewer, details);
        let id = message["id"].as_str().unwrap().to_owned();
        self.app.platforms.tell_youtube(&self.channel, message);
        id
    }

    async fn reads(&self) {
        eventually("the chat is read", async || {
            reader_state(&self.app, self.connection_id).await.as_deref() == Some("reading")
        })
        .await;
    }

    fn polls(&self) -> usize {
        self.app.platforms.change_youtube(|chats| chats.polls.len())
    }
}

async fn end(app: TestApp, running: Running) {
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn a_line_is_told_on_a_socket_and_stored_once() {
    let stage = Stage::new().await;
    let running = workers(&stage.app, &DAEMONS).await;
    stage.reads().await;
    let mut socket = chat_socket(&stage.app, &stage.owner).await;
    stage.say("hello");
    let line = heard(&mut socket, "chat:message").await;
    assert_eq!((&line["text"], &line["platform"]), (&json!("hello"), &json!("youtube")));
    assert_eq!(line["platform_user_id"], channel_id(&stage.viewer));
    stored_once(&stage.app, stage.owner.account_id, &["hello"]).await;
    assert_eq!(jobs(&stage.app, "extension_triggers").await, 2, "the line and the stream that began");
    end(stage.app, running).await;
}

#[tokio::test]
async fn everything_that_happens_in_a_chat_has_its_event() {
    let stage = Stage::new().await;
    let running = workers(&stage.app, &DAEMONS).await;
    stage.reads().await;
    stage.tell(
        "superChatEvent",
        json!({ "amountMicros": "5000000", "currency": "EUR", "amountDisplayString": "€5.00", "tier": 2,
            "userComment": "take this" }),
    );
    stage.tell(
        "superStickerEvent",
        json!({ "amountMicros": "2000000", "currency": "EUR", "amountDisplayString": "€2.00", "tier": 1,
            "superStickerMetadata": { "stickerId": "pear", "altText": "A pear", "language": "en" } }),
    );
    stage.tell("newSponsorEvent", json!({ "memberLevelName": "Gold", "isUpgrade": false }));
    stage.tell(
        "memberMilestoneChatEvent",
        json!({ "memberLevelName": "Gold", "memberMonth": 12, "userComment": "a year" }),
    );
    stage.tell(
        "membershipGiftingEvent",
        json!({ "giftMembershipsCount": 5, "giftMembershipsLevelName": "Gold" }),
    );
    stage.tell(
        "giftMembershipReceivedEvent",
        json!({ "memberLevelName": "Gold", "gifterChannelId": "UCgifter" }),
    );
    stage.tell("pollEvent", json!({}));
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
    stored_once(&stage.app, stage.owner.account_id, &["take this", "a year"]).await;
    end(stage.app, running).await;
}

#[tokio::test]
async fn deletions_and_bans_of_the_platform_are_told_and_delete_softly() {
    let stage = Stage::new().await;
    let running = workers(&stage.app, &DAEMONS).await;
    let mut socket = chat_socket(&stage.app, &stage.owner).await;
    stage.reads().await;
    let first = stage.tell("textMessageEvent", json!({ "messageText": "one" }));
    stage.say("two");
    stored_once(&stage.app, stage.owner.account_id, &["one", "two"]).await;
    stage.tell("messageDeletedEvent", json!({ "deletedMessageId": first }));
    let removal = heard(&mut socket, "chat:delete_message").await;
    assert_eq!(removal, json!({ "platform": "youtube", "message_id": first }));
    let deleted = async || {
        let rows = messages(&stage.app, stage.owner.account_id).await;
        rows.iter().filter(|row| row["is_deleted"] == true).count()
    };
    eventually("one is deleted", async || deleted().await == 1).await;
    stage.tell(
        "userBannedEvent",
        json!({ "bannedUserDetails": { "channelId": channel_id(&stage.viewer) }, "banType": "temporary",
            "banDurationSeconds": "300" }),
    );
    let cleared = heard(&mut socket, "chat:clear_user").await;
    assert_eq!((&cleared["action"], &cleared["duration_secs"]), (&json!("timeout"), &json!(300)));
    eventually("both are deleted", async || deleted().await == 2).await;
    end(stage.app, running).await;
}

#[tokio::test]
async fn a_killed_daemon_goes_on_at_its_page_and_loses_nothing() {
    let stage = Stage::new().await;
    let running = workers(&stage.app, &DAEMONS).await;
    stage.reads().await;
    stage.say("before");
    stored_once(&stage.app, stage.owner.account_id, &["before"]).await;
    // As kill -9 does: nothing is drained, the lease runs out by itself.
    drop(running);
    stage.say("between");
    let asked = stage.polls();
    let running = workers(&stage.app, &DAEMONS).await;
    stored_once(&stage.app, stage.owner.account_id, &["before", "between"]).await;
    let first = stage.app.platforms.change_youtube(|chats| chats.polls[asked].1.clone());
    assert!(first.is_some(), "the first page after the kill is the next one");
    let online: Vec<Value> = told(&stage.app, &format!("events:{}", stage.owner.account_id)).await;
    assert_eq!(online.iter().filter(|event| event["event_type"] == "stream:online").count(), 1);
    end(stage.app, running).await;
}

#[tokio::test]
async fn one_of_two_copies_reads_and_the_other_takes_over_within_seconds() {
    let stage = Stage::new().await;
    let ingest = workers(&stage.app, &[Daemon::Ingest]).await;
    let one = workers(&stage.app, &[Daemon::YoutubeChat]).await;
    stage.reads().await;
    let two = workers(&stage.app, &[Daemon::YoutubeChat]).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let before = stage.polls();
    tokio::time::sleep(Duration::from_secs(2)).await;
    // A page every 200 ms by one copy; two copies would ask for twice as many.
    assert!(stage.polls() - before <= 13, "{} pages in two seconds", stage.polls() - before);
    drop(one);
    let began = std::time::Instant::now();
    stage.say("after the kill");
    stored_once(&stage.app, stage.owner.account_id, &["after the kill"]).await;
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    two.stop().await.unwrap();
    end(stage.app, ingest).await;
}

#[tokio::test]
async fn the_interval_that_youtube_names_is_kept() {
    let stage = Stage::new().await;
    stage.app.platforms.change_youtube(|chats| chats.polling_interval_ms = 1500);
    let running = workers(&stage.app, &DAEMONS).await;
    eventually("three pages were read", async || stage.polls() >= 3).await;
    let gaps: Vec<i64> = stage.app.platforms.change_youtube(|chats| {
        chats.polls.windows(2).map(|pair| (pair[1].0 - pair[0].0).num_milliseconds()).collect()
    });
    assert!(gaps.iter().all(|gap| *gap >= 1400), "{gaps:?}");
    end(stage.app, running).await;
}

#[tokio::test]
async fn what_was_said_before_is_shown_and_answered_by_nobody() {
    let stage = Stage::new().await;
    let details = json!({ "messageText": "long ago" });
    let old = platforms_stand_in::youtube_live::message_at(
        "textMessageEvent",
        &stage.channel,
        &stage.viewer,
        details,
        stage.app.clock.now() - chrono::Duration::minutes(10),
    );
    stage.app.platforms.tell_youtube(&stage.channel, old);
    let running = workers(&stage.app, &DAEMONS).await;
    stored_once(&stage.app, stage.owner.account_id, &["long ago"]).await;
    assert_eq!(jobs(&stage.app, "extension_triggers").await, 1, "only the stream that began");
    end(stage.app, running).await;
}

#[tokio::test]
async fn a_broadcast_begins_and_ends_once() {
    let stage = Stage::new().await;
    stage.app.platforms.set_on_air(&stage.channel, false);
    let running = workers(&stage.app, &DAEMONS).await;
    eventually("the channel is looked at", async || {
        reader_state(&stage.app, stage.connection_id).await.as_deref() == Some("waiting")
    })
    .await;
    assert_eq!(stage.polls(), 0, "nothing is read while the channel is off the air");
    let types = async || -> Vec<String> {
        stored_events(&stage.app, stage.owner.account_id)
            .await
            .iter()
            .map(|row| row["event_type"].as_str().unwrap().to_owned())
            .collect()
    };
    stage.app.platforms.set_on_air(&stage.channel, true);
    eventually("it began", async || types().await == ["youtube:stream_online"]).await;
    stage.reads().await;
    let statuses = async || -> Vec<(Option<String>, Option<String>)> {
        channel_statuses::table
            .filter(channel_statuses::is_online)
            .select((channel_statuses::broadcast_id, channel_statuses::live_chat_id))
            .load(&mut *stage.app.state.databases.postgres.get().await.unwrap())
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
        .get_result(&mut *stage.app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!((left, statuses().await.len()), (0, 0));
    end(stage.app, running).await;
}

#[tokio::test]
async fn refusals_and_failures_of_youtube_are_waited_out() {
    let stage = Stage::new().await;
    let running = workers(&stage.app, &DAEMONS).await;
    stage.reads().await;
    let path = "/liveChat/messages";
    stage.app.platforms.fail_next_at(Platform::Youtube, path, Failure::ServerError);
    stage.app.platforms.fail_next_at(Platform::Youtube, path, Failure::Malformed);
    stage.app.platforms.fail_next_at(Platform::Youtube, path, Failure::Reset);
    stage.say("after failures");
    stored_once(&stage.app, stage.owner.account_id, &["after failures"]).await;

    let pause = Duration::from_secs(3);
    stage.app.platforms.fail_next_at(Platform::Youtube, path, Failure::RateLimited { retry_after: pause });
    eventually("the pause is kept", async || {
        reader_state(&stage.app, stage.connection_id).await.as_deref() == Some("waiting")
    })
    .await;
    let asked = stage.polls();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(stage.polls(), asked, "nothing is asked before the time that YouTube named");
    stage.say("after the pause");
    stored_once(&stage.app, stage.owner.account_id, &["after failures", "after the pause"]).await;
    end(stage.app, running).await;
}

#[tokio::test]
async fn a_page_that_is_gone_is_followed_by_a_fresh_one_and_nothing_is_stored_twice() {
    let stage = Stage::new().await;
    let running = workers(&stage.app, &DAEMONS).await;
    stage.reads().await;
    stage.say("one");
    stored_once(&stage.app, stage.owner.account_id, &["one"]).await;
    drop(running);
    diesel::update(youtube_broadcasts::table)
        .set(youtube_broadcasts::page_token.eq("page-of-another-age"))
        .execute(&mut *stage.app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    stage.say("two");
    let running = workers(&stage.app, &DAEMONS).await;
    stored_once(&stage.app, stage.owner.account_id, &["one", "two"]).await;
    end(stage.app, running).await;
}

#[tokio::test]
async fn the_budget_of_the_day_is_not_passed() {
    let stage = Stage::with(&[("LUMIO_YOUTUBE_QUOTA_PER_DAY", "100")]).await;
    stage.app.platforms.change_youtube(|chats| chats.polling_interval_ms = 50);
    let running = workers(&stage.app, &DAEMONS).await;
    let reader = async || {
        let mut db = stage.app.state.databases.postgres.get().await.unwrap();
        let health = shared::connections::health::of(&mut db, &[stage.connection_id]).await.unwrap();
        health.get(&stage.connection_id).and_then(|health| health.reader.clone()?.detail)
    };
    eventually("the budget is spent", async || {
        reader().await.as_deref() == Some("YouTube's quota of the day is spent")
    })
    .await;
    let used: i64 = platform_quotas::table
        .select(platform_quotas::used)
        .first(&mut *stage.app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let looks = stage.app.platforms.change_youtube(|chats| chats.looks);
    let spent = 5 * stage.polls() + looks;
    assert!(used <= 100 && i64::try_from(spent).unwrap() <= used, "{used} counted, {spent} spent");
    end(stage.app, running).await;
}

#[tokio::test]
async fn a_channel_that_is_disconnected_or_flagged_is_read_no_more() {
    let stage = Stage::new().await;
    let running = workers(&stage.app, &DAEMONS).await;
    stage.reads().await;
    diesel::update(channel_connections::table.find(stage.connection_id))
        .set(channel_connections::reconnect_required.eq(true))
        .execute(&mut *stage.app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let mut asked = 0;
    eventually("nothing is asked any more", async || {
        let before = std::mem::replace(&mut asked, stage.polls());
        tokio::time::sleep(Duration::from_secs(1)).await;
        before == stage.polls()
    })
    .await;
    end(stage.app, running).await;
}

#[tokio::test]
async fn the_hub_is_asked_once_and_what_it_tells_is_looked_at_at_once() {
    // Without the hub the channel would be looked at after an hour only.
    let stage = Stage::with(&[("LUMIO_YOUTUBE_LOOK_EVERY_SECS", "3600")]).await;
    stage.app.platforms.set_on_air(&stage.channel, false);
    let mut config = stage.app.config();
    config.http.public_url = stage.app.url().parse().unwrap();
    let running = lumio_worker::start_with(config, stage.app.clock.clone(), &DAEMONS).await.unwrap();
    let channel_id = channel_id(&stage.channel);
    let feeds = || stage.app.platforms.change_youtube(|chats| chats.feeds.len());
    eventually("the hub has asked back", async || feeds() == 1).await;
    stage.app.platforms.set_on_air(&stage.channel, true);
    let told = stage.app.platforms.publish_video(&channel_id, "video1", &DeliveryOptions::default()).await;
    assert_eq!(told[0].statuses(), [Some(200)]);
    stage.reads().await;
    assert_eq!(feeds(), 1);
    end(stage.app, running).await;
}

//! The catalogue of event types for Twitch, and moderation on Twitch (reference/events.md#catalogue).

use std::collections::BTreeMap;

use live_model::EventType;
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, User, twitch::Event};
use serde_json::{Value, json};

use super::{chat_socket, connect, next_event};
use lumio_tests::world::{eventually, messages, stored_events, workers};

async fn deliver(app: &TestApp, event: &Event) {
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let delivery = app
        .platforms
        .deliver_twitch_to(&callback, "stand-in-eventsub-secret", event, &DeliveryOptions::default())
        .await;
    assert_eq!(delivery.statuses(), [Some(200)]);
}

/// A notification of a channel, with the other fields of its event.
fn notification(channel: &User, subscription_type: &'static str, more: Value) -> Event {
    let mut event = json!({
        "broadcaster_user_id": channel.id,
        "broadcaster_user_login": channel.login,
        "broadcaster_user_name": channel.display_name,
    });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let condition = json!({ "broadcaster_user_id": channel.id });
    Event { subscription_type, version: "1", condition, event }
}

fn every_notification(channel: &User) -> Vec<Event> {
    let user = json!({ "user_id": "42", "user_login": "viewer", "user_name": "Viewer" });
    let by_user = |more: Value| {
        let mut event = user.clone();
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let train = json!({ "id": "t", "level": 2, "total": 700, "progress": 200, "goal": 1000 });
    let choices = json!([{ "id": "a", "title": "A", "votes": 1 }, { "id": "b", "title": "B", "votes": 3 }]);
    let poll = json!({ "id": "p", "title": "Which?", "choices": choices, "status": "completed",
        "started_at": "2026-11-21T10:00:00Z", "ends_at": "2026-11-21T10:05:00Z" });
    let prediction = json!({ "id": "r", "title": "Win?", "outcomes": [{ "id": "o", "title": "Yes" }], "status": "resolved",
        "started_at": "2026-11-21T10:00:00Z", "locks_at": "2026-11-21T10:05:00Z",
        "winning_outcome_id": "o" });
    let goal = json!({ "id": "g", "type": "follow", "description": "d", "current_amount": 1, "target_amount": 2,
        "is_achieved": false });
    let redemption = by_user(json!({ "id": "red", "user_input": "please", "status": "unfulfilled",
        "reward": { "id": "w", "title": "Water", "cost": 100 } }));
    let mut fulfilled = redemption.clone();
    fulfilled["status"] = json!("fulfilled");
    let banned = by_user(json!({ "moderator_user_id": "1", "moderator_user_name": "Mod", "reason": "spam",
        "banned_at": "2026-11-21T10:00:00Z", "ends_at": null, "is_permanent": true }));
    let moment = "2026-11-21T10:00:00.123456789Z";
    let notices = json!({ "chatter_user_id": "7", "chatter_user_login": "giver", "chatter_user_name": "Giver",
        "chatter_is_anonymous": false, "message_id": "n1", "notice_type": "sub_gift",
        "sub_gift": { "recipient_user_id": "42", "recipient_user_name": "Viewer", "sub_tier": "1000" } });
    vec![
        notification(channel, "channel.follow", by_user(json!({ "followed_at": moment }))),
        notification(channel, "channel.subscribe", by_user(json!({ "tier": "1000", "is_gift": false }))),
        notification(
            channel,
            "channel.subscription.message",
            by_user(json!({
            "tier": "2000", "cumulative_months": 15, "message": { "text": "love it", "emotes": [] } })),
        ),
        notification(channel, "channel.chat.notification", notices),
        notification(channel, "channel.cheer", by_user(json!({ "bits": 100, "message": "cheer100" }))),
        notification(channel, "channel.channel_points_custom_reward_redemption.add", redemption),
        notification(channel, "channel.channel_points_custom_reward_redemption.update", fulfilled),
        notification(channel, "channel.hype_train.begin", train.clone()),
        notification(channel, "channel.hype_train.progress", train.clone()),
        notification(channel, "channel.hype_train.end", train),
        notification(channel, "channel.poll.begin", poll.clone()),
        notification(channel, "channel.poll.progress", poll.clone()),
        notification(channel, "channel.poll.end", poll),
        notification(channel, "channel.prediction.begin", prediction.clone()),
        notification(channel, "channel.prediction.progress", prediction.clone()),
        notification(channel, "channel.prediction.lock", prediction.clone()),
        notification(channel, "channel.prediction.end", prediction),
        notification(channel, "channel.goal.begin", goal.clone()),
        notification(channel, "channel.goal.progress", goal.clone()),
        notification(channel, "channel.goal.end", goal),
        notification(
            channel,
            "channel.ad_break.begin",
            json!({ "duration_seconds": 60, "started_at": moment }),
        ),
        notification(channel, "channel.ban", banned.clone()),
        notification(channel, "channel.unban", banned),
        notification(channel, "stream.online", json!({ "id": "s", "type": "live", "started_at": moment })),
        notification(channel, "stream.offline", json!({})),
        notification(
            channel,
            "channel.update",
            json!({ "title": "t", "category_id": "1", "category_name": "c" }),
        ),
        // A gift is reported by the notice alone.
        notification(channel, "channel.subscribe", by_user(json!({ "tier": "1000", "is_gift": true }))),
    ]
}

#[tokio::test]
async fn catalogue_of_twitch_events_is_published_with_exactly_its_keys() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (channel, _) = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let raider = app.platforms.create_user(Platform::Twitch, "raider").0;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let mut events = every_notification(&channel);
    events.push(Event::raid(&raider, &channel, 12));
    let published = events.len() - 1;
    for event in &events {
        deliver(&app, event).await;
    }
    eventually("every event is stored", async || {
        stored_events(&app, owner.account_id).await.len() == published
    })
    .await;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in stored_events(&app, owner.account_id).await {
        let event_type = row["event_type"].as_str().unwrap();
        *counts.entry(event_type.to_owned()).or_default() += 1;
        let known = EventType::find(event_type).unwrap_or_else(|| panic!("{event_type}"));
        let mut keys: Vec<&str> = known.keys.iter().map(|key| key.name).collect();
        keys.sort_unstable();
        let published: Vec<&str> = row["data"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut published = published;
        published.sort_unstable();
        assert_eq!(published, keys, "{event_type}");
        for key in known.keys {
            let value = &row["data"][key.name];
            assert!(value.is_null() || key.kind.takes(value), "{event_type} {}: {value}", key.name);
            if key.name.ends_with("_at") && !value.is_null() {
                assert_eq!(value, "2026-11-21T10:00:00.123Z", "{event_type} {}", key.name);
            }
        }
    }
    let expected: Vec<&str> = live_model::EVENT_TYPES
        .iter()
        .map(|known| known.name)
        .filter(|name| name.starts_with("twitch:"))
        .collect();
    let mut expected: Vec<&str> = expected;
    expected.sort_unstable();
    assert_eq!(counts.keys().map(String::as_str).collect::<Vec<_>>(), expected);
    assert_eq!((counts["twitch:reward"], counts["twitch:gift_sub"], counts["twitch:poll"]), (2, 1, 2));
    let ended = stored_events(&app, owner.account_id).await;
    let ended = ended.iter().find(|row| row["event_type"] == "twitch:poll_end").unwrap();
    assert_eq!(ended["data"]["winning_choice_id"], "b");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn sources_publish_and_soft_delete_what_moderators_remove() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (channel, _) = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let one = app.platforms.create_user(Platform::Twitch, "one").0;
    let two = app.platforms.create_user(Platform::Twitch, "two").0;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let mut socket = chat_socket(&app, &owner).await;
    let lines: Vec<Event> = [(&one, "a"), (&one, "b"), (&two, "c"), (&two, "d")]
        .map(|(user, text)| Event::chat_message(&channel, user, text))
        .into();
    for line in &lines {
        deliver(&app, line).await;
    }
    let deleted = async || {
        let rows = messages(&app, owner.account_id).await;
        let gone = rows.iter().filter(|row| row["is_deleted"] == true);
        let mut gone: Vec<String> = gone.map(|row| row["text"].as_str().unwrap().to_owned()).collect();
        gone.sort_unstable();
        (rows.len(), gone)
    };
    eventually("every line is stored", async || deleted().await.0 == 4).await;
    let message_id = lines[0].event["message_id"].clone();
    deliver(
        &app,
        &notification(&channel, "channel.chat.message_delete", json!({ "message_id": message_id })),
    )
    .await;
    assert_eq!(next_event(&mut socket, "chat:delete_message").await["message_id"], message_id);
    eventually("one is gone", async || deleted().await.1 == ["a"]).await;
    let target = json!({ "target_user_id": one.id, "target_user_login": "one", "target_user_name": "one" });
    deliver(&app, &notification(&channel, "channel.chat.clear_user_messages", target)).await;
    let cleared = next_event(&mut socket, "chat:clear_user").await;
    assert_eq!((&cleared["platform_user_id"], &cleared["action"]), (&json!(one.id), &json!("clear")));
    eventually("the user's are gone", async || deleted().await.1 == ["a", "b"]).await;
    deliver(&app, &notification(&channel, "channel.chat.clear", json!({}))).await;
    assert_eq!(next_event(&mut socket, "chat:clear").await, json!({ "platform": "twitch" }));
    eventually("all are gone", async || deleted().await.1 == ["a", "b", "c", "d"]).await;
    // Later messages stay.
    deliver(&app, &Event::chat_message(&channel, &two, "e")).await;
    eventually("the next is stored", async || deleted().await.0 == 5).await;
    assert_eq!(deleted().await.1.len(), 4);
    running.stop().await.unwrap();
    app.stop().await;
}

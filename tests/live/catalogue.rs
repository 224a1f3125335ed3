//! The normalised events of the platforms match the catalogue of event types (reference/events.md#catalogue).

use std::collections::BTreeSet;

use live_model::EventType;
use platform_daemons::ingest::normalise::{Happening, normalise};
use serde_json::{Value, json};
use shared::{clock::Clock, platform::Platform};

/// Every field of Twitch's notifications, with values of their kinds.
fn twitch(message: &Value) -> Value {
    let people = json!({
        "user_id": "7", "user_login": "ada", "user_name": "Ada", "broadcaster_user_id": "1",
        "broadcaster_user_login": "caster", "broadcaster_user_name": "Caster", "moderator_user_id": "2",
        "moderator_user_login": "mod", "moderator_user_name": "Mod", "from_broadcaster_user_id": "9",
        "from_broadcaster_user_login": "raider", "from_broadcaster_user_name": "Raider",
        "to_broadcaster_user_id": "1", "to_broadcaster_user_login": "caster", "to_broadcaster_user_name": "Caster",
    });
    let times = json!({
        "followed_at": "2026-01-01T00:00:00.5Z", "started_at": "2026-01-01T00:00:00Z",
        "ended_at": "2026-01-01T00:01:00Z", "locks_at": "2026-01-01T00:01:00Z", "locked_at": "2026-01-01T00:01:00Z",
        "banned_at": "2026-01-01T00:00:00Z", "ends_at": null, "duration_seconds": 60,
    });
    let actions = json!({
        "id": "e1", "tier": "1000", "is_gift": false, "cumulative_months": 15, "total": 3, "bits": 100, "viewers": 42,
        "message": message, "reason": "spam", "is_permanent": true, "user_input": "please", "status": "active",
        "reward": { "id": "r", "title": "Water", "cost": 50, "prompt": "" }, "level": 2, "progress": 10, "goal": 100,
    });
    let votes = json!({
        "title": "Which?", "choices": [{ "id": "c1", "title": "A", "votes": 1 }], "winning_outcome_id": "o1",
        "outcomes": [{ "id": "o1", "title": "A", "users": 1, "channel_points": 5 }], "type": "follow",
        "description": "More", "current_amount": 1, "target_amount": 5, "is_achieved": false,
        "category_name": "Chess", "category_id": "c", "language": "en",
    });
    let parts = [people, times, actions, votes];
    let fields = parts.iter().flat_map(|part| part.as_object().expect("an object").clone());
    Value::Object(fields.collect())
}

/// Asserts that a delivery becomes this event, with exactly the keys of its type and values of their kinds.
fn assert_becomes(platform: Platform, event_type: &str, body: &Value, expected: &str) {
    let published = normalise(platform, event_type, body, Clock::default().now());
    let published = published.unwrap_or_else(|error| panic!("{event_type}: {error}"));
    let happenings = published.unwrap_or_else(|| panic!("{event_type} tells nothing")).happenings;
    let event = happenings.into_iter().find_map(|happening| match happening {
        Happening::Event(event) => Some(event),
        _ => None,
    });
    let event = event.unwrap_or_else(|| panic!("{event_type} tells no event"));
    assert_eq!(event.event_type, expected, "{event_type}");
    let known =
        EventType::find(event.event_type).unwrap_or_else(|| panic!("{expected} is not in the catalogue"));
    let data = event.data.as_object().expect("an object");
    let keys: BTreeSet<&str> = data.keys().map(String::as_str).collect();
    assert_eq!(keys, known.keys.iter().map(|key| key.name).collect(), "{expected}");
    let read = known.read(data).unwrap_or_else(|error| panic!("{expected}: {error}"));
    assert_eq!(read, event.data, "{expected}");
}

#[test]
fn catalogue_covers_the_notifications_of_twitch() {
    let with_text = ["channel.cheer"];
    for (event_type, expected) in [
        ("channel.follow", "twitch:follower"),
        ("channel.subscribe", "twitch:subscribe"),
        ("channel.subscription.message", "twitch:resub"),
        ("channel.subscription.gift", "twitch:gift_sub"),
        ("channel.cheer", "twitch:cheer"),
        ("channel.raid", "twitch:raid"),
        ("channel.channel_points_custom_reward_redemption.add", "twitch:reward"),
        ("channel.hype_train.begin", "twitch:hype_train"),
        ("channel.hype_train.progress", "twitch:hype_train"),
        ("channel.hype_train.end", "twitch:hype_train_end"),
        ("channel.poll.begin", "twitch:poll"),
        ("channel.poll.end", "twitch:poll_end"),
        ("channel.prediction.begin", "twitch:prediction"),
        ("channel.prediction.lock", "twitch:prediction_lock"),
        ("channel.prediction.end", "twitch:prediction_end"),
        ("channel.goal.begin", "twitch:goal"),
        ("channel.goal.end", "twitch:goal_end"),
        ("channel.ad_break.begin", "twitch:ad_break"),
        ("channel.ban", "twitch:ban"),
        ("channel.unban", "twitch:unban"),
        ("stream.online", "twitch:stream_online"),
        ("stream.offline", "twitch:stream_offline"),
        ("channel.update", "twitch:stream_update"),
    ] {
        let message = if with_text.contains(&event_type) { json!("hi") } else { json!({ "text": "hi" }) };
        let body = json!({ "subscription": { "type": event_type }, "event": twitch(&message) });
        assert_becomes(Platform::Twitch, event_type, &body, expected);
    }
    let mut notice = twitch(&json!({}));
    notice["notice_type"] = json!("sub_gift");
    notice["message_id"] = json!("m1");
    notice["sub_gift"] =
        json!({ "recipient_user_id": "8", "recipient_user_name": "Bob", "sub_tier": "1000" });
    notice["chatter_user_id"] = json!("7");
    notice["chatter_user_name"] = json!("Ada");
    notice["chatter_is_anonymous"] = json!(false);
    assert_becomes(
        Platform::Twitch,
        "channel.chat.notification",
        &json!({ "event": notice }),
        "twitch:gift_sub",
    );
}

#[test]
fn catalogue_covers_the_events_of_kick() {
    let person = |id: u64, name: &str| json!({ "user_id": id, "username": name, "channel_slug": name, "profile_picture": null });
    let body = json!({
        "broadcaster": person(1, "caster"), "follower": person(7, "ada"), "subscriber": person(7, "ada"),
        "gifter": person(7, "ada"), "giftees": [person(8, "bob")], "duration": 3,
        "created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-02-01T00:00:00Z",
        "is_live": true, "title": "Chess", "started_at": "2026-01-01T00:00:00Z", "ended_at": null,
    });
    for (event_type, expected) in [
        ("channel.followed", "kick:follower"),
        ("channel.subscription.new", "kick:subscribe"),
        ("channel.subscription.renewal", "kick:subscribe"),
        ("channel.subscription.gifts", "kick:gift_sub"),
        ("livestream.status.updated", "kick:stream_online"),
    ] {
        assert_becomes(Platform::Kick, event_type, &body, expected);
    }
    let mut ended = body;
    ended["is_live"] = json!(false);
    assert_becomes(Platform::Kick, "livestream.status.updated", &ended, "kick:stream_offline");
}

#[test]
fn catalogue_covers_the_chat_items_of_youtube() {
    let item = |snippet: Value| {
        json!({ "channel_id": "UC1", "is_history": false, "item": {
            "id": "m1", "snippet": snippet,
            "authorDetails": { "channelId": "UC2", "displayName": "@Ada", "profileImageUrl": "https://example.com/a.png" },
        } })
    };
    let money = |more: (&str, Value)| {
        let mut details =
            json!({ "amountMicros": "5000000", "currency": "EUR", "amountDisplayString": "5.00", "tier": 2 });
        details[more.0] = more.1;
        details
    };
    for (event_type, snippet, expected) in [
        (
            "superChatEvent",
            json!({ "superChatDetails": money(("userComment", json!("hi"))) }),
            "youtube:superchat",
        ),
        (
            "superStickerEvent",
            json!({ "superStickerDetails":
                money(("superStickerMetadata", json!({ "stickerId": "s", "altText": "a fox" }))) }),
            "youtube:supersticker",
        ),
        (
            "newSponsorEvent",
            json!({ "newSponsorDetails": { "memberLevelName": "Gold", "isUpgrade": true } }),
            "youtube:member",
        ),
        (
            "giftMembershipReceivedEvent",
            json!({ "giftMembershipReceivedDetails": { "memberLevelName": "Gold", "gifterChannelId": "UC3" } }),
            "youtube:member",
        ),
        (
            "memberMilestoneChatEvent",
            json!({ "memberMilestoneChatDetails":
                { "memberLevelName": "Gold", "memberMonth": 6, "userComment": "half a year" } }),
            "youtube:member_milestone",
        ),
        (
            "membershipGiftingEvent",
            json!({ "membershipGiftingDetails":
                { "giftMembershipsCount": 5, "giftMembershipsLevelName": "Gold" } }),
            "youtube:member_gift",
        ),
    ] {
        assert_becomes(Platform::Youtube, event_type, &item(snippet), expected);
    }
}
